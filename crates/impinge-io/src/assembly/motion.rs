//! Moves the robots of an assembly: joint values in, poses of all parts out. No file is read again.

use super::{Assembly, placement::Split};
use glam::DAffine3;
use impinge::Pose;

/// Computes the poses of the parts of an assembly for any joint values of its robots.
///
/// ```
/// use impinge_io::assembly::{LoadOptions, read};
///
/// let robot = br#"<robot name="lift"><link name="base"/>
///     <link name="table"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
///     <joint name="up" type="prismatic"><parent link="base"/><child link="table"/>
///     <axis xyz="0 0 1"/></joint></robot>"#;
/// let assembly = read(robot, "lift.urdf".as_ref(), &LoadOptions::default())?;
/// let mut motion = assembly.motion();
/// assert_eq!(motion.poses(&[0.25])?[0].translation().z, 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Motion<'a> {
    assembly: &'a Assembly,
    values: Vec<f64>,
    links: Vec<DAffine3>,
    poses: Vec<Pose>,
}

/// Joint values place a part beyond the range of numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the joint values place {what} beyond the range of numbers")]
pub struct OutOfRange {
    what: String,
}

impl<'a> Motion<'a> {
    pub(super) fn new(assembly: &'a Assembly) -> Self {
        let poses = assembly.parts.iter().map(|part| part.placement).collect();
        Self { assembly, values: Vec::new(), links: Vec::new(), poses }
    }

    /// Sets the values of all joints that mimic others.
    ///
    /// # Panics
    /// If there are fewer values than joints.
    pub fn follow(&self, values: &mut [f64]) {
        for robot in &self.assembly.robots {
            let (first, end) = (robot.joints.start as usize, robot.joints.end as usize);
            robot.mechanism.follow(&mut values[first..end]);
        }
    }

    /// Returns the pose of every part for these joint values, in radians or metres: one for each of
    /// [`Assembly::joints`]. The values of fixed joints and of those that mimic others are not used. Limits are not
    /// checked. Parts that belong to no robot stay in place.
    ///
    /// # Errors
    /// If a part is beyond the range of numbers.
    ///
    /// # Panics
    /// If there are fewer values than joints.
    pub fn poses(&mut self, values: &[f64]) -> Result<&[Pose], OutOfRange> {
        let Self { assembly, values: own, links, poses } = self;
        let quoted = |name: &str| format!("`{}`", crate::text::shown(name));
        for robot in &assembly.robots {
            let (first, end) = (robot.joints.start as usize, robot.joints.end as usize);
            own.clear();
            own.extend_from_slice(&values[first..end]);
            robot.mechanism.follow(own);
            robot.mechanism.place_links(own, links).map_err(|joint| OutOfRange {
                what: format!("the joint {}", quoted(&assembly.joints[first + joint].name)),
            })?;
            robot.mechanism.place_parts(links, poses).map_err(|part| OutOfRange {
                what: format!("the part {}", quoted(&assembly.parts[part as usize].name)),
            })?;
        }
        Ok(poses)
    }

    /// Returns the pose of every link for these joint values, in the order of [`Assembly::links`], in the unit of the
    /// assembly: where the link's own origin is, in which its collision geometry is given. Otherwise as
    /// [`poses`](Self::poses).
    ///
    /// # Errors
    /// If a link is beyond the range of numbers.
    ///
    /// # Panics
    /// If there are fewer values than joints.
    pub fn link_poses(&mut self, values: &[f64]) -> Result<Vec<Pose>, OutOfRange> {
        let Self { assembly, values: own, links, .. } = self;
        let quoted = |name: &str| format!("`{}`", crate::text::shown(name));
        let mut poses = Vec::with_capacity(assembly.links.len());
        for robot in &assembly.robots {
            let (first, end) = (robot.joints.start as usize, robot.joints.end as usize);
            own.clear();
            own.extend_from_slice(&values[first..end]);
            robot.mechanism.follow(own);
            robot.mechanism.place_links(own, links).map_err(|joint| OutOfRange {
                what: format!("the joint {}", quoted(&assembly.joints[first + joint].name)),
            })?;
            let factor = robot.mechanism.factor();
            for link in links.iter() {
                let rotation = Split::new(link.matrix3).rotation;
                let number = poses.len();
                poses.push(Pose::new(rotation, link.translation * factor).map_err(|_| {
                    OutOfRange {
                        what: format!("the link {}", quoted(&assembly.links[number].name)),
                    }
                })?);
            }
        }
        Ok(poses)
    }
}

impl Assembly {
    /// Returns a way to compute the poses of all parts for other joint values.
    pub fn motion(&self) -> Motion<'_> {
        Motion::new(self)
    }

    /// Returns whether two links can move relative to each other: whether they belong to different robots, or a
    /// joint that is not fixed lies between them.
    ///
    /// # Panics
    /// If a link is out of range.
    pub fn is_movable(&self, a: u32, b: u32) -> bool {
        let Some(robot) = self.robots.iter().find(|robot| robot.links.contains(&a)) else {
            return true;
        };
        if !robot.links.contains(&b) {
            return true;
        }
        let bodies = robot.mechanism.rigid_bodies();
        let body = |link: u32| bodies[(link - robot.links.start) as usize];
        body(a) != body(b)
    }
}
