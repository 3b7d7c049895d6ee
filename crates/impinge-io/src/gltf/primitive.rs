//! Turns triangle lists, strips and fans into faces.

use crate::error::Fault;

/// How the corners of a primitive form triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    Triangles,
    Strip,
    Fan,
}

/// The kind of a primitive, from its `mode`.
pub(super) enum Kind {
    Faces(Mode),
    /// Points and lines, which have no faces.
    Thin,
}

impl Kind {
    pub(super) fn new(mode: u8) -> Option<Self> {
        Some(match mode {
            0..=3 => Self::Thin,
            4 => Self::Faces(Mode::Triangles),
            5 => Self::Faces(Mode::Strip),
            6 => Self::Faces(Mode::Fan),
            _ => return None,
        })
    }
}

impl Mode {
    /// Returns the largest number of faces for the given number of corners, or an error if the number is invalid.
    pub(super) fn face_count(self, corners: u64) -> Result<u64, String> {
        match self {
            Self::Triangles if !corners.is_multiple_of(3) => {
                Err(format!("its {corners} corners are no whole number of triangles"))
            }
            Self::Triangles => Ok(corners / 3),
            Self::Strip | Self::Fan => Ok(corners.saturating_sub(2)),
        }
    }

    /// Appends the faces of a primitive, with the orientation of the file.
    ///
    /// A strip jumps to another location by repeating a vertex. That creates faces without area, which renderers do not draw;
    /// as line segments they could touch anything in between. So strips and fans leave out faces that use a vertex twice.
    pub(super) fn unpack(
        self,
        corners: impl Iterator<Item = Result<u32, Fault>>,
        faces: &mut Vec<[u32; 3]>,
    ) -> Result<(), Fault> {
        let mut first = 0;
        let mut last = [0, 0];
        for (at, corner) in corners.enumerate() {
            let corner = corner?;
            let [before, previous] = last;
            let face = match self {
                Self::Triangles if at % 3 == 2 => Some([before, previous, corner]),
                // Every other triangle of a strip has the opposite orientation.
                Self::Strip if at >= 2 && at % 2 == 0 => Some([before, previous, corner]),
                Self::Strip if at >= 2 => Some([before, corner, previous]),
                Self::Fan if at >= 2 => Some([previous, corner, first]),
                _ => None,
            };
            if let Some(face) = face
                && (self == Self::Triangles || is_proper(face))
            {
                faces.push(face);
            }
            if at == 0 {
                first = corner;
            }
            last = [previous, corner];
        }
        Ok(())
    }
}

fn is_proper([a, b, c]: [u32; 3]) -> bool {
    a != b && b != c && c != a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(mode: Mode, corners: &[u32]) -> Vec<[u32; 3]> {
        let mut faces = Vec::new();
        mode.unpack(corners.iter().map(|&corner| Ok(corner)), &mut faces).unwrap();
        assert!(faces.len() as u64 <= mode.face_count(corners.len() as u64).unwrap());
        faces
    }

    #[test]
    fn corners_make_the_faces_that_gltf_defines() {
        assert_eq!(unpacked(Mode::Triangles, &[0, 1, 2, 2, 1, 1]), [[0, 1, 2], [2, 1, 1]]);
        assert_eq!(unpacked(Mode::Strip, &[5, 6, 7, 8, 9]), [[5, 6, 7], [6, 8, 7], [7, 8, 9]]);
        assert_eq!(unpacked(Mode::Fan, &[5, 6, 7, 8]), [[6, 7, 5], [7, 8, 5]]);
        for corners in 0..3 {
            assert!(unpacked(Mode::Strip, &[1, 2, 3][..corners]).is_empty());
            assert!(unpacked(Mode::Fan, &[1, 2, 3][..corners]).is_empty());
        }
        assert!(Mode::Triangles.face_count(4).is_err());
    }

    #[test]
    fn a_strip_that_moves_on_leaves_nothing_between() {
        let strip = [0, 1, 2, 2, 7, 7, 8, 9];
        assert_eq!(unpacked(Mode::Strip, &strip), [[0, 1, 2], [7, 9, 8]]);
    }
}
