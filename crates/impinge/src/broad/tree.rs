//! A dynamic tree of boxes, whose leaves have room for bodies to move in.
//!
//! A body that stays within the larger box around it changes nothing; one that leaves it is taken out
//! and put in where the boxes on the way grow least. Rotations keep the tree low. Where many leave at
//! once, the whole tree is made anew from the top, which is quicker then, and leaves a better one.

use super::{BroadPhase, Proxies, ProxyPair, ordered};
use crate::{Bounds, Threads};
use glam::DVec3;
use std::ops::ControlFlow;

/// A binary tree of boxes for bodies that come, go and move at any time.
#[derive(Debug, Default)]
pub struct DynamicTree {
    moving: Tree,
    fixed: Tree,
    stack: Vec<[u32; 2]>,
}

impl DynamicTree {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    fn tree_of(&mut self, proxies: &Proxies, proxy: u32) -> &mut Tree {
        if proxies.is_moving(proxy) { &mut self.moving } else { &mut self.fixed }
    }
}

impl BroadPhase for DynamicTree {
    fn insert(&mut self, proxies: &Proxies, proxy: u32) {
        self.tree_of(proxies, proxy).insert(proxy, proxies.bounds(proxy));
    }

    fn remove(&mut self, proxies: &Proxies, proxy: u32) {
        self.tree_of(proxies, proxy).remove(proxy);
    }

    fn update(&mut self, proxies: &Proxies, moved: &[u32]) {
        let Self { moving, fixed, .. } = self;
        for (tree, is_moving) in [(moving, true), (fixed, false)] {
            let own = || moved.iter().filter(|&&proxy| proxies.is_moving(proxy) == is_moving);
            let left = own().filter(|&&proxy| tree.has_left(proxy, proxies.bounds(proxy))).count();
            if left > MANY.max(tree.count() / 8) {
                tree.rebuild(proxies);
            } else if left > 0 {
                own().for_each(|&proxy| tree.update(proxy, proxies.bounds(proxy)));
            }
        }
    }

    fn pairs(
        &mut self,
        proxies: &Proxies,
        _threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { moving, fixed, stack } = self;
        moving.pairs(moving, true, proxies, stack, visit)?;
        moving.pairs(fixed, false, proxies, stack, visit)
    }

    fn overlapping(
        &mut self,
        proxies: &Proxies,
        bounds: &Bounds,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for tree in [&self.moving, &self.fixed] {
            self.stack.clear();
            self.stack.extend(tree.root.map(|root| [root, root]));
            while let Some([node, _]) = self.stack.pop() {
                let node = &tree.nodes[node as usize];
                if !node.bounds.overlaps(bounds) {
                    continue;
                }
                match node.kind {
                    Kind::Inner(children) => self.stack.extend(children.map(|child| [child; 2])),
                    Kind::Leaf(proxy) if proxies.bounds(proxy).overlaps(bounds) => visit(proxy)?,
                    _ => {}
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// How much room a leaf has on each side, in sizes of the body.
const ROOM: f64 = 0.2;
/// Fewer than so many are always put in one by one.
const MANY: usize = 16;

#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: Option<u32>,
    /// By proxy.
    leaves: Vec<Option<u32>>,
    /// Room to make the tree anew: bodies and their middles.
    bodies: Vec<(u32, DVec3)>,
}

#[derive(Clone, Debug)]
struct Node {
    bounds: Bounds,
    parent: Option<u32>,
    /// How many levels are below; 0 for a leaf.
    height: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Leaf(u32),
    Inner([u32; 2]),
    Free,
}

impl Tree {
    fn insert(&mut self, proxy: u32, bounds: &Bounds) {
        let index = proxy as usize;
        if index >= self.leaves.len() {
            self.leaves.resize(index + 1, None);
        }
        let bounds = roomy(bounds);
        let leaf = self.node(Node { bounds, parent: None, height: 0, kind: Kind::Leaf(proxy) });
        self.leaves[index] = Some(leaf);
        self.attach(leaf);
    }

    fn remove(&mut self, proxy: u32) {
        if let Some(leaf) = self.leaves[proxy as usize].take() {
            self.detach(leaf);
            self.release(leaf);
        }
    }

    fn update(&mut self, proxy: u32, bounds: &Bounds) {
        if let Some(leaf) = self.leaves[proxy as usize]
            && self.has_left(proxy, bounds)
        {
            self.detach(leaf);
            self.nodes[leaf as usize].bounds = roomy(bounds);
            self.attach(leaf);
        }
    }

    /// Whether a body is not any more in the room that it has.
    fn has_left(&self, proxy: u32, bounds: &Bounds) -> bool {
        self.leaves.get(proxy as usize).copied().flatten().is_some_and(|leaf| {
            let room = &self.nodes[leaf as usize].bounds;
            !(room.min.cmple(bounds.min).all() && bounds.max.cmple(room.max).all())
        })
    }

    /// How many bodies there are.
    fn count(&self) -> usize {
        (self.nodes.len() - self.free.len()).div_ceil(2)
    }

    /// Makes the tree anew, from the top, each time by the middle of what is spread the farthest.
    fn rebuild(&mut self, proxies: &Proxies) {
        let mut bodies = std::mem::take(&mut self.bodies);
        bodies.clear();
        let listed = (0..).zip(&self.leaves).filter(|(_, leaf)| leaf.is_some());
        bodies.extend(listed.map(|(proxy, _)| (proxy, proxies.bounds(proxy).center())));
        self.nodes.clear();
        self.free.clear();
        self.root =
            if bodies.is_empty() { None } else { Some(self.part(proxies, &mut bodies, None)) };
        self.bodies = bodies;
    }

    /// The tree of some bodies; as deep as their number can be halved.
    fn part(&mut self, proxies: &Proxies, bodies: &mut [(u32, DVec3)], parent: Option<u32>) -> u32 {
        let node = self.nodes.len() as u32;
        if let [(proxy, _)] = *bodies {
            let bounds = roomy(proxies.bounds(proxy));
            self.nodes.push(Node { bounds, parent, height: 0, kind: Kind::Leaf(proxy) });
            self.leaves[proxy as usize] = Some(node);
            return node;
        }
        let centers = Bounds::enclosing(bodies.iter().map(|&(_, center)| center));
        let axis = centers.size().max_position();
        let half = bodies.len() / 2;
        bodies.select_nth_unstable_by(half, |(_, a), (_, b)| a[axis].total_cmp(&b[axis]));
        let (low, high) = bodies.split_at_mut(half);
        self.nodes.push(Node { bounds: Bounds::EMPTY, parent, height: 0, kind: Kind::Free });
        let children = [self.part(proxies, low, Some(node)), self.part(proxies, high, Some(node))];
        self.nodes[node as usize].kind = Kind::Inner(children);
        self.fit(node);
        node
    }

    fn node(&mut self, node: Node) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    fn release(&mut self, node: u32) {
        self.nodes[node as usize].kind = Kind::Free;
        self.free.push(node);
    }

    /// Puts a leaf in where the boxes on the way grow least.
    fn attach(&mut self, leaf: u32) {
        let Some(root) = self.root else {
            self.root = Some(leaf);
            self.nodes[leaf as usize].parent = None;
            return;
        };
        let bounds = self.nodes[leaf as usize].bounds;
        let mut sibling = root;
        while let Kind::Inner(children) = self.nodes[sibling as usize].kind {
            let here = &self.nodes[sibling as usize].bounds;
            let grown = area(&merged(here, &bounds));
            // A new parent for both, or growing this one for the sake of a leaf farther down.
            let stop = 2.0 * grown;
            let inherited = 2.0 * (grown - area(here));
            let cost = |child: u32| {
                let node = &self.nodes[child as usize];
                let grown = area(&merged(&node.bounds, &bounds));
                let is_leaf = matches!(node.kind, Kind::Leaf(_));
                inherited + if is_leaf { grown } else { grown - area(&node.bounds) }
            };
            let [left, right] = children.map(cost);
            if stop < left && stop < right {
                break;
            }
            sibling = children[usize::from(right < left)];
        }
        let old = self.nodes[sibling as usize].parent;
        let parent = self.node(Node {
            bounds: merged(&self.nodes[sibling as usize].bounds, &bounds),
            parent: old,
            height: self.nodes[sibling as usize].height + 1,
            kind: Kind::Inner([sibling, leaf]),
        });
        self.replace(old, sibling, parent);
        self.nodes[sibling as usize].parent = Some(parent);
        self.nodes[leaf as usize].parent = Some(parent);
        self.refit(Some(parent));
    }

    /// Takes a leaf out; it is a node by itself then.
    fn detach(&mut self, leaf: u32) {
        let Some(parent) = self.nodes[leaf as usize].parent.take() else {
            self.root = None;
            return;
        };
        let Kind::Inner([a, b]) = self.nodes[parent as usize].kind else { return };
        let sibling = if a == leaf { b } else { a };
        let above = self.nodes[parent as usize].parent;
        self.replace(above, parent, sibling);
        self.nodes[sibling as usize].parent = above;
        self.release(parent);
        self.refit(above);
    }

    /// Puts a node where another was.
    fn replace(&mut self, parent: Option<u32>, old: u32, new: u32) {
        match parent {
            None => self.root = Some(new),
            Some(parent) => {
                if let Kind::Inner(children) = &mut self.nodes[parent as usize].kind {
                    children[usize::from(children[1] == old)] = new;
                }
            }
        }
    }

    /// Fits the boxes from a node up, and turns what has become too high.
    fn refit(&mut self, from: Option<u32>) {
        let mut next = from;
        while let Some(node) = next {
            let node = self.balanced(node);
            self.fit(node);
            next = self.nodes[node as usize].parent;
        }
    }

    fn fit(&mut self, node: u32) {
        if let Kind::Inner([a, b]) = self.nodes[node as usize].kind {
            let (a, b) = (&self.nodes[a as usize], &self.nodes[b as usize]);
            let (bounds, height) = (merged(&a.bounds, &b.bounds), 1 + a.height.max(b.height));
            let node = &mut self.nodes[node as usize];
            (node.bounds, node.height) = (bounds, height);
        }
    }

    /// Lifts a child that is higher than the other by more than one, with its higher child, and returns
    /// what is on top then.
    fn balanced(&mut self, node: u32) -> u32 {
        let Kind::Inner(children) = self.nodes[node as usize].kind else { return node };
        let height = |tree: &Self, node: u32| tree.nodes[node as usize].height;
        let [a, b] = children.map(|child| height(self, child));
        let side = usize::from(b > a);
        let up = children[side];
        let Kind::Inner(grandchildren) = self.nodes[up as usize].kind else { return node };
        if a.abs_diff(b) <= 1 {
            return node;
        }
        let [c, d] = grandchildren.map(|child| height(self, child));
        let (stays, goes) = match c > d {
            true => (grandchildren[0], grandchildren[1]),
            false => (grandchildren[1], grandchildren[0]),
        };
        let parent = self.nodes[node as usize].parent;
        self.replace(parent, node, up);
        self.nodes[up as usize].parent = parent;
        self.nodes[up as usize].kind = Kind::Inner([node, stays]);
        self.nodes[node as usize].parent = Some(up);
        let mut own = children;
        own[side] = goes;
        self.nodes[node as usize].kind = Kind::Inner(own);
        self.nodes[goes as usize].parent = Some(node);
        self.fit(node);
        up
    }

    /// Visits the pairs of leaves, one of each tree, whose bodies overlap; of a tree with itself, each
    /// once.
    fn pairs(
        &self,
        other: &Self,
        is_same: bool,
        proxies: &Proxies,
        stack: &mut Vec<[u32; 2]>,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        stack.clear();
        stack.extend(self.root.zip(other.root).map(|(a, b)| [a, b]));
        while let Some([i, j]) = stack.pop() {
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if is_same && i == j {
                if let Kind::Inner([left, right]) = a.kind {
                    stack.extend([[left, left], [right, right], [left, right]]);
                }
                continue;
            }
            if !a.bounds.overlaps(&b.bounds) {
                continue;
            }
            match (a.kind, b.kind) {
                (Kind::Leaf(a), Kind::Leaf(b)) if proxies.overlap(a, b) => visit(ordered(a, b))?,
                (Kind::Inner(children), _) if a.height >= b.height => {
                    stack.extend(children.map(|child| [child, j]));
                }
                (_, Kind::Inner(children)) => stack.extend(children.map(|child| [i, child])),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}

/// A box with room to move in.
fn roomy(bounds: &Bounds) -> Bounds {
    if bounds.is_empty() {
        return *bounds;
    }
    let room = ROOM * bounds.size().max_element();
    // None for a box whose size is beyond numbers.
    let room = if room.is_finite() { room } else { 0.0 };
    Bounds { min: bounds.min - room, max: bounds.max + room }
}

fn merged(a: &Bounds, b: &Bounds) -> Bounds {
    let mut merged = *a;
    merged.merge(b);
    merged
}

/// Half the area of a box's surface; 0 for an empty one.
fn area(bounds: &Bounds) -> f64 {
    let size = bounds.size().max(DVec3::ZERO);
    size.x * size.y + size.y * size.z + size.z * size.x
}
