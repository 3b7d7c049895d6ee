//! The subdivision of space into cells with items of two bodies or more (Smith, Kitamura 1994, section 3.3.5).
//!
//! Items are faces, or cubes that hold faces. No octree is stored. A cell is a range of a list of items. Its children
//! are appended to the list one after the other, each is visited and then removed again. A child with items of one
//! body only is not visited at all.
//!
//! # Cells
//!
//! A cell is divided at a point s: a child takes the coordinates below s or those from s on, along each axis. So cells
//! are half-open, and each point of space lies in exactly one leaf. Cells at the border of the root reach to
//! infinity, so no item lies outside. An item is passed to a child if its bounding box reaches into it: below s if
//! its least coordinate is below s, above if its greatest is not. These are comparisons of the numbers that define
//! boxes and cells, without any rounding. Where s lies is a matter of speed only.
//!
//! # Each pair of items is found, and once
//!
//! *With bounding boxes* ([`CellTest::Bounds`]): two boxes that overlap both contain the point c whose coordinates are the
//! greater of their least ones. At each division both items are passed to the child with c. So both are in the
//! leaf that contains c, and only this leaf compares them.
//!
//! *With the items themselves* ([`CellTest::Exact`]): let p be a point that both items share. It lies in the root
//! (`regions.rs`), and both boxes contain it, so the argument above holds for p. The test of an item against a cell
//! drops neither item, because p lies in the cell. So both are in the leaf that contains p. They may be together in
//! other leaves too, so pairs that have been compared are remembered. A pair need not be remembered if the
//! intersection of both boxes lies within one leaf: by Helly's theorem, along each axis, any leaf that both boxes
//! reach into is one that their intersection reaches into.

use super::{
    options::{CellTest, Division, SubdivisionDepth},
    regions::Regions,
};
use crate::{
    Bounds,
    method::{GroupPair, GroupPairs},
    pair_map::PairSet,
};
use glam::DVec3;
use std::ops::{ControlFlow, Range};

/// What a subdivision sorts into cells.
pub(in crate::method) trait CellItem {
    /// The number of the body in its group.
    fn body(&self) -> u32;

    /// A box around the item; grown by the tolerance for body 0.
    fn bounds(&self) -> &Bounds;

    /// Whether the item may reach into a cell that its box reaches into. `false` is a proof that no point of the item
    /// at which contacts count lies in the closed cell.
    fn may_meet(&self, cell: &Bounds) -> bool;
}

/// What a subdivision reports to.
pub(in crate::method) trait PairVisitor<T> {
    /// Called before pairs of items of two bodies are compared.
    fn begin(&mut self, bodies: GroupPair);

    /// Called once for each pair of items of these bodies, the lower body first, that may touch, with their places in
    /// the list of items. `Break` ends the subdivision.
    fn compare(&mut self, places: [u32; 2], a: &T, b: &T) -> ControlFlow<()>;

    /// Called now and then. `Break` ends the subdivision.
    fn pause(&mut self) -> ControlFlow<()>;
}

/// Memory of a subdivision, reused from query to query.
#[derive(Default)]
pub(in crate::method) struct Subdivision {
    /// The items of the cell that is visited, and of its ancestors.
    entries: Vec<Entry>,
    /// Pairs of items that were compared, by their places in the list; see above.
    compared: PairSet,
    /// The comparisons of items with cells, and of boxes of two items, in the last run.
    pub(in crate::method) tests: u64,
    /// Work since the visitor was last called.
    work: u64,
}

/// An item in a cell.
#[derive(Clone, Copy)]
struct Entry {
    /// Its place in the list of items.
    place: u32,
    /// While its cell is divided: below (bits 0 to 2) and above (bits 3 to 5) the dividing point, along each axis; then
    /// the children that get it, a bit for each.
    mask: u8,
}

/// How many items and pairs of items a child would get.
#[derive(Clone, Copy, Default)]
struct Tally {
    items: u64,
    /// The body of the last item, and how many items it has here.
    body: u32,
    run: u64,
    /// The sum of the squares of the numbers of items of each body before.
    squares: u64,
}

impl Tally {
    fn add(&mut self, body: u32) {
        if body != self.body {
            self.squares += self.run * self.run;
            (self.body, self.run) = (body, 0);
        }
        self.run += 1;
        self.items += 1;
    }

    /// The number of pairs of items of different bodies.
    fn pairs(&self) -> u64 {
        (self.items * self.items - self.squares - self.run * self.run) / 2
    }
}

/// Whether a cell is divided into these children, if that is not prescribed: if there are fewer pairs of items to
/// compare, counting the work to pass items to children; or if hardly any item goes to several children, as where
/// small items are together far below. Both bound the work of all levels.
fn is_worth_it(cell: &Tally, children: &[Tally]) -> bool {
    let visited = || children.iter().filter(|child| child.pairs() > 0);
    let pairs: u64 = visited().map(Tally::pairs).sum();
    let items: u64 = visited().map(|child| child.items).sum();
    pairs + WORK_PER_ITEM * cell.items < cell.pairs() || items <= cell.items + cell.items / 16
}

/// What is divided, and how.
#[derive(Clone, Copy)]
pub(in crate::method) struct Rules<'r> {
    pub(in crate::method) depth: SubdivisionDepth,
    pub(in crate::method) division: Division,
    pub(in crate::method) cell_test: CellTest,
    pub(in crate::method) regions: &'r Regions,
    /// The pairs of bodies that the regions were found for.
    pub(in crate::method) pairs: GroupPairs<'r>,
}

/// The deepest level of a subdivision that chooses its depth. Bodies of 1e-6 of the size of the root are
/// resolved, and recursion stays shallow.
const DEEPEST_LEVEL: u32 = 28;
/// A cell with at most this many pairs of items is not divided further.
const LEAF_PAIRS: u64 = 512;
/// The work to pass an item from a cell to its children, in comparisons of two boxes.
const WORK_PER_ITEM: u64 = 12;
/// The work between two calls of [`PairVisitor::pause`].
const PAUSE: u64 = 1 << 18;

/// For each combination of sides (below along x, y, z; above along x, y, z): the children that an item reaches, a bit
/// for each. Bit k of a child's number is set if it lies above along axis k.
const CHILDREN: [u8; 64] = {
    let mut children = [0; 64];
    let mut sides = 0;
    while sides < 64 {
        let (below, above) = (sides & 7, sides >> 3);
        let mut child = 0;
        while child < 8 {
            if (child & above) | (!child & below & 7) == 7 {
                children[sides] |= 1 << child;
            }
            child += 1;
        }
        sides += 1;
    }
    children
};

impl Subdivision {
    /// Visits all pairs of items, which are sorted by body, that may touch.
    pub(in crate::method) fn run<T: CellItem>(
        &mut self,
        items: &[T],
        rules: &Rules<'_>,
        visitor: &mut impl PairVisitor<T>,
    ) -> ControlFlow<()> {
        self.entries.clear();
        self.compared.clear();
        (self.tests, self.work) = (0, 0);
        let mut tally = Tally::default();
        for (place, item) in (0..).zip(items) {
            self.entries.push(Entry { place, mask: 0 });
            tally.add(item.body());
        }
        let (level, is_adaptive) = match rules.depth {
            SubdivisionDepth::Auto => (DEEPEST_LEVEL, true),
            SubdivisionDepth::Level(level) => {
                (level.min(SubdivisionDepth::MAX_LEVEL).into(), false)
            }
        };
        let depth = if rules.division == Division::Bintree { 3 * level } else { level };
        let everywhere = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        let (range, root) = (0..self.entries.len(), rules.regions.root_cube());
        let mut walk = Walk { items, rules, root, depth, is_adaptive, visitor, memory: self };
        walk.visit(range, &everywhere, 0, tally)
    }
}

/// A subdivision under way.
struct Walk<'w, T, V> {
    /// Sorted by body.
    items: &'w [T],
    rules: &'w Rules<'w>,
    /// A finite box that contains all points where items can touch.
    root: Bounds,
    /// Leaves are at this number of divisions.
    depth: u32,
    /// Whether a cell is left undivided where that saves work.
    is_adaptive: bool,
    visitor: &'w mut V,
    memory: &'w mut Subdivision,
}

impl<T: CellItem, V: PairVisitor<T>> Walk<'_, T, V> {
    /// Visits a cell: compares its items, or divides it and visits its children.
    fn visit(
        &mut self,
        range: Range<usize>,
        cell: &Bounds,
        depth: u32,
        tally: Tally,
    ) -> ControlFlow<()> {
        let pairs = tally.pairs();
        if pairs == 0 {
            return ControlFlow::Continue(());
        }
        let enough = if self.is_adaptive { LEAF_PAIRS } else { 1 };
        if depth >= self.depth || pairs <= enough {
            return self.compare(range, cell);
        }
        self.spend(range.len() as u64)?;
        // The root is finite, and so is each cell within it.
        let within = cell.intersection(&self.root);
        let at = within.center();
        let axes = self.find_sides(range.clone(), &within, at);
        let children = self.choose_children(range.clone(), &within, at, axes);
        if self.is_adaptive && !is_worth_it(&tally, &children) {
            return self.compare(range, cell);
        }
        let first = self.memory.entries.len();
        let mut start = first;
        self.pass_to_children(range, &children);
        for (child, tally) in children.into_iter().enumerate().filter(|(_, it)| it.pairs() > 0) {
            let end = start + tally.items as usize;
            self.visit(start..end, &child_cell(cell, at, axes, child), depth + 1, tally)?;
            start = end;
        }
        self.memory.entries.truncate(first);
        ControlFlow::Continue(())
    }

    /// Appends the entries of all children that have items of two bodies, one child after the other.
    fn pass_to_children(&mut self, range: Range<usize>, children: &[Tally; 8]) {
        let entries = &mut self.memory.entries;
        let (mut next, mut visited) = ([0; 8], 0);
        let mut len = entries.len();
        for (child, tally) in children.iter().enumerate().filter(|(_, it)| it.pairs() > 0) {
            next[child] = len;
            len += tally.items as usize;
            visited |= 1 << child;
        }
        entries.resize(len, Entry { place: 0, mask: 0 });
        for i in range {
            let entry = entries[i];
            for child in bits(entry.mask & visited) {
                entries[next[child]] = entry;
                next[child] += 1;
            }
        }
    }

    /// Finds on which sides of a point each item of a cell lies. Returns the axes across which to divide, a bit
    /// for each.
    fn find_sides(&mut self, range: Range<usize>, within: &Bounds, at: DVec3) -> usize {
        let wants_axis = self.rules.division == Division::Bintree && self.is_adaptive;
        let mut tallies = [[Tally::default(); 2]; 3];
        for entry in &mut self.memory.entries[range] {
            let item = &self.items[entry.place as usize];
            let below = item.bounds().min.cmplt(at).bitmask() as u8;
            let above = item.bounds().max.cmpge(at).bitmask() as u8;
            entry.mask = below | above << 3;
            if wants_axis {
                for (axis, [low, high]) in tallies.iter_mut().enumerate() {
                    if below >> axis & 1 != 0 {
                        low.add(item.body());
                    }
                    if above >> axis & 1 != 0 {
                        high.add(item.body());
                    }
                }
            }
        }
        match self.rules.division {
            Division::Octree => 0b111,
            Division::Bintree if wants_axis => {
                let pairs = tallies.map(|[low, high]| low.pairs() + high.pairs());
                1 << (0..3).min_by_key(|&axis| pairs[axis]).unwrap_or(0)
            }
            Division::Bintree => {
                let size = within.size();
                let longest = if size.y > size.x { 1 } else { 0 };
                1 << if size.z > size[longest] { 2 } else { longest }
            }
        }
    }

    /// Finds which children get each item of a cell, and counts them.
    fn choose_children(
        &mut self,
        range: Range<usize>,
        within: &Bounds,
        at: DVec3,
        axes: usize,
    ) -> [Tally; 8] {
        let is_exact = self.rules.cell_test == CellTest::Exact;
        let mut exact_tests = 0;
        let mut cells = [*within; 8];
        if is_exact {
            cells = std::array::from_fn(|child| child_cell(within, at, axes, child));
        }
        // Along the other axes, everything counts as below.
        let (always_below, sides) = (!axes as u8 & 7, (axes as u8) << 3 | 7);
        let mut children = [Tally::default(); 8];
        for entry in &mut self.memory.entries[range] {
            let item = &self.items[entry.place as usize];
            let mut mask = CHILDREN[usize::from((entry.mask | always_below) & sides)];
            // An item that reaches into one child only lies in it.
            if is_exact && !mask.is_power_of_two() {
                exact_tests += u64::from(mask.count_ones());
                for child in bits(mask) {
                    if !item.may_meet(&cells[child]) {
                        mask &= !(1 << child);
                    }
                }
            }
            for child in bits(mask) {
                children[child].add(item.body());
            }
            entry.mask = mask;
        }
        self.memory.tests += exact_tests;
        children
    }

    /// Compares the items of different bodies in a leaf.
    fn compare(&mut self, range: Range<usize>, cell: &Bounds) -> ControlFlow<()> {
        let mut a_start = range.start;
        while a_start < range.end {
            let a = self.run_from(a_start, range.end);
            let mut b_start = a.end;
            while b_start < range.end {
                let b = self.run_from(b_start, range.end);
                b_start = b.end;
                self.compare_runs([a.clone(), b], cell)?;
            }
            a_start = a.end;
        }
        ControlFlow::Continue(())
    }

    /// The entries from `start` on that are of one body.
    fn run_from(&self, start: usize, end: usize) -> Range<usize> {
        let body = self.body(start);
        let count = (start..end).take_while(|&i| self.body(i) == body).count();
        start..start + count
    }

    fn body(&self, entry: usize) -> u32 {
        self.items[self.memory.entries[entry].place as usize].body()
    }

    /// Compares all items of one body with all items of another.
    fn compare_runs(&mut self, [a, b]: [Range<usize>; 2], cell: &Bounds) -> ControlFlow<()> {
        let bodies = [self.body(a.start), self.body(b.start)];
        if !self.rules.regions.compares(self.rules.pairs, bodies) {
            return self.spend(1);
        }
        self.visitor.begin(bodies);
        let items = self.items;
        for i in a {
            let place = self.memory.entries[i].place;
            let item = &items[place as usize];
            self.spend(b.len() as u64)?;
            for j in b.clone() {
                let other_place = self.memory.entries[j].place;
                let other = &items[other_place as usize];
                let places = [place, other_place];
                let common = item.bounds().intersection(other.bounds());
                if !common.is_empty() && self.is_first_time(places, &common, cell) {
                    self.visitor.compare(places, item, other)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether this leaf is the one that compares two items: see the head of this file.
    fn is_first_time(&mut self, places: [u32; 2], common: &Bounds, cell: &Bounds) -> bool {
        let contains_least = common.min.cmpge(cell.min).all() && common.min.cmplt(cell.max).all();
        match self.rules.cell_test {
            CellTest::Bounds => contains_least,
            CellTest::Exact => {
                let is_within = contains_least && common.max.cmplt(cell.max).all();
                is_within || self.memory.compared.insert(places)
            }
        }
    }

    /// Counts work, and calls the visitor now and then.
    fn spend(&mut self, work: u64) -> ControlFlow<()> {
        self.memory.tests += work;
        self.memory.work += work;
        if self.memory.work < PAUSE {
            return ControlFlow::Continue(());
        }
        self.memory.work = 0;
        self.visitor.pause()
    }
}

/// The numbers of the bits that are set.
fn bits(mut mask: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (bit < 8).then_some(bit)
    })
}

/// A child of a cell that is divided at a point, across these axes. Stays within the cell wherever the point is.
fn child_cell(cell: &Bounds, at: DVec3, axes: usize, child: usize) -> Bounds {
    let mut bounds = *cell;
    for axis in (0..3).filter(|axis| axes >> axis & 1 != 0) {
        if child >> axis & 1 == 0 {
            bounds.max[axis] = at[axis].min(cell.max[axis]);
        } else {
            bounds.min[axis] = at[axis].max(cell.min[axis]);
        }
    }
    bounds
}
