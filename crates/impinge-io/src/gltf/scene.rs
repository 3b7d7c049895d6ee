//! Walks the nodes of the default scene.
//!
//! Nothing here recurses: a chain of nodes may be as long as the file allows.

use super::{
    document::{Document, NONE},
    nodes::{Node, Nodes},
};
use crate::{
    assembly::rounding::{gain, of_translation},
    error::Fault,
};
use glam::DAffine3;
use std::borrow::Cow;

/// The nodes of the scene.
///
/// The scene is the default scene, or the only one. If the file has several scenes and no default, or no scene,
/// it is all nodes that are not the child of another. A node that is listed twice, or is its own ancestor, is
/// refused, whether it belongs to the scene or not.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    nodes: &'a Nodes,
    roots: Cow<'a, [u32]>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(document: &'a Document<'_>) -> Result<Self, Fault> {
        let nodes = &document.nodes;
        let parents = parents(nodes)?;
        refuse_cycles(&parents)?;
        let roots = match scene_of(document)? {
            Some(scene) => {
                let roots = document.scenes.get(scene).unwrap_or_default();
                check_roots(scene, roots, &parents)?;
                Cow::Borrowed(roots)
            }
            None => (0..nodes.count).filter(|&node| parents[node as usize] == NONE).collect(),
        };
        Ok(Self { nodes, roots })
    }

    /// Visits every node that has a mesh or children, parents before children.
    pub(super) fn walk(
        &self,
        mut visit: impl FnMut(&Visited<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.roots.iter().try_for_each(|&root| walk_tree(self.nodes, root, &mut visit))
    }
}

/// A node of the scene.
#[derive(Debug)]
pub(super) struct Visited<'a> {
    pub(super) node: &'a Node,
    /// The index of the parent node.
    pub(super) parent: Option<u32>,
    pub(super) has_children: bool,
    /// The transform from the node to the scene.
    pub(super) world: &'a DAffine3,
    /// How far the rounding of translations may have moved the node.
    pub(super) moved: f64,
}

fn at(node: u32, message: impl Into<String>) -> Fault {
    Fault::json(format!("nodes[{node}]"), message)
}

fn scene_of(document: &Document<'_>) -> Result<Option<usize>, Fault> {
    let count = document.scenes.len();
    match document.scene {
        Some(scene) if (scene as usize) < count => Ok(Some(scene as usize)),
        Some(scene) => {
            let message = format!("the default is scenes[{scene}], but the file has {count}");
            Err(Fault::json("scene", message))
        }
        None => Ok((count == 1).then_some(0)),
    }
}

/// Returns the parent of every node, or `NONE`.
fn parents(nodes: &Nodes) -> Result<Vec<u32>, Fault> {
    let mut parents = vec![NONE; nodes.count as usize];
    for (position, parent) in nodes.kept().iter().enumerate() {
        let parent = parent.index;
        for &child in nodes.children(position) {
            match parents.get_mut(child as usize) {
                Some(slot) if *slot == NONE => *slot = parent,
                Some(&mut other) if other == parent => {
                    return Err(at(parent, format!("it lists nodes[{child}] twice as its child")));
                }
                Some(&mut other) => {
                    let message = format!("it is a child of nodes[{other}] and of nodes[{parent}]");
                    return Err(at(child, message));
                }
                None => {
                    let count = nodes.count;
                    let message = format!("its child is nodes[{child}], but the file has {count}");
                    return Err(at(parent, message));
                }
            }
        }
    }
    Ok(parents)
}

/// Checks for cycles: follows every node up to its root, or to a node that has been checked.
fn refuse_cycles(parents: &[u32]) -> Result<(), Fault> {
    let mut passed_by = vec![NONE; parents.len()];
    for start in 0..parents.len() as u32 {
        let mut node = start;
        while node != NONE && passed_by[node as usize] == NONE {
            passed_by[node as usize] = start;
            node = parents[node as usize];
            if node != NONE && passed_by[node as usize] == start {
                return Err(at(node, "it is its own ancestor"));
            }
        }
    }
    Ok(())
}

fn check_roots(scene: usize, roots: &[u32], parents: &[u32]) -> Result<(), Fault> {
    let mut listed = vec![false; parents.len()];
    for &root in roots {
        let fault = |message: String| Err(Fault::json(format!("scenes[{scene}]"), message));
        match parents.get(root as usize) {
            None => {
                let count = parents.len();
                return fault(format!("it lists nodes[{root}], but the file has {count}"));
            }
            Some(&parent) if parent != NONE => {
                return fault(format!("it lists nodes[{root}], a child of nodes[{parent}]"));
            }
            Some(_) if listed[root as usize] => {
                return fault(format!("it lists nodes[{root}] twice"));
            }
            Some(_) => listed[root as usize] = true,
        }
    }
    Ok(())
}

/// A node on the path from the root, and the index of its next child to visit.
struct Step {
    position: usize,
    next_child: usize,
    world: DAffine3,
    moved: f64,
}

fn walk_tree(
    nodes: &Nodes,
    root: u32,
    visit: &mut impl FnMut(&Visited<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut enter = |index: u32, parent: Option<&Step>| -> Result<Option<Step>, Fault> {
        let Some(position) = nodes.position(index) else { return Ok(None) };
        let node = &nodes.kept()[position];
        let own = nodes.transform(node);
        let world = parent.map_or(own, |parent| parent.world * own);
        if !world.is_finite() {
            return Err(at(index, "its transform in the scene is beyond the range of numbers"));
        }
        let own_moved = of_translation(own.translation);
        let moved = parent
            .map_or(own_moved, |parent| parent.moved + gain(&parent.world.matrix3) * own_moved);
        let parent = parent.map(|parent| nodes.kept()[parent.position].index);
        let has_children = !nodes.children(position).is_empty();
        visit(&Visited { node, parent, has_children, world: &world, moved })?;
        Ok(Some(Step { position, next_child: 0, world, moved }))
    };

    let mut path = Vec::from_iter(enter(root, None)?);
    while let Some(step) = path.last_mut() {
        match nodes.children(step.position).get(step.next_child) {
            Some(&child) => {
                step.next_child += 1;
                let below = enter(child, Some(step))?;
                path.extend(below);
            }
            None => {
                path.pop();
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Location;
    use glam::DVec3;

    fn walked(json: &str) -> Result<Vec<(u32, DVec3)>, String> {
        let document: Document<'_> = serde_json::from_str(json).unwrap();
        let mut order = Vec::new();
        let scene = Scene::new(&document);
        let result = scene.and_then(|scene| {
            scene.walk(|visited| {
                order.push((visited.node.index, visited.world.translation));
                Ok(())
            })
        });
        result.map(|()| order).map_err(|fault| match fault.location {
            Location::Json(pointer) => format!("{pointer}: {}", fault.message),
            location => panic!("{location:?}"),
        })
    }

    fn indices(json: &str) -> Vec<u32> {
        walked(json).unwrap().into_iter().map(|(index, _)| index).collect()
    }

    #[test]
    fn transforms_add_up_from_the_root_and_parents_come_first() {
        let json = r#"{"scene": 0, "scenes": [{"nodes": [3]}], "nodes": [
            {"mesh": 0, "translation": [1, 0, 0]},
            {"mesh": 0, "translation": [0, 1, 0], "children": [0, 4]},
            {"mesh": 0},
            {"scale": [2, 2, 2], "children": [2, 1]},
            {}]}"#;
        let expected = [
            (3, DVec3::ZERO),
            (2, DVec3::ZERO),
            (1, DVec3::Y * 2.0),
            (0, DVec3::new(2.0, 2.0, 0.0)),
        ];
        assert_eq!(walked(json).unwrap(), expected);
    }

    #[test]
    fn the_scene_is_the_default_or_the_only_one_or_all_roots() {
        let nodes = r#""nodes": [{"mesh": 0}, {"mesh": 0}, {"children": [1]}]"#;
        assert_eq!(indices(&format!("{{{nodes}}}")), [0, 2, 1]);
        assert_eq!(indices(&format!(r#"{{{nodes}, "scenes": [{{"nodes": [2]}}]}}"#)), [2, 1]);
        let two = r#""scenes": [{}, {"nodes": [0]}]"#;
        assert_eq!(indices(&format!("{{{nodes}, {two}}}")), [0, 2, 1]);
        assert_eq!(indices(&format!(r#"{{{nodes}, {two}, "scene": 1}}"#)), [0]);
        assert!(indices(&format!(r#"{{{nodes}, {two}, "scene": 0}}"#)).is_empty());
    }

    #[test]
    fn invalid_hierarchies_are_refused_with_the_node() {
        for (json, expected) in [
            (r#"{"nodes": [{"children": [1]}, {"children": [0]}]}"#, "nodes[0]: it is its own"),
            (r#"{"nodes": [{}, {"children": [1]}]}"#, "nodes[1]: it is its own ancestor"),
            (
                r#"{"nodes": [{}, {"children": [2]}, {"children": [3]}, {"children": [1, 0]}]}"#,
                "nodes[3]: it is its own ancestor",
            ),
            (r#"{"nodes": [{"children": [1, 1]}, {}]}"#, "nodes[0]: it lists nodes[1] twice"),
            (
                r#"{"nodes": [{"children": [2]}, {"children": [2]}, {}]}"#,
                "nodes[2]: it is a child of nodes[0] and of nodes[1]",
            ),
            (r#"{"nodes": [{"children": [4294967295]}]}"#, "nodes[0]: its child is nodes[42"),
            (r#"{"scene": 1, "scenes": [{}]}"#, "scene: the default is scenes[1]"),
            (r#"{"scenes": [{"nodes": [0]}]}"#, "scenes[0]: it lists nodes[0], but"),
            (
                r#"{"scenes": [{"nodes": [0, 0]}], "nodes": [{}]}"#,
                "scenes[0]: it lists nodes[0] tw",
            ),
            (
                r#"{"scenes": [{"nodes": [1]}], "nodes": [{"children": [1]}, {}]}"#,
                "scenes[0]: it lists nodes[1], a child of nodes[0]",
            ),
            (
                r#"{"nodes": [{"scale": [1e200, 1, 1], "children": [1]},
                    {"scale": [1e200, 1, 1], "mesh": 0}]}"#,
                "nodes[1]: its transform in the scene",
            ),
        ] {
            let message = walked(json).unwrap_err();
            assert!(message.starts_with(expected), "{json}: {message}");
        }
    }

    #[test]
    fn a_chain_may_be_as_deep_as_it_likes() {
        let depth = 200_000;
        let mut json = String::from(r#"{"nodes": ["#);
        for node in 1..depth {
            json += &format!(r#"{{"children":[{node}],"translation":[1,0,0]}},"#);
        }
        json += r#"{"mesh": 0}]}"#;
        let order = walked(&json).unwrap();
        assert_eq!(order.last(), Some(&(depth - 1, DVec3::X * f64::from(depth - 1))));
    }
}
