//! How parts and findings are recognised from run to run.
//!
//! A part is described by its persistent id, its path without the number that makes its name unique, and its
//! place: see [`PartIdentity`]. `matching.rs` decides which part of an earlier run is which part of this run.
//! `baseline.rs` and `review.rs` use it; `key.rs` makes the keys of findings.

mod key;
mod matching;

pub(crate) use key::Keys;
pub(crate) use matching::EarlierPairs;

use impinge::{Bounds, glam::DVec3};
use impinge_io::assembly::Assembly;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How a part is recognised in later runs. JSON outputs and review files hold it for both parts of a finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartIdentity {
    /// The unique name of the part in its run, such as `bolt#2`.
    pub name: String,
    /// The names of the sub-assemblies and of the part, without the number that makes the name unique:
    /// `engine/fasteners/bolt`.
    pub path: String,
    /// The GUID or persistent id that the file gives the part.
    #[serde(default)]
    pub id: Option<String>,
    /// The centre of the part's bounding box in its pose.
    pub center: [f64; 3],
    /// The side lengths of this box.
    pub size: [f64; 3],
    /// The number of parts with the same path, this one included; 0 if it is not known, because the run was
    /// one of an older version. Then only the name counts.
    #[serde(default)]
    pub copies: usize,
}

impl PartIdentity {
    /// Returns the identity of a part of which only the name is known.
    pub(crate) fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Multiplies all lengths by a factor.
    pub(crate) fn scale(&mut self, factor: f64) {
        for length in self.center.iter_mut().chain(&mut self.size) {
            *length *= factor;
        }
    }
}

/// What identifies the parts of one assembly.
#[derive(Debug)]
pub(crate) struct Identities {
    /// The index in `paths` of each part's path.
    path_of: Vec<u32>,
    /// Each path without numbers, and the parts that have it.
    paths: Vec<(String, Vec<u32>)>,
    /// The bounds of each mesh.
    bounds: Vec<Bounds>,
    /// The number of parts that have an id.
    id_counts: HashMap<String, usize>,
}

impl Identities {
    pub(crate) fn new(assembly: &Assembly) -> Self {
        let names: HashMap<&str, ()> =
            assembly.parts.iter().map(|part| (&*part.name, ())).collect();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut paths: Vec<(String, Vec<u32>)> = Vec::new();
        let mut path_of = Vec::with_capacity(assembly.parts.len());
        for (number, part) in assembly.parts.iter().enumerate() {
            let mut path = assembly.path(number);
            path.push(without_number(&part.name, |name| names.contains_key(name)));
            let path = path.join("/");
            let index = *numbers.entry(path).or_insert_with_key(|path| {
                paths.push((path.clone(), Vec::new()));
                (paths.len() - 1) as u32
            });
            paths[index as usize].1.push(number as u32);
            path_of.push(index);
        }
        let mut id_counts = HashMap::new();
        for id in assembly.parts.iter().filter_map(|part| part.id.as_ref()) {
            *id_counts.entry(id.clone()).or_insert(0) += 1;
        }
        let bounds = assembly.meshes.iter().map(|mesh| mesh.bounds()).collect();
        Self { path_of, paths, bounds, id_counts }
    }

    /// Returns the identity of a part.
    pub(crate) fn of(&self, assembly: &Assembly, part: usize) -> PartIdentity {
        let (path, parts) = &self.paths[self.path_of[part] as usize];
        let (center, size) = self.place(assembly, part);
        PartIdentity {
            name: assembly.parts[part].name.clone(),
            path: path.clone(),
            id: assembly.parts[part].id.clone(),
            center: center.to_array(),
            size: size.to_array(),
            copies: parts.len(),
        }
    }

    /// Returns the centre and the size of a part's box in its pose.
    pub(crate) fn place(&self, assembly: &Assembly, part: usize) -> (DVec3, DVec3) {
        let part = &assembly.parts[part];
        let (pose, bounds) = (&part.placement, &self.bounds[part.mesh]);
        if bounds.is_empty() {
            return (pose.translation(), DVec3::ZERO);
        }
        // The box around the rotated box of the mesh. Unlike the exact box, it costs nothing for large meshes.
        let (turn, size) = (pose.rotation(), bounds.size());
        let size =
            turn.x_axis.abs() * size.x + turn.y_axis.abs() * size.y + turn.z_axis.abs() * size.z;
        (pose.place(bounds.center()), size)
    }

    /// Returns the smallest side of the box of a part's mesh.
    fn thinnest(&self, assembly: &Assembly, part: usize) -> f64 {
        let bounds = &self.bounds[assembly.parts[part].mesh];
        if bounds.is_empty() { 0.0 } else { bounds.size().min_element() }
    }

    /// Returns the number of parts that share a part's path.
    pub(crate) fn copies(&self, part: usize) -> usize {
        self.paths[self.path_of[part] as usize].1.len()
    }

    /// Returns the path of a part, without the number that makes its name unique.
    pub(crate) fn path(&self, part: usize) -> &str {
        &self.paths[self.path_of[part] as usize].0
    }

    /// Returns the part's id, if no other part has the same.
    pub(crate) fn unique_id<'a>(&self, assembly: &'a Assembly, part: usize) -> Option<&'a str> {
        let id = assembly.parts[part].id.as_deref()?;
        (self.id_counts.get(id) == Some(&1)).then_some(id)
    }

    /// Returns the parts of each path.
    fn parts_by_path(&self) -> HashMap<&str, &[u32]> {
        self.paths.iter().map(|(path, parts)| (&**path, &**parts)).collect()
    }
}

/// Returns a name without the number that was appended to make it unique: `bolt` for `bolt#2`. A number counts
/// as appended if there is a part with the name before it.
fn without_number(name: &str, is_name: impl Fn(&str) -> bool) -> &str {
    let Some((before, number)) = name.rsplit_once('#') else { return name };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && is_name(before) { before } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_appended_numbers_are_removed() {
        let names = ["bolt", "bolt#2", "nut#2", "#2", "a#x", "bolt#"];
        let bare = names.map(|name| without_number(name, |other| names.contains(&other)));
        assert_eq!(bare, ["bolt", "bolt", "nut#2", "#2", "a#x", "bolt#"]);
    }
}
