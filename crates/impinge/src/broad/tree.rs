//! A dynamic bounding volume tree, whose leaf boxes have a margin around the bodies.
//!
//! A body that stays within its leaf box changes nothing. A body that leaves it is removed and inserted again
//! where the boxes on the path grow least. Rotations keep the tree balanced. If many bodies leave their leaf
//! boxes at once, the whole tree is rebuilt from the top, which is then faster and gives a better tree.

use super::{BroadPhase, Proxies, ProxyPair, ordered};
use crate::{Bounds, Threads};
use glam::DVec3;
use std::ops::ControlFlow;

/// A binary tree of boxes, for bodies that are added, moved and removed at any time.
#[derive(Debug, Default)]
pub struct DynamicTree {
    moving: Tree,
    fixed: Tree,
    stack: Vec<[u32; 2]>,
}

impl DynamicTree {
    /// An empty tree.
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
            let leavers =
                own().filter(|&&proxy| tree.has_left_leaf(proxy, proxies.bounds(proxy))).count();
            if leavers > MAX_REINSERTED.max(tree.count() / 8) {
                tree.rebuild(proxies);
            } else if leavers > 0 {
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

/// Margin of a leaf box on each side, relative to the body's longest side.
const MARGIN: f64 = 0.2;
/// Up to this many bodies that left their leaf boxes are reinserted one by one, however small the tree is.
const MAX_REINSERTED: usize = 16;

#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: Option<u32>,
    /// The leaf of each proxy.
    leaves: Vec<Option<u32>>,
    /// Scratch memory for a rebuild: proxies and the centers of their boxes.
    bodies: Vec<(u32, DVec3)>,
}

#[derive(Clone, Debug)]
struct Node {
    bounds: Bounds,
    parent: Option<u32>,
    /// Levels below this node; 0 for a leaf.
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
        let bounds = with_margin(bounds);
        let leaf = self.allocate(Node { bounds, parent: None, height: 0, kind: Kind::Leaf(proxy) });
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
            && self.has_left_leaf(proxy, bounds)
        {
            self.detach(leaf);
            self.nodes[leaf as usize].bounds = with_margin(bounds);
            self.attach(leaf);
        }
    }

    /// Whether a body has left its leaf box.
    fn has_left_leaf(&self, proxy: u32, bounds: &Bounds) -> bool {
        self.leaves.get(proxy as usize).copied().flatten().is_some_and(|leaf| {
            let leaf_box = &self.nodes[leaf as usize].bounds;
            !(leaf_box.min.cmple(bounds.min).all() && bounds.max.cmple(leaf_box.max).all())
        })
    }

    /// The number of bodies.
    fn count(&self) -> usize {
        (self.nodes.len() - self.free.len()).div_ceil(2)
    }

    /// Rebuilds the tree from the top. Each node is split at the median along the axis of greatest spread.
    fn rebuild(&mut self, proxies: &Proxies) {
        let mut bodies = std::mem::take(&mut self.bodies);
        bodies.clear();
        let listed = (0..).zip(&self.leaves).filter(|(_, leaf)| leaf.is_some());
        bodies.extend(listed.map(|(proxy, _)| (proxy, proxies.bounds(proxy).center())));
        self.nodes.clear();
        self.free.clear();
        self.root = if bodies.is_empty() {
            None
        } else {
            Some(self.build_subtree(proxies, &mut bodies, None))
        };
        self.bodies = bodies;
    }

    /// Builds the subtree of `bodies` and returns its root. Each half gets half of the bodies, so the depth
    /// is logarithmic.
    fn build_subtree(
        &mut self,
        proxies: &Proxies,
        bodies: &mut [(u32, DVec3)],
        parent: Option<u32>,
    ) -> u32 {
        let node = self.nodes.len() as u32;
        if let [(proxy, _)] = *bodies {
            let bounds = with_margin(proxies.bounds(proxy));
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
        let children = [
            self.build_subtree(proxies, low, Some(node)),
            self.build_subtree(proxies, high, Some(node)),
        ];
        self.nodes[node as usize].kind = Kind::Inner(children);
        self.fit(node);
        node
    }

    fn allocate(&mut self, node: Node) -> u32 {
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

    /// Inserts a leaf where the boxes on the path grow least.
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
            // Costs of stopping here with a new parent for both, and of inserting the leaf further down.
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
        let parent = self.allocate(Node {
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

    /// Removes a leaf from the tree, but keeps its node.
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

    /// Replaces the child `old` of a node, or of the root link, by `new`.
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

    /// Refits the boxes from a node up to the root, and rotates where a subtree has become too high.
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

    /// Rotates `node` if one child is higher than the other by more than one: that child, with its higher
    /// child, moves up. Returns the node that is on top afterwards.
    fn balanced(&mut self, node: u32) -> u32 {
        let Kind::Inner(children) = self.nodes[node as usize].kind else { return node };
        let height = |tree: &Self, node: u32| tree.nodes[node as usize].height;
        let [a, b] = children.map(|child| height(self, child));
        let side = usize::from(b > a);
        let riser = children[side];
        let Kind::Inner(grandchildren) = self.nodes[riser as usize].kind else { return node };
        if a.abs_diff(b) <= 1 {
            return node;
        }
        let [c, d] = grandchildren.map(|child| height(self, child));
        let (moves_up, moves_down) = match c > d {
            true => (grandchildren[0], grandchildren[1]),
            false => (grandchildren[1], grandchildren[0]),
        };
        let parent = self.nodes[node as usize].parent;
        self.replace(parent, node, riser);
        self.nodes[riser as usize].parent = parent;
        self.nodes[riser as usize].kind = Kind::Inner([node, moves_up]);
        self.nodes[node as usize].parent = Some(riser);
        let mut own = children;
        own[side] = moves_down;
        self.nodes[node as usize].kind = Kind::Inner(own);
        self.nodes[moves_down as usize].parent = Some(node);
        self.fit(node);
        riser
    }

    /// Visits the candidate pairs with one proxy in each tree. If `is_same`, both trees are one, and each
    /// pair is visited once.
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

/// The box with a margin on each side.
fn with_margin(bounds: &Bounds) -> Bounds {
    if bounds.is_empty() {
        return *bounds;
    }
    let margin = MARGIN * bounds.size().max_element();
    // No margin for a box whose size overflows.
    let margin = if margin.is_finite() { margin } else { 0.0 };
    Bounds { min: bounds.min - margin, max: bounds.max + margin }
}

fn merged(a: &Bounds, b: &Bounds) -> Bounds {
    let mut merged = *a;
    merged.merge(b);
    merged
}

/// Half the surface area of a box; 0 for an empty one.
fn area(bounds: &Bounds) -> f64 {
    let size = bounds.size().max(DVec3::ZERO);
    size.x * size.y + size.y * size.z + size.z * size.x
}
