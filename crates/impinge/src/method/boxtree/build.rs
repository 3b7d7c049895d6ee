//! Building a boxtree, from the top down (Zachmann 2002, section 4).

use super::{
    Boxtree, Kind, Node, OverlapTest,
    cells::{self, Cells},
    grid::{GridBox, Lanes, middle_size},
    node::Cut,
    split::{Item, Spread, split},
};
use crate::{Mesh, volume::Frame};
use glam::{Vec4, Vec4Swizzles};

/// How a boxtree is built. The answer of a query does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoxtreeOptions {
    /// Along which axes seeds are looked for: three give better trees, one is faster to build.
    pub axes: SeedAxis,
    /// Which sides of a child's box move: two fit closer, one is what the paper has.
    pub planes: PlaneChoice,
    /// What is to be small of the boxes: with the area, fewer of them overlap.
    pub measure: Measure,
    /// Up to how many faces make a leaf: more save memory, and cost triangle tests.
    pub leaf: u32,
    /// How queries tell boxes apart, unless they have a [scratch](super::BoxtreeScratch) of their
    /// own: the first mesh's counts.
    pub overlap: OverlapTest,
}

/// Along which axes seeds are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeedAxis {
    /// All three; the split whose boxes are least is taken.
    #[default]
    All,
    /// The axis along which the box is longest.
    Longest,
}

/// Which sides of a child's box move inward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaneChoice {
    /// One of the two across the axis along which the faces were split, as in the paper.
    Parallel,
    /// The one of all six that cuts off the most.
    One,
    /// The two that cut off the most. A node has room for them, as a plane needs few bits.
    #[default]
    Two,
}

/// What is to be small of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// The volume, as in the paper. Flat slices of a surface have little, and overlap much.
    Volume,
    /// The area of the sides.
    #[default]
    Area,
}

impl Measure {
    /// How much a box with sides of these lengths loses by a step along each axis.
    #[inline]
    pub(super) fn per_step(self, lengths: Vec4) -> Vec4 {
        match self {
            // Of the whole, rather than a product that would be 0 for all ways to cut a flat box.
            Self::Volume => lengths.recip(),
            // A step more, so that even a box that is all along a line is cut.
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
    /// As in the paper: a plane a node, the one of the split; least volume; a face a leaf.
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

/// Past this depth faces are halved: seeds can split off one at a time.
fn patience(faces: usize) -> u32 {
    2 * faces.max(1).ilog2() + 8
}

/// Which node of the tree a task is to complete.
#[derive(Clone, Copy)]
enum Place {
    Root,
    Child { pair: usize, which: usize },
}

/// A node whose box is known, and whose faces are yet to be split.
#[derive(Clone, Copy)]
struct Task {
    place: Place,
    start: usize,
    end: usize,
    depth: u32,
    /// Its box, as it follows from the planes on the way to it.
    implied: Lanes,
    /// Where its faces really are.
    spread: Spread,
}

impl Boxtree {
    /// A boxtree over all faces of a mesh. Takes time linear in their number, but n log n where many
    /// crowd in a corner, or coincide, or are split off one by one.
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
            grain: middle_size(items.iter().map(|Item(bounds)| bounds.size())),
            root: None,
            pairs: Vec::with_capacity(items.len().saturating_sub(1)),
            starts: Vec::new(),
            faces: Vec::new(),
        };
        if !items.is_empty() {
            let spread = Spread::of(&items);
            tree.bounds = spread.bounds.into();
            tree.root = Some(Node::new([Cut::NONE; 2]));
            let (place, end, implied) = (Place::Root, items.len(), spread.bounds);
            let root = Task { place, start: 0, end, depth: 0, implied, spread };
            let patience = patience(items.len());
            if items.len() < cells::FROM {
                tree.grow_faces(&mut items, root, patience);
            } else {
                tree.grow_cells(&items, root, patience);
            }
        }
        if !tree.starts.is_empty() {
            tree.starts.push(tree.faces.len() as u32);
        }
        // With leaves of several faces there are fewer than was thought.
        tree.pairs.shrink_to_fit();
        tree.starts.shrink_to_fit();
        tree.faces.shrink_to_fit();
        tree
    }

    /// Splits cells of faces, and the faces of a node where there are few or one cell has them all.
    fn grow_cells(&mut self, items: &[Item], root: Task, patience: u32) {
        let mut cells = Cells::new(items, &root.spread);
        let mut boxes = std::mem::take(&mut cells.boxes);
        let root = Task { end: boxes.len(), ..root };
        let mut gathered = Vec::new();
        self.grow(&mut boxes, root, patience, |tree, boxes, task| {
            let is_end = boxes.len() == 1 || cells.count(boxes) <= cells::FEW;
            if is_end {
                cells.gather(boxes, items, &mut gathered);
                let spread = Spread::of(&gathered);
                let task = Task { start: 0, end: gathered.len(), spread, ..*task };
                tree.grow_faces(&mut gathered, task, patience);
            }
            is_end
        });
    }

    /// Splits faces down to leaves.
    fn grow_faces(&mut self, items: &mut [Item], root: Task, patience: u32) {
        let most = self.options.leaf.max(1) as usize;
        self.grow(items, root, patience, |tree, items, task| {
            let is_leaf = items.len() <= most;
            if is_leaf {
                let (kind, link) = tree.leaf(items);
                tree.set_link(task.place, kind, link);
            }
            is_leaf
        });
    }

    /// Splits items until told that a node has been completed.
    fn grow(
        &mut self,
        items: &mut [Item],
        root: Task,
        patience: u32,
        mut is_complete: impl FnMut(&mut Self, &[Item], &Task) -> bool,
    ) {
        let mut tasks = vec![root];
        while let Some(task) = tasks.pop() {
            let items = &mut items[task.start..task.end];
            if is_complete(self, items, &task) {
                continue;
            }
            let axes = (task.depth < patience).then_some(self.options.axes);
            let parted = split(items, task.implied, &task.spread, axes, self.options.measure);
            let spreads = [&items[..parted.count], &items[parted.count..]].map(Spread::of);
            let nodes = spreads
                .map(|spread| fitted(task.implied, spread.bounds, self.options, parted.axis));
            let pair = self.pairs.len();
            self.set_link(task.place, Kind::Inner, pair as u32);
            self.pairs.push(nodes);
            let middle = task.start + parted.count;
            // The first child is completed first, so that its children come next in memory.
            for which in [1, 0] {
                let (start, end) = [(task.start, middle), (middle, task.end)][which];
                let implied = nodes[which].of(task.implied);
                let (place, depth) = (Place::Child { pair, which }, task.depth + 1);
                tasks.push(Task { place, start, end, depth, implied, spread: spreads[which] });
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

    fn set_link(&mut self, place: Place, kind: Kind, link: u32) {
        match place {
            Place::Root => self.root = self.root.map(|root| root.with_link(kind, link)),
            Place::Child { pair, which } => {
                let node = &mut self.pairs[pair][which];
                *node = node.with_link(kind, link);
            }
        }
    }
}

/// A node whose box is its parent's, cut to where its faces are as far as the options let it; the
/// axis is the one along which the faces were split.
pub(super) fn fitted(parent: Lanes, faces: Lanes, options: BoxtreeOptions, axis: usize) -> Node {
    let best = |bounds: Lanes| {
        let per_step = options.measure.per_step(bounds.lengths());
        // A flat box has no room across it: what comes out is not a number, or 0.
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
        Cut::new(best, bounds.room(best, faces))
    };
    let first = best(parent);
    let second = match options.planes {
        PlaneChoice::Two => best(first.of(parent)),
        _ => Cut::NONE,
    };
    Node::new([first, second])
}
