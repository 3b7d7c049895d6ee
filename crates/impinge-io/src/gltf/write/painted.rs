//! Writes an assembly as a GLB file, with colours for parts and faces.

use super::{
    document::{Attributes, Document, Material, MeshFields, Node, Primitive, Surface},
    faces, invalid, matrix, positions, words, write_container, write_positions,
};
use crate::{Assembly, Error, assembly::Unit, draft::write_atomically};
use glam::DAffine3;
use impinge::Mesh;
use std::{
    collections::{BTreeMap, HashMap},
    io::{Result, Write},
    path::Path,
};

/// Red, green, blue and opacity in sRGB, 0 to 255: `[255, 0, 0, 128]` is a half transparent red.
pub type Color = [u8; 4];

/// The colours of an assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paint {
    /// The colour of everything that has no colour of its own.
    pub base: Color,
    /// The colours of whole parts, by part index.
    pub parts: BTreeMap<usize, Color>,
    /// The colours of single faces, by part index and by face index in its mesh.
    pub faces: BTreeMap<(usize, u32), Color>,
}

impl Default for Paint {
    fn default() -> Self {
        Self { base: [200, 200, 200, 255], parts: BTreeMap::new(), faces: BTreeMap::new() }
    }
}

/// Writes an assembly as a GLB file, completely or not at all; see [`write_painted`].
pub fn save_painted(
    path: impl AsRef<Path>,
    assembly: &Assembly,
    paint: &Paint,
) -> std::result::Result<(), Error> {
    write_atomically(path, |out| write_painted(assembly, paint, out))
}

/// Writes an assembly as GLB: one node per part, inside the nodes of its sub-assemblies.
///
/// If the unit of the assembly is known, the file is in metres, as glTF requires; the nodes scale. Parts with the same mesh
/// and the same colour share a glTF mesh, and all parts of a mesh share its positions, so a part with a few faces in
/// another colour needs only its face indices in addition. Positions are rounded to single precision. The same assembly and
/// colours always give the same bytes.
///
/// A coordinate beyond single precision, or a colour for a part or face that does not exist, is an error of the kind
/// `InvalidData`.
pub fn write_painted(assembly: &Assembly, paint: &Paint, out: &mut dyn Write) -> Result<()> {
    check(assembly, paint)?;
    let mut layout = Layout { document: nodes(assembly)?, ..Layout::default() };
    for part in 0..assembly.parts.len() {
        let mesh = layout.mesh(assembly, paint, part)?;
        layout.document.nodes[assembly.groups.len() + part].mesh = mesh;
    }
    layout.document.add_views(layout.position_bytes, layout.face_bytes);
    write_container(&layout.document, out, |out| {
        layout.pools.iter().try_for_each(|mesh| write_positions(out, mesh))?;
        for (mesh, chosen) in &layout.chosen {
            match chosen {
                None => mesh.faces().iter().try_for_each(|face| words(out, face))?,
                Some(chosen) => {
                    chosen.iter().try_for_each(|&face| words(out, &mesh.faces()[face as usize]))?;
                }
            }
        }
        Ok(())
    })
}

fn check(assembly: &Assembly, paint: &Paint) -> Result<()> {
    let count = assembly.parts.len();
    let parts = paint.parts.keys().copied().chain(paint.faces.keys().map(|&(part, _)| part));
    for part in parts {
        if part >= count {
            let message = format!("a colour for part {part}, but the assembly has {count}");
            return Err(invalid(message));
        }
    }
    for &(part, face) in paint.faces.keys() {
        let faces = assembly.mesh(part).faces().len();
        if face as usize >= faces {
            let name = &assembly.parts[part].name;
            let message = format!("a colour for face {face} of part `{name}`, which has {faces}");
            return Err(invalid(message));
        }
    }
    Ok(())
}

/// Adds nodes for the sub-assemblies, then for the parts.
fn nodes(assembly: &Assembly) -> Result<Document<'_>> {
    let first_part = assembly.groups.len();
    let mut nodes = Vec::with_capacity(first_part + assembly.parts.len());
    for group in &assembly.groups {
        nodes.push(Node { name: &group.name, mesh: None, matrix: None, children: Vec::new() });
    }
    let metres = assembly.units.map_or(1.0, |unit| unit.to(Unit::Metre));
    for part in &assembly.parts {
        let (matrix3, translation) =
            (part.placement.rotation() * metres, part.placement.translation() * metres);
        let matrix = matrix(&part.name, &DAffine3 { matrix3, translation })?;
        nodes.push(Node { name: &part.name, mesh: None, matrix, children: Vec::new() });
    }
    let mut roots = Vec::new();
    let above = assembly.groups.iter().map(|group| group.parent);
    let above = above.chain(assembly.parts.iter().map(|part| part.group));
    for (node, above) in above.enumerate() {
        match above {
            Some(above) => nodes[above as usize].children.push(node),
            None => roots.push(node),
        }
    }
    Ok(Document::new(roots, nodes))
}

/// The layout of the binary chunk: all positions, mesh by mesh, then all faces.
#[derive(Default)]
struct Layout<'a> {
    document: Document<'a>,
    /// The meshes whose positions are written.
    pools: Vec<&'a Mesh>,
    position_bytes: u64,
    /// The faces that are written; `None` for all faces of a mesh.
    chosen: Vec<(&'a Mesh, Option<Vec<u32>>)>,
    face_bytes: u64,
    /// The accessors of the positions and of all faces of a mesh.
    position_of: HashMap<usize, usize>,
    all_faces_of: HashMap<usize, usize>,
    /// The glTF meshes of one colour.
    plain: HashMap<(usize, Color), usize>,
    materials: HashMap<Color, usize>,
}

impl<'a> Layout<'a> {
    /// Returns the glTF mesh for the node of a part; `None` if the part has no faces.
    fn mesh(
        &mut self,
        assembly: &'a Assembly,
        paint: &Paint,
        part: usize,
    ) -> Result<Option<usize>> {
        let number = assembly.parts[part].mesh;
        let mesh: &'a Mesh = &assembly.meshes[number];
        if mesh.faces().is_empty() {
            return Ok(None);
        }
        let base = paint.parts.get(&part).copied().unwrap_or(paint.base);
        let colored = || paint.faces.range((part, 0)..=(part, u32::MAX));
        let is_plain = colored().all(|(_, &color)| color == base);
        if let Some(&known) = self.plain.get(&(number, base)).filter(|_| is_plain) {
            return Ok(Some(known));
        }

        let position = match self.position_of.get(&number) {
            Some(&accessor) => accessor,
            None => {
                let accessor = positions(number, mesh, self.position_bytes)?;
                self.position_bytes += mesh.positions().len() as u64 * super::TRIPLE;
                self.pools.push(mesh);
                let accessor = self.document.add(accessor);
                self.position_of.insert(number, accessor);
                accessor
            }
        };
        let mut by_color: BTreeMap<Color, Vec<u32>> = BTreeMap::new();
        if !is_plain {
            let mut colors = vec![base; mesh.faces().len()];
            colored().for_each(|(&(_, face), &color)| colors[face as usize] = color);
            for (face, color) in colors.into_iter().enumerate() {
                by_color.entry(color).or_default().push(face as u32);
            }
        }
        let mut primitives = Vec::new();
        let mut primitive = |indices, material| {
            let attributes = Attributes { position };
            primitives.push(Primitive { attributes, indices, mode: 4, material: Some(material) });
        };
        if by_color.len() <= 1 {
            // The whole part has one colour, so it shares its faces with all such parts.
            let color = by_color.into_keys().next().unwrap_or(base);
            let indices = self.all_faces(number, mesh);
            primitive(indices, self.material(color));
        } else {
            for (color, chosen) in by_color {
                let indices = self.choose(mesh, Some(chosen));
                primitive(indices, self.material(color));
            }
        }
        self.document.meshes.push(MeshFields { primitives });
        let made = self.document.meshes.len() - 1;
        if is_plain {
            self.plain.insert((number, base), made);
        }
        Ok(Some(made))
    }

    fn all_faces(&mut self, number: usize, mesh: &'a Mesh) -> usize {
        if let Some(&accessor) = self.all_faces_of.get(&number) {
            return accessor;
        }
        let accessor = self.choose(mesh, None);
        self.all_faces_of.insert(number, accessor);
        accessor
    }

    fn choose(&mut self, mesh: &'a Mesh, chosen: Option<Vec<u32>>) -> usize {
        let count = chosen.as_ref().map_or(mesh.faces().len(), Vec::len) as u64;
        let accessor = self.document.add(faces(count, self.face_bytes));
        self.face_bytes += count * super::TRIPLE;
        self.chosen.push((mesh, chosen));
        accessor
    }

    fn material(&mut self, color: Color) -> usize {
        let next = self.document.materials.len();
        let number = *self.materials.entry(color).or_insert(next);
        if number == next {
            self.document.materials.push(material(color));
        }
        number
    }
}

/// Returns a matt, double-sided material: meshes may be open or have inverted normals.
fn material([red, green, blue, opacity]: Color) -> Material {
    // glTF colours are linear, not sRGB.
    let linear = |value: u8| match f64::from(value) / 255.0 {
        dark if dark <= 0.04045 => dark / 12.92,
        value => libm::pow((value + 0.055) / 1.055, 2.4),
    };
    let base_color_factor = [linear(red), linear(green), linear(blue), f64::from(opacity) / 255.0];
    Material {
        pbr_metallic_roughness: Surface {
            base_color_factor,
            metallic_factor: 0.0,
            roughness_factor: 0.8,
        },
        alpha_mode: (opacity < 255).then_some("BLEND"),
        double_sided: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::{LoadOptions, read};

    const RED: Color = [255, 0, 0, 255];
    const FAINT: Color = [0, 0, 255, 64];

    fn sample() -> Assembly {
        let obj =
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 2 3\nf 1 2 4\nf 1 3 4\ng b\nf 2 3 4\n";
        let mut assembly =
            read(obj.as_bytes(), Path::new("a.obj"), &LoadOptions::default()).unwrap();
        for number in 0..3 {
            let mut copy = assembly.parts[0].clone();
            copy.name = format!("copy {number}");
            copy.placement =
                impinge::Pose::from_translation(glam::DVec3::X * f64::from(number + 1)).unwrap();
            assembly.parts.push(copy);
        }
        assembly
    }

    fn json(bytes: &[u8]) -> serde_json::Value {
        let length = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
        serde_json::from_slice(&bytes[20..20 + length]).unwrap()
    }

    #[test]
    fn colours_are_materials_and_equal_meshes_are_shared() {
        let assembly = sample();
        let mut paint = Paint::default();
        paint.parts.insert(1, FAINT);
        paint.faces.insert((2, 1), RED);
        // A face with the same colour as its part.
        paint.faces.insert((3, 0), paint.base);
        let mut bytes = Vec::new();
        write_painted(&assembly, &paint, &mut bytes).unwrap();
        let mut again = Vec::new();
        write_painted(&assembly, &paint, &mut again).unwrap();
        assert_eq!(bytes, again);

        let json = json(&bytes);
        let shown: Vec<_> = (0..5).map(|node| json["nodes"][node]["mesh"].clone()).collect();
        assert_eq!(shown, [0, 1, 2, 0, 0]);
        assert_eq!(json["meshes"][2]["primitives"].as_array().unwrap().len(), 2);
        assert_eq!(json["materials"].as_array().unwrap().len(), 3);
        let faint = &json["materials"][1];
        assert_eq!((&faint["alphaMode"], &faint["doubleSided"]), (&"BLEND".into(), &true.into()));
        let color = &faint["pbrMetallicRoughness"]["baseColorFactor"];
        assert_eq!(*color, serde_json::json!([0.0, 0.0, 1.0, 64.0 / 255.0]));
        assert!(json["materials"][0].get("alphaMode").is_none());

        // Read back: the same parts with the same poses; faces may be in another order.
        let back = read(&bytes, Path::new("a.glb"), &LoadOptions::default()).unwrap();
        assert_eq!(back.parts.len(), 5);
        for (number, (part, was)) in back.parts.iter().zip(&assembly.parts).enumerate() {
            assert_eq!((&part.name, part.placement), (&was.name, was.placement));
            let sorted = |assembly: &Assembly| {
                let mesh = assembly.mesh(number).clone();
                let mut triangles: Vec<_> =
                    mesh.triangles().map(|t| t.map(|corner| corner.to_array())).collect();
                triangles.sort_by(|a, b| a.partial_cmp(b).unwrap());
                triangles
            };
            assert_eq!(sorted(&back), sorted(&assembly), "part {number}");
        }
    }

    #[test]
    fn sub_assemblies_are_nodes() {
        let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\no a\ng b\nf 1 2 3\ng c\nf 1 2 3\no d\nf 1 2 3\n";
        let assembly = read(obj.as_bytes(), Path::new("a.obj"), &LoadOptions::default()).unwrap();
        let mut bytes = Vec::new();
        write_painted(&assembly, &Paint::default(), &mut bytes).unwrap();
        let back = read(&bytes, Path::new("a.glb"), &LoadOptions::default()).unwrap();
        let names = |assembly: &Assembly| {
            (0..assembly.parts.len()).map(|part| assembly.full_name(part)).collect::<Vec<_>>()
        };
        assert_eq!(names(&back), names(&assembly));
    }

    #[test]
    fn colours_for_missing_parts_and_faces_are_refused() {
        let fails = |paint: &Paint| {
            let mut bytes = Vec::new();
            let error = write_painted(&sample(), paint, &mut bytes).unwrap_err();
            assert!(bytes.is_empty());
            error.to_string()
        };
        let mut paint = Paint::default();
        paint.parts.insert(5, RED);
        assert_eq!(fails(&paint), "a colour for part 5, but the assembly has 5");
        let mut paint = Paint::default();
        paint.faces.insert((1, 1), RED);
        assert_eq!(fails(&paint), "a colour for face 1 of part `b`, which has 1");
    }
}
