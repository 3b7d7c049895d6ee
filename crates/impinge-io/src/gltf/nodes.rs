//! The nodes of a document, in a compact form.
//!
//! A node takes as little as three bytes in a file, `{},`, so a struct for each would take too much memory. A
//! node without mesh and children is only counted; names, children and transforms of the other nodes are stored
//! in shared arrays.

use super::{
    document::{Instancing, NONE, NodeExtensions, prefixed},
    extras::{Extras, is_ifc_guid},
};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};
use std::{borrow::Cow, fmt};

/// All nodes of a document.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// The number of nodes in the file, including those that are not kept.
    pub(super) count: u32,
    /// The nodes with a mesh or children, by ascending index.
    kept: Vec<Node>,
    children: Vec<u32>,
    names: String,
    transforms: Vec<DAffine3>,
    /// By ascending node index; few nodes have an entry.
    instancing: Vec<(u32, Instancing)>,
    /// The identities of nodes with a mesh, by ascending node index.
    ids: Vec<(u32, Box<str>)>,
}

/// A node with a mesh or children. Its children and its name start where those of the previous kept node end.
#[derive(Debug)]
pub(super) struct Node {
    /// The index of the node in the file.
    pub(super) index: u32,
    mesh: u32,
    transform: u32,
    children_end: u32,
    name_end: u32,
}

impl Node {
    pub(super) fn mesh(&self) -> Option<u32> {
        (self.mesh != NONE).then_some(self.mesh)
    }
}

impl Nodes {
    pub(super) fn kept(&self) -> &[Node] {
        &self.kept
    }

    /// Returns the position of a node in the list of kept nodes.
    pub(super) fn position(&self, index: u32) -> Option<usize> {
        self.kept.binary_search_by_key(&index, |node| node.index).ok()
    }

    /// Returns the children of a kept node, given its position in the list.
    pub(super) fn children(&self, position: usize) -> &[u32] {
        let start = match position.checked_sub(1) {
            Some(before) => self.kept[before].children_end,
            None => 0,
        };
        &self.children[start as usize..self.kept[position].children_end as usize]
    }

    /// Returns the name of a node; empty if it has none.
    pub(super) fn name(&self, node: &Node) -> &str {
        let before = self.kept.partition_point(|other| other.index < node.index).checked_sub(1);
        let start = before.map_or(0, |before| self.kept[before].name_end);
        &self.names[start as usize..node.name_end as usize]
    }

    /// Returns the transform relative to the parent node.
    pub(super) fn transform(&self, node: &Node) -> DAffine3 {
        match node.transform {
            NONE => DAffine3::IDENTITY,
            transform => self.transforms[transform as usize],
        }
    }

    /// Returns the identity of a node with a mesh: from its extras, or its name if that is an identity.
    pub(super) fn id(&self, node: &Node) -> Option<&str> {
        match self.ids.binary_search_by_key(&node.index, |(index, _)| *index) {
            Ok(at) => Some(&self.ids[at].1),
            Err(_) => Some(self.name(node)).filter(|name| is_ifc_guid(name)),
        }
    }

    /// Returns the instancing attributes of a node with `EXT_mesh_gpu_instancing`.
    pub(super) fn instancing(&self, node: &Node) -> Option<&Instancing> {
        let at = self.instancing.binary_search_by_key(&node.index, |(index, _)| *index).ok()?;
        Some(&self.instancing[at].1)
    }

    /// Counts a node, and keeps it if it has a mesh or children. The sums fit into `u32`: a document has less
    /// than 4 GiB.
    fn push(&mut self, node: &NodeFields<'_>) -> Result<(), String> {
        let index = self.count;
        self.count += 1;
        if node.mesh.is_none() && node.children.is_empty() {
            return Ok(());
        }
        let own = node.transform()?;
        let transform = if own == DAffine3::IDENTITY {
            NONE
        } else {
            self.transforms.push(own);
            self.transforms.len() as u32 - 1
        };
        if let Some(instancing) = node.extensions.gpu_instancing {
            self.instancing.push((index, instancing));
        }
        if let Some(id) = node.extras.id.as_deref().filter(|_| node.mesh.is_some()) {
            self.ids.push((index, id.into()));
        }
        self.children.extend_from_slice(&node.children);
        self.names.push_str(&node.name);
        self.kept.push(Node {
            index,
            mesh: node.mesh.unwrap_or(NONE),
            transform,
            children_end: self.children.len() as u32,
            name_end: self.names.len() as u32,
        });
        Ok(())
    }
}

/// A node as parsed from the file.
#[derive(Deserialize, Default)]
#[serde(default)]
struct NodeFields<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    mesh: Option<u32>,
    children: Vec<u32>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
    extensions: NodeExtensions,
    extras: Extras,
}

impl NodeFields<'_> {
    fn transform(&self) -> Result<DAffine3, String> {
        let Some(columns) = self.matrix else {
            let rotation = DQuat::from_array(self.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
            let scale = DVec3::from_array(self.scale.unwrap_or([1.0; 3]));
            let translation = DVec3::from_array(self.translation.unwrap_or([0.0; 3]));
            return transform(translation, rotation, scale);
        };
        if self.translation.is_some() || self.rotation.is_some() || self.scale.is_some() {
            return Err("it has a matrix and also a translation, rotation or scale".into());
        }
        let [x, y, z, w] = [0, 4, 8, 12].map(|at| DVec3::from_slice(&columns[at..at + 3]));
        let last_row = [columns[3], columns[7], columns[11], columns[15] - 1.0];
        if last_row.iter().any(|entry| entry.abs() > 1e-6) {
            return Err("the last row of its matrix is not 0, 0, 0, 1".into());
        }
        Ok(DAffine3::from_cols(x, y, z, w))
    }
}

/// Returns the transform that scales, then rotates, then translates. It is exactly the identity for default values.
pub(super) fn transform(
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
) -> Result<DAffine3, String> {
    // Exporters round to single precision or worse; a larger deviation means that it is not a rotation.
    let error = (rotation.length() - 1.0).abs();
    if error.is_nan() || error > 0.01 {
        return Err("its rotation is not a quaternion of length 1".into());
    }
    // A length of exactly 1 is not normalised again, so that the unit quaternion gives the exact identity.
    let rotation = DMat3::from_quat(rotation.normalize());
    Ok(DAffine3 { matrix3: rotation * DMat3::from_diagonal(scale), translation })
}

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;

        impl<'de> Visitor<'de> for List {
            type Value = Nodes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of nodes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Nodes, A::Error> {
                let mut nodes = Nodes::default();
                loop {
                    let index = nodes.count as usize;
                    match list.next_element::<NodeFields<'de>>() {
                        Ok(Some(node)) => nodes.push(&node).map_err(Error::custom),
                        Ok(None) => return Ok(nodes),
                        Err(error) => Err(error),
                    }
                    .map_err(|error: A::Error| prefixed("nodes", index, &error))?;
                }
            }
        }

        deserializer.deserialize_seq(List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Nodes, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn only_nodes_that_matter_are_kept_and_each_finds_its_own() {
        let nodes = parse(
            r#"[{}, {"name": "a", "children": [0, 3]}, {"name": "lost"}, {"mesh": 7},
                {"name": "b\u00e9", "mesh": 1, "translation": [1, 2, 3], "camera": {"x": []}}]"#,
        )
        .unwrap();
        assert_eq!(nodes.count, 5);
        let indices: Vec<_> = nodes.kept().iter().map(|node| node.index).collect();
        assert_eq!(indices, [1, 3, 4]);
        let names: Vec<_> = nodes.kept().iter().map(|node| nodes.name(node)).collect();
        assert_eq!(names, ["a", "", "bé"]);
        assert_eq!((nodes.children(0), nodes.children(1)), (&[0, 3][..], &[][..]));
        assert_eq!((nodes.position(0), nodes.position(4)), (None, Some(2)));
        let [a, _, b] = nodes.kept() else { panic!() };
        assert_eq!((a.mesh(), b.mesh()), (None, Some(1)));
        assert_eq!(nodes.transform(a), DAffine3::IDENTITY);
        assert_eq!(nodes.transform(b), DAffine3::from_translation(DVec3::new(1.0, 2.0, 3.0)));
    }

    #[test]
    fn transforms_are_read_as_they_are_defined() {
        let nodes = parse(
            r#"[{"mesh": 0, "matrix": [1,2,3,0, 4,5,6,0, 7,8,9,0, 10,11,12,1]},
                {"mesh": 0, "rotation": [0,0,0.70710678,0.70710678], "scale": [2,3,4],
                 "translation": [5,6,7]}]"#,
        )
        .unwrap();
        let [matrix, trs] = nodes.kept() else { panic!() };
        let moved = nodes.transform(matrix).transform_point3(DVec3::new(1.0, 10.0, 100.0));
        assert_eq!(moved, DVec3::new(751.0, 863.0, 975.0));
        // Scaled, then turned a quarter about z, then moved.
        let moved = nodes.transform(trs).transform_point3(DVec3::ONE);
        assert!(moved.abs_diff_eq(DVec3::new(2.0, 8.0, 11.0), 1e-12), "{moved}");
    }

    #[test]
    fn invalid_transforms_are_refused_with_the_node() {
        for (fields, expected) in [
            (r#""rotation": [0,0,0,0]"#, "length 1"),
            (r#""rotation": [1,1,1,1]"#, "length 1"),
            (r#""rotation": [1e300,0,0,1]"#, "length 1"),
            (r#""matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2]"#, "last row"),
            (r#""matrix": [1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1]"#, "last row"),
            (r#""matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], "scale": [1,1,1]"#, "also"),
            (r#""matrix": [1,0,0,0]"#, "invalid length 4"),
            (r#""scale": [1,1,1e999]"#, "number out of range"),
            (r#""scale": [1,1,null]"#, "null"),
            (r#""children": [-1]"#, "-1"),
        ] {
            let json = format!(r#"[{{}}, {{"mesh": 0, {fields}}}]"#);
            let message = parse(&json).unwrap_err().to_string();
            assert!(message.starts_with("nodes[1]: "), "{message}");
            assert!(message.contains(expected), "{message}");
        }
    }
}
