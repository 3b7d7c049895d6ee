//! Building a boxtree, from the top down (Zachmann 2002, section 4). `split.rs` partitions the
//! faces; large meshes go through `cells.rs` first.

use super::{
    Boxtree, Kind, Node, OverlapTest,
    cells::{self, Cells},
    grid::{GridBox, LaneBox, typical_size},
    node::Cut,
    split::{Item, Spread, split},
};
use crate::{Mesh, volume::Frame};
use glam::{Vec4, Vec4Swizzles};

/// Build options of a boxtree. They affect speed and memory, never the answers of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoxtreeOptions {
    /// The axes along which seeds are searched: three give better trees, one builds faster.
    pub axes: SeedAxis,
    /// Which sides of a child's box move: two fit closer, one is as in the paper.
    pub planes: PlaneChoice,
    /// The measure of boxes that a split minimises. With the area, fewer boxes overlap.
    pub measure: Measure,
    /// The largest number of faces in a leaf. More save memory, and cost triangle tests.
    pub leaf: u32,
    /// The overlap test of queries, unless they have their own [scratch
    /// memory](super::BoxtreeScratch). The options of the first mesh count.
    pub overlap: OverlapTest,
}

/// The axes along which seeds are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeedAxis {
    /// All three; the split with the smallest boxes is taken.
    #[default]
    All,
    /// The axis along which the box is longest.
    Longest,
}

/// Which sides of a child's box move inward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaneChoice {
    /// One of the two sides perpendicular to the axis of the split, as in the paper.
    Parallel,
    /// The one of all six sides that cuts off the most.
    One,
    /// The two that cut off the most. Both fit into a node, because a plane needs few bits.
    #[default]
    Two,
}

/// The measure of a box that splits and planes minimise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// The volume, as in the paper. Flat slices of a surface have little volume and overlap much.
    Volume,
    /// The surface area.
    #[default]
    Area,
}

impl Measure {
    /// How much a box with sides of these lengths loses per step, for each axis.
    #[inline]
    pub(super) fn per_step(self, lengths: Vec4) -> Vec4 {
        match self {
            // Relative to the whole volume; the product itself would be 0 for all cuts of a flat
            // box.
            Self::Volume => lengths.recip(),
            // One step more, so that even a box that is a line is cut.
            Self::Area => lengths.yzxw() + lengths.zxyw() + Vec4::ONE,
        }
    }
}

impl Default for BoxtreeOptions {
    fn default() -> Self {
        Self {
            axes: SeedAxis::default(),
            planes: PlaneChoice::default(),
            measure: Measure::default(),
            leaf: 2,
            overlap: OverlapTest::default(),
        }
    }
}

impl BoxtreeOptions {
    /// The options of the paper: one plane per node, that of the split; least volume; one face per
    /// leaf.
    pub fn of_paper() -> Self {
        Self::default().planes(PlaneChoice::Parallel).measure(Measure::Volume).leaf(1)
    }

    /// Sets [`axes`](Self::axes).
    #[must_use]
    pub fn axes(mut self, axes: SeedAxis) -> Self {
        self.axes = axes;
        self
    }

    /// Sets [`planes`](Self::planes).
    #[must_use]
    pub fn planes(mut self, planes: PlaneChoice) -> Self {
        self.planes = planes;
        self
    }

    /// Sets [`measure`](Self::measure).
    #[must_use]
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measure = measure;
        self
    }

    /// Sets [`leaf`](Self::leaf); 0 is taken as 1.
    #[must_use]
    pub fn leaf(mut self, leaf: u32) -> Self {
        self.leaf = leaf;
        self
    }

    /// Sets [`overlap`](Self::overlap).
    #[must_use]
    pub fn overlap(mut self, overlap: OverlapTest) -> Self {
        self.overlap = overlap;
        self
    }
}

/// The depth from which faces are halved, because seeds may split off one face at a time.
fn max_seed_depth(faces: usize) -> u32 {
    2 * faces.max(1).ilog2() + 8
}

/// The node that a task completes.
#[derive(Clone, Copy)]
enum NodeSlot {
    Root,
    Child { pair: usize, which: usize },
}

/// A node whose box is known, and whose faces must still be split.
#[derive(Clone, Copy)]
struct Task {
    slot: NodeSlot,
    start: usize,
    end: usize,
    depth: u32,
    /// Its box, as it follows from the planes on the path from the root.
    implied: LaneBox,
    /// The actual bounds of its faces.
    spread: Spread,
}

impl Boxtree {
    /// Builds a boxtree over all faces of a mesh. Takes linear time, but n log n where many faces
    /// crowd in a corner, coincide, or are split off one by one.
    pub fn build(mesh: &Mesh, options: BoxtreeOptions) -> Self {
        let frame = Frame::new(&mesh.bounds());
        let mut items: Vec<Item> = (0..)
            .zip(mesh.triangles())
            .map(|(face, triangle)| Item::new(face, GridBox::around(triangle, &frame).into()))
            .collect();
        let mut tree = Self {
            frame,
            options,
            bounds: GridBox { min: [0; 3], max: [0; 3] },
            leaf_size: typical_size(items.iter().map(|Item(bounds)| bounds.size())),
            root: None,
            pairs: Vec::with_capacity(items.len().saturating_sub(1)),
            starts: Vec::new(),
            faces: Vec::new(),
            fit_quality: Default::default(),
        };
        if !items.is_empty() {
            let spread = Spread::of(&items);
            tree.bounds = spread.bounds.into();
            tree.root = Some(Node::new([Cut::NONE; 2]));
            let (slot, end, implied) = (NodeSlot::Root, items.len(), spread.bounds);
            let root = Task { slot, start: 0, end, depth: 0, implied, spread };
            let max_seed_depth = max_seed_depth(items.len());
            if items.len() < cells::MIN_FACES {
                tree.grow_faces(&mut items, root, max_seed_depth);
            } else {
                tree.grow_cells(&items, root, max_seed_depth);
            }
        }
        if !tree.starts.is_empty() {
            tree.starts.push(tree.faces.len() as u32);
        }
        // Leaves with several faces make fewer nodes than the capacity.
        tree.pairs.shrink_to_fit();
        tree.starts.shrink_to_fit();
        tree.faces.shrink_to_fit();
        tree
    }

    /// Splits cells of faces. Continues with single faces once a node has few, or all in one cell.
    fn grow_cells(&mut self, items: &[Item], root: Task, max_seed_depth: u32) {
        let mut cells = Cells::new(items, &root.spread);
        let mut boxes = std::mem::take(&mut cells.boxes);
        let root = Task { end: boxes.len(), ..root };
        let mut gathered = Vec::new();
        self.grow(&mut boxes, root, max_seed_depth, |tree, boxes, task| {
            let is_end = boxes.len() == 1 || cells.count(boxes) <= cells::CACHED_FACES;
            if is_end {
                cells.gather(boxes, items, &mut gathered);
                let spread = Spread::of(&gathered);
                let task = Task { start: 0, end: gathered.len(), spread, ..*task };
                tree.grow_faces(&mut gathered, task, max_seed_depth);
            }
            is_end
        });
    }

    /// Splits faces down to leaves.
    fn grow_faces(&mut self, items: &mut [Item], root: Task, max_seed_depth: u32) {
        let most = self.options.leaf.max(1) as usize;
        self.grow(items, root, max_seed_depth, |tree, items, task| {
            let is_leaf = items.len() <= most;
            if is_leaf {
                let (kind, link) = tree.leaf(items);
                tree.set_link(task.slot, kind, link);
            }
            is_leaf
        });
    }

    /// Splits items until `is_complete` says that a node is done.
    fn grow(
        &mut self,
        items: &mut [Item],
        root: Task,
        max_seed_depth: u32,
        mut is_complete: impl FnMut(&mut Self, &[Item], &Task) -> bool,
    ) {
        let mut tasks = vec![root];
        while let Some(task) = tasks.pop() {
            let items = &mut items[task.start..task.end];
            if is_complete(self, items, &task) {
                continue;
            }
            let axes = (task.depth < max_seed_depth).then_some(self.options.axes);
            let division = split(items, task.implied, &task.spread, axes, self.options.measure);
            let spreads = [&items[..division.count], &items[division.count..]].map(Spread::of);
            let nodes = spreads
                .map(|spread| fitted(task.implied, spread.bounds, self.options, division.axis));
            let pair = self.pairs.len();
            self.set_link(task.slot, Kind::Inner, pair as u32);
            self.pairs.push(nodes);
            let middle = task.start + division.count;
            // The first child is completed first, so that its children come next in memory.
            for which in [1, 0] {
                let (start, end) = [(task.start, middle), (middle, task.end)][which];
                let implied = nodes[which].of(task.implied);
                let (slot, depth) = (NodeSlot::Child { pair, which }, task.depth + 1);
                tasks.push(Task { slot, start, end, depth, implied, spread: spreads[which] });
            }
        }
    }

    fn leaf(&mut self, items: &[Item]) -> (Kind, u32) {
        if let [item] = items {
            return (Kind::Face, item.number());
        }
        self.starts.push(self.faces.len() as u32);
        self.faces.extend(items.iter().map(Item::number));
        (Kind::Run, self.starts.len() as u32 - 1)
    }

    fn set_link(&mut self, slot: NodeSlot, kind: Kind, link: u32) {
        match slot {
            NodeSlot::Root => self.root = self.root.map(|root| root.with_link(kind, link)),
            NodeSlot::Child { pair, which } => {
                let node = &mut self.pairs[pair][which];
                *node = node.with_link(kind, link);
            }
        }
    }
}

/// Makes a node whose box is its parent's, cut toward its faces as far as the options allow. `axis`
/// is the axis of the split.
pub(super) fn fitted(
    parent: LaneBox,
    faces: LaneBox,
    options: BoxtreeOptions,
    axis: usize,
) -> Node {
    let best = |bounds: LaneBox| {
        let per_step = options.measure.per_step(bounds.lengths());
        // Across a flat box the product is NaN or 0, which gains nothing.
        let lower = ((faces.min - bounds.min) * per_step).to_array();
        let upper = ((bounds.max - faces.max) * per_step).to_array();
        let axes = match options.planes {
            PlaneChoice::Parallel => axis..axis + 1,
            PlaneChoice::One | PlaneChoice::Two => 0..3,
        };
        let mut best = 2 * axis;
        let mut most = 0.0;
        for axis in axes {
            for (side, gain) in [(2 * axis, lower[axis]), (2 * axis + 1, upper[axis])] {
                if gain > most {
                    (best, most) = (side, gain);
                }
            }
        }
        Cut::new(best, bounds.inward_steps(best, faces))
    };
    let first = best(parent);
    let second = match options.planes {
        PlaneChoice::Two => best(first.of(parent)),
        _ => Cut::NONE,
    };
    Node::new([first, second])
}
