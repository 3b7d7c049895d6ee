//! The solid that the faces of a mesh enclose, also where the file was not written perfectly.
//!
//! A mesh encloses a solid if every edge has as many faces on one side as on the other: then the winding number of
//! any point is a whole number, and it is decided exactly. Files often miss this by little: vertices that should be
//! equal differ in the last digit, a long edge meets two short ones, some faces look the other way, every face is
//! written twice, a triangle is missing. [`Solid::new`] mends a copy of the faces:
//! 1. Faces that are written several times count once.
//! 2. Faces that look the other way than their neighbours are turned.
//! 3. Vertices at open edges are welded, with the smallest tolerance that closes most of them. Edges that end on
//!    other edges are joined by slivers.
//! 4. What is still open is a hole. A connected piece with large holes is a sheet and encloses nothing. The others
//!    get caps, and [`Solid::locate`] tells points that lie inside whatever the true shape of the caps is from
//!    points that are undecided.
//!
//! Only the question "inside or outside" is asked of the copy. Contacts and distances are those of the mesh itself.

use super::surface::Surface;
use crate::{
    Bounds, Mesh, Pose, Shape,
    mesh::{Edge, edges},
    method::PointScratch,
    narrow::Triangle,
};
use glam::DVec3;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    f64::consts::PI,
};

/// Where a point lies with respect to a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// Outside, or on the surface.
    Outside,
    Inside,
    /// Inside or outside, depending on how the holes of the surface would be closed.
    Undecided,
}

/// The solid that a mesh encloses.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    /// The mended faces; `None` if the faces of the mesh itself enclose the solid.
    mended: Option<Shape>,
    /// The faces that close holes. They are among the mended faces too.
    caps: Vec<Triangle>,
    /// Whether any faces enclose a solid.
    pub(super) is_solid: bool,
    /// Whether every connected piece encloses a solid and none has a hole that had to be capped.
    pub(super) is_whole: bool,
    /// The width of the widest gap; 0 if there is none.
    pub(super) gap: f64,
    /// The area of the caps and of the faces that enclose nothing, relative to the area of all faces.
    pub(super) open_share: f64,
    /// The volume, with its sign: negative if the faces look inward.
    pub(super) volume: f64,
}

/// A piece is a sheet if the caps of its holes have more than this share of its area.
const SHEET: f64 = 1.0 / 3.0;
/// The part of the full solid angle that holes may fill as seen from a point that still counts as inside. A surface
/// that winds once around the point then covers more than half of the sphere of directions even without as much again.
const LARGEST_HOLE: f64 = 0.25;
/// Tolerances for welding, in sizes of the mesh.
const WELDS: [f64; 8] = [1e-13, 1e-11, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3];
/// A wider weld must close at least this share of what is still open.
const WORTHWHILE: f64 = 0.1;
/// Most open edges for which edges that end on other edges are looked for.
const MAX_JOINED: usize = 20_000;

impl Solid {
    pub(super) fn new(mesh: &Mesh, surface: &Surface) -> Self {
        let size = mesh.bounds().size().length();
        let volume = signed_volume(mesh);
        let mut mending = Mending::new(mesh, surface, size);
        // A closed surface without volume may be one whose faces are all written twice, in both directions.
        let has_volume = volume.abs() > 1e-9 * size.powi(3);
        let is_solid = surface.is_closed && has_volume;
        let has_repeated = (!is_solid || surface.has_crowded_edges) && mending.drop_repeated();
        // Shells that overlap may have faces in common; both shells need them.
        if is_solid && !(has_repeated && mending.open_edges().is_empty()) {
            return Self {
                mended: None,
                caps: Vec::new(),
                is_solid: true,
                is_whole: true,
                gap: 0.0,
                open_share: 0.0,
                volume,
            };
        }
        mending.solid()
    }

    /// Where a point lies with respect to the solid of a part. `band` is the part's touch band.
    pub(super) fn locate(
        &self,
        (shape, pose): (&Shape, &Pose),
        point: DVec3,
        band: f64,
        scratch: &mut PointScratch,
    ) -> Location {
        if !self.is_solid {
            return Location::Outside;
        }
        let faces = self.mended.as_ref().unwrap_or(shape);
        match faces.winding(pose, point, scratch) {
            None | Some(0) => Location::Outside,
            Some(_) if self.caps.is_empty() || self.gap <= band => Location::Inside,
            Some(_) => {
                let angle: f64 = self
                    .caps
                    .iter()
                    .map(|cap| solid_angle(pose.place_triangle(*cap).map(|p| p - point)).abs())
                    .sum();
                if angle < 4.0 * PI * LARGEST_HOLE { Location::Inside } else { Location::Undecided }
            }
        }
    }

    /// Whether the faces enclose the solid without a gap that is wider than the band.
    pub(super) fn is_closed(&self, band: f64) -> bool {
        self.is_solid && (self.gap == 0.0 || self.gap <= band)
    }

    /// Whether the faces of the mesh do not enclose the solid themselves.
    pub(super) fn is_mended(&self) -> bool {
        self.mended.is_some()
    }

    /// The faces that enclose the solid, if those of the mesh do not.
    pub(super) fn mended(&self) -> Option<&Shape> {
        self.mended.as_ref()
    }

    /// The faces that enclose the solid, closed.
    pub(super) fn mesh<'s>(&'s self, mesh: &'s Mesh) -> &'s Mesh {
        self.mended.as_ref().map_or(mesh, |shape| shape.mesh())
    }
}

fn signed_volume(mesh: &Mesh) -> f64 {
    let apex = mesh.bounds().center();
    let six_fold = mesh.triangles().map(|triangle| {
        let [a, b, c] = triangle.map(|corner| corner - apex);
        a.cross(b).dot(c)
    });
    six_fold.sum::<f64>() / 6.0
}

/// The solid angle of a triangle as seen from the origin (Van Oosterom and Strackee 1983).
fn solid_angle([a, b, c]: Triangle) -> f64 {
    let (x, y, z) = (a.length(), b.length(), c.length());
    let across = a.cross(b).dot(c);
    let along = x * y * z + a.dot(b) * z + a.dot(c) * y + b.dot(c) * x;
    2.0 * across.atan2(along)
}

/// Net counts of directed edges: how many more faces run along an edge from the lower to the higher vertex than
/// the other way. Ordered, so that the result does not depend on hashing.
type Chain = BTreeMap<[u32; 2], i32>;

fn add(chain: &mut Chain, from: u32, to: u32, count: i32) {
    if from == to || count == 0 {
        return;
    }
    let (key, count) = if from < to { ([from, to], count) } else { ([to, from], -count) };
    let sum = chain.entry(key).or_default();
    *sum += count;
    if *sum == 0 {
        chain.remove(&key);
    }
}

/// The copy of the faces while it is mended.
struct Mending<'m> {
    positions: Cow<'m, [DVec3]>,
    /// By vertices that stand for all at the same position.
    faces: Vec<[u32; 3]>,
    size: f64,
    gap: f64,
    /// The tolerance with which vertices were welded.
    tolerance: f64,
}

impl<'m> Mending<'m> {
    fn new(mesh: &'m Mesh, surface: &Surface, size: f64) -> Self {
        let faces: Vec<[u32; 3]> = (0..mesh.faces().len() as u32)
            .map(|face| surface.corners(face))
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        let positions = mesh.positions().into();
        Self { positions, faces, size, gap: 0.0, tolerance: 1e-12 * size }
    }

    /// The solid of faces that are different.
    fn solid(mut self) -> Solid {
        self.orient();
        let mut open = self.open_edges();
        if !open.is_empty() {
            self.weld(&open);
            self.orient();
            open = self.open_edges();
        }
        let slivers = if open.len() <= MAX_JOINED { self.join(&mut open) } else { Vec::new() };
        self.cap(&open, &slivers)
    }

    /// Keeps one of several equal faces. Pairs that look in opposite directions cancel, unless all faces are such
    /// pairs, or the others are closed only together with them. Returns whether there were any.
    fn drop_repeated(&mut self) -> bool {
        let mut counts: HashMap<[u32; 3], (i32, [u32; 3])> =
            HashMap::with_capacity(self.faces.len());
        let mut has_repeated = false;
        for &face in &self.faces {
            let (key, is_even) = sorted(face);
            let turn = if is_even { 1 } else { -1 };
            let entry = counts.entry(key);
            has_repeated |= matches!(entry, std::collections::hash_map::Entry::Occupied(_));
            entry.or_insert((0, face)).0 += turn;
        }
        if !has_repeated {
            return false;
        }
        let mut seen = std::collections::HashSet::with_capacity(counts.len());
        let mut once = Vec::with_capacity(counts.len());
        let mut without_pairs = Vec::with_capacity(counts.len());
        for &face in &self.faces {
            let (key, is_even) = sorted(face);
            if !seen.insert(key) {
                continue;
            }
            let count = counts[&key].0;
            let is_as_first = (count > 0) == is_even;
            let [a, b, c] = face;
            let kept = if count == 0 || is_as_first { face } else { [a, c, b] };
            once.push(kept);
            if count != 0 {
                without_pairs.push(kept);
            }
        }
        let is_closed =
            |faces: &[[u32; 3]]| edges(faces).iter().all(|edge| edge.forward == edge.backward);
        self.faces = match without_pairs.is_empty() || !is_closed(&without_pairs) {
            true => once,
            false => without_pairs,
        };
        true
    }

    /// Turns faces so that neighbours at an edge of two faces look the same way. Of the two ways of a piece, that of
    /// the larger area wins.
    fn orient(&mut self) {
        let mut sides: Vec<([u32; 2], u32, bool)> = Vec::with_capacity(3 * self.faces.len());
        for (number, &[a, b, c]) in (0..).zip(&self.faces) {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                sides.push(([from.min(to), from.max(to)], number, from < to));
            }
        }
        sides.sort_unstable();
        let neighbours = || sides.chunk_by(|p, q| p.0 == q.0).filter(|same| same.len() == 2);
        if neighbours().all(|same| same[0].2 != same[1].2) {
            return;
        }
        // Union-find; each face knows whether it looks the same way as its parent.
        let mut parent: Vec<(u32, bool)> =
            (0..self.faces.len() as u32).map(|f| (f, true)).collect();
        // Halves the path on the way, so that paths stay short whatever the order of the faces.
        let root = |parent: &mut Vec<(u32, bool)>, mut face: u32| {
            let mut is_same = true;
            while parent[face as usize].0 != face {
                let (above, same) = parent[face as usize];
                let (next, next_same) = parent[above as usize];
                parent[face as usize] = (next, same == next_same);
                is_same = is_same == (same == next_same);
                face = next;
            }
            (face, is_same)
        };
        for same in neighbours() {
            let (p, p_same) = root(&mut parent, same[0].1);
            let (q, q_same) = root(&mut parent, same[1].1);
            let agree = (same[0].2 != same[1].2) == (p_same == q_same);
            if p != q {
                parent[p.max(q) as usize] = (p.min(q), agree);
            }
        }
        let mut areas: HashMap<u32, f64> = HashMap::new();
        let roots: Vec<(u32, bool)> =
            (0..self.faces.len() as u32).map(|face| root(&mut parent, face)).collect();
        for (number, &(root, is_same)) in roots.iter().enumerate() {
            let area = self.area(self.faces[number]);
            *areas.entry(root).or_default() += if is_same { area } else { -area };
        }
        for (face, (root, is_same)) in self.faces.iter_mut().zip(roots) {
            if is_same != (areas[&root] >= 0.0) {
                face.swap(1, 2);
            }
        }
    }

    fn area(&self, face: [u32; 3]) -> f64 {
        let [a, b, c] = face.map(|vertex| self.positions[vertex as usize]);
        0.5 * (b - a).cross(c - a).length()
    }

    fn open_edges(&self) -> Chain {
        let open = |edge: &Edge| edge.forward != edge.backward;
        let net = |edge: Edge| (edge.vertices, edge.forward as i32 - edge.backward as i32);
        edges(&self.faces).into_iter().filter(open).map(net).collect()
    }

    /// Welds vertices at open edges with the smallest tolerance that closes most of them.
    fn weld(&mut self, open: &Chain) {
        let length = |chain: &Chain| -> f64 {
            // Faces that look in opposite directions leave even counts; they are turned later.
            chain.iter().filter(|(_, count)| *count % 2 != 0).map(|(e, _)| self.length(*e)).sum()
        };
        let mut best = (length(open), None);
        for tolerance in WELDS.map(|share| share * self.size) {
            let welded = Welded::new(&self.positions, open, tolerance);
            let mut chain = Chain::new();
            for (&[from, to], &count) in open {
                add(&mut chain, welded.of(from), welded.of(to), count);
            }
            if chain.len() <= MAX_JOINED {
                join_edges(&self.positions, &mut chain, tolerance);
            }
            let left = length(&chain);
            if left < best.0 * (1.0 - WORTHWHILE) {
                best = (left, Some((welded, tolerance)));
            }
            if left == 0.0 {
                break;
            }
        }
        let Some((welded, tolerance)) = best.1 else { return };
        self.gap = self.gap.max(welded.gap);
        self.tolerance = self.tolerance.max(tolerance);
        for face in &mut self.faces {
            *face = face.map(|vertex| welded.of(vertex));
        }
        self.faces.retain(|[a, b, c]| a != b && b != c && c != a);
    }

    fn length(&self, [from, to]: [u32; 2]) -> f64 {
        self.positions[from as usize].distance(self.positions[to as usize])
    }

    /// Joins open edges that end on other open edges, with the tolerance for which [`weld`](Self::weld) has counted on
    /// that: vertices that are a little too far apart to be welded lie on each other's edges.
    fn join(&mut self, open: &mut Chain) -> Vec<[u32; 3]> {
        let before = open.len();
        let mut joined = open.clone();
        let (slivers, gap) = join_edges(&self.positions, &mut joined, self.tolerance);
        // Slivers that close nothing would only add noise.
        if joined.len() >= before {
            return Vec::new();
        }
        *open = joined;
        self.gap = self.gap.max(gap);
        slivers
    }

    /// Caps the holes that are left, and drops the pieces that are sheets.
    fn cap(mut self, open: &Chain, slivers: &[[u32; 3]]) -> Solid {
        let mut pieces = Connected::new(self.positions.len());
        for &[a, b, c] in self.faces.iter().chain(slivers) {
            pieces.connect(a, b);
            pieces.connect(b, c);
        }
        // Each connected set of open edges is a hole.
        let mut holes = Connected::new(self.positions.len());
        for &[from, to] in open.keys() {
            holes.connect(from, to);
        }
        let mut corners: BTreeMap<u32, (DVec3, f64)> = BTreeMap::new();
        for &vertex in open.keys().flatten() {
            let (sum, count) = corners.entry(holes.root(vertex)).or_default();
            *sum += self.positions[vertex as usize];
            *count += 1.0;
        }
        let mut centers: HashMap<u32, u32> = HashMap::new();
        let mut is_whole = true;
        for (&hole, (sum, count)) in &corners {
            let number = self.positions.len() as u32;
            self.positions.to_mut().push(*sum / *count);
            centers.insert(hole, number);
            is_whole = false;
        }
        // The width of a hole is four times the area of its cap by the length of its rim. That is the side of a square
        // hole. It is too much for a slit, whose cap is a fan around the middle.
        let mut widths: HashMap<u32, [f64; 2]> = HashMap::new();
        // For each piece: the area of its faces and of its caps, and its volume.
        let mut areas: HashMap<u32, [f64; 3]> = HashMap::new();
        let apex = Bounds::enclosing(self.positions.iter().copied()).center();
        let volume = |positions: &[DVec3], face: [u32; 3]| {
            let [a, b, c] = face.map(|vertex| positions[vertex as usize] - apex);
            a.cross(b).dot(c) / 6.0
        };
        for &face in &self.faces {
            let sums = areas.entry(pieces.root(face[0])).or_default();
            sums[0] += self.area(face);
            sums[2] += volume(&self.positions, face);
        }
        let mut caps: Vec<(u32, [u32; 3])> = Vec::new();
        for (&[from, to], &count) in open {
            let (from, to) = if count > 0 { (from, to) } else { (to, from) };
            let hole = holes.root(from);
            let cap = [to, from, centers[&hole]];
            let width = widths.entry(hole).or_default();
            width[0] += self.area(cap);
            width[1] += self.length([from, to]);
            let piece = pieces.root(from);
            let (sums, times) = (areas.entry(piece).or_default(), f64::from(count.unsigned_abs()));
            sums[1] += self.area(cap) * times;
            sums[2] += volume(&self.positions, cap) * times;
            (0..count.abs()).for_each(|_| caps.push((piece, cap)));
        }
        let width = |[area, rim]: &[f64; 2]| if *rim > 0.0 { 4.0 * area / rim } else { 0.0 };
        self.gap = widths.values().map(width).fold(self.gap, f64::max);
        // A piece without volume, such as a sheet with a front and a back, encloses nothing either.
        let is_solid = |piece: u32| {
            areas.get(&piece).is_some_and(|[own, cap, volume]| {
                *cap <= SHEET * own && volume.abs() > 1e-12 * self.size.powi(3)
            })
        };
        let mut faces: Vec<[u32; 3]> = Vec::with_capacity(self.faces.len());
        let (mut area, mut open_area) = (0.0, 0.0);
        for &face in self.faces.iter().chain(slivers) {
            let is_kept = is_solid(pieces.root(face[0]));
            is_whole &= is_kept;
            area += self.area(face);
            open_area += if is_kept { 0.0 } else { self.area(face) };
            faces.extend(is_kept.then_some(face));
        }
        let mut kept_caps = Vec::new();
        for (piece, cap) in caps {
            if is_solid(piece) {
                open_area += self.area(cap);
                faces.push(cap);
                kept_caps.push(cap.map(|vertex| self.positions[vertex as usize]));
            }
        }
        let has_solids = !faces.is_empty();
        let mesh = Mesh::new(self.positions.into_owned(), faces).expect("the vertices of a mesh");
        Solid {
            volume: signed_volume(&mesh),
            mended: has_solids.then(|| Shape::new(mesh)),
            caps: kept_caps,
            is_solid: has_solids,
            is_whole: is_whole && has_solids,
            gap: self.gap,
            open_share: if area > 0.0 { open_area / area } else { 1.0 },
        }
    }
}

/// The corners in ascending order, and whether that is an even permutation.
fn sorted([a, b, c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut key = [a, b, c];
    key.sort_unstable();
    let is_even = key == [a, b, c] || key == [b, c, a] || key == [c, a, b];
    (key, is_even)
}

/// Vertices at open edges, welded where they are close to each other.
struct Welded {
    stands_for: HashMap<u32, u32>,
    /// The largest distance between two vertices that were welded.
    gap: f64,
}

impl Welded {
    fn new(positions: &[DVec3], open: &Chain, tolerance: f64) -> Self {
        let mut vertices: Vec<u32> = open.keys().copied().flatten().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let cell = |p: DVec3| (p / (2.0 * tolerance)).floor().to_array().map(|c| c as i64);
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        let mut stands_for = HashMap::with_capacity(vertices.len());
        let mut gap = 0.0f64;
        for &vertex in &vertices {
            let position = positions[vertex as usize];
            let (low, high) = (cell(position - tolerance), cell(position + tolerance));
            let mut nearest: Option<(f64, u32)> = None;
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    for z in low[2]..=high[2] {
                        for &other in cells.get(&[x, y, z]).map_or(&[][..], Vec::as_slice) {
                            let away = positions[other as usize].distance(position);
                            if away <= tolerance && nearest.is_none_or(|best| (away, other) < best)
                            {
                                nearest = Some((away, other));
                            }
                        }
                    }
                }
            }
            match nearest {
                Some((away, other)) => {
                    gap = gap.max(away);
                    stands_for.insert(vertex, other);
                }
                None => cells.entry(cell(position)).or_default().push(vertex),
            }
        }
        Self { stands_for, gap }
    }

    fn of(&self, vertex: u32) -> u32 {
        self.stands_for.get(&vertex).copied().unwrap_or(vertex)
    }
}

/// Splits open edges at the open vertices that lie on them, up to a tolerance. Returns the slivers that fill the
/// triangles in between, and the largest distance.
fn join_edges(positions: &[DVec3], open: &mut Chain, tolerance: f64) -> (Vec<[u32; 3]>, f64) {
    let mut vertices: Vec<u32> = open.keys().copied().flatten().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let x = |vertex: u32| positions[vertex as usize].x;
    vertices.sort_by(|&p, &q| x(p).total_cmp(&x(q)));
    let (mut slivers, mut gap) = (Vec::new(), 0.0f64);
    for (edge, count) in open.clone() {
        let [from, to] = edge;
        let (p, q) = (positions[from as usize], positions[to as usize]);
        let along = q - p;
        let square = along.length_squared();
        let low = p.x.min(q.x) - tolerance;
        let start = vertices.partition_point(|&vertex| x(vertex) < low);
        let mut on: Vec<(f64, u32)> = Vec::new();
        for &vertex in vertices[start..].iter().take_while(|&&v| x(v) <= p.x.max(q.x) + tolerance) {
            if vertex == from || vertex == to {
                continue;
            }
            let offset = positions[vertex as usize] - p;
            let at = offset.dot(along) / square;
            if !(at > 0.0 && at < 1.0) {
                continue;
            }
            let away = (offset - along * at).length();
            if away <= tolerance {
                gap = gap.max(away);
                on.push((at, vertex));
            }
        }
        if on.is_empty() {
            continue;
        }
        on.sort_by(|a, b| a.0.total_cmp(&b.0));
        add(open, from, to, -count);
        let mut last = from;
        for &(_, vertex) in &on {
            add(open, last, vertex, count);
            last = vertex;
        }
        add(open, last, to, count);
        // A fan around `from`: together with the edge from `to` to `from` it has the boundary of the split edge.
        let corners: Vec<u32> = on.iter().map(|&(_, vertex)| vertex).chain([to]).collect();
        for pair in corners.windows(2) {
            let sliver = [from, pair[0], pair[1]];
            let turned = [from, pair[1], pair[0]];
            for _ in 0..count.abs() {
                slivers.push(if count > 0 { sliver } else { turned });
            }
        }
    }
    (slivers, gap)
}

/// Which vertices are connected (union-find).
struct Connected(Vec<u32>);

impl Connected {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn root(&mut self, mut vertex: u32) -> u32 {
        while self.0[vertex as usize] != vertex {
            let above = self.0[vertex as usize];
            self.0[vertex as usize] = self.0[above as usize];
            vertex = above;
        }
        vertex
    }

    fn connect(&mut self, p: u32, q: u32) {
        let (p, q) = (self.root(p), self.root(q));
        self.0[p.max(q) as usize] = p.min(q);
    }
}
