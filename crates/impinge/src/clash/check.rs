//! Checks one pair of parts and gives its verdict. The cheapest question comes first.
//!
//! `find.rs` calls [`Checker::check`] for every candidate pair, on any thread:
//! 1. Do the surfaces meet ([`Searcher`])? If not: is one part inside the other, are they within the touch band, are they
//!    too close?
//! 2. Does a plane separate the parts, up to the touch band (`way_out.rs`)? Then they touch.
//! 3. How deep do they reach into each other (`depth.rs`, `interior.rs`; `crossing.rs` for surfaces that enclose
//!    nothing)? Up to the touch band they touch.
//! 4. They overlap: are they the same part (`duplicate.rs`), is one inside the other, is it a fit (`fit.rs`)? What is the
//!    common volume (`volume.rs`), and which translation frees them?

use super::{
    Clash, Depth, Effort, Side, Tessellation, Verdict,
    band::Band,
    common::{Common, unit_normal},
    crossing::Crossing,
    depth::{DepthProbe, Reach, Touching},
    duplicate::are_same,
    find::{Assembly, NotClosed},
    fit, interior,
    placed::{Placed, PreparedMesh},
    swept::swept,
    volume::{Closed, common_volume},
    way_out,
};
use crate::{Bounds, FacePair, MeshDistance, Pose, query::Searcher};
use glam::DVec3;
use std::ops::ControlFlow;

/// The scratch memory that one thread reuses from pair to pair.
#[derive(Debug, Default)]
pub(super) struct Checker {
    searcher: Searcher,
    faces: Vec<FacePair>,
    common: Common,
    probe: DepthProbe,
    crossing: Crossing,
    touching: Vec<Touching>,
}

/// Pairs of faces that a quick check looks at: at first a few, which tell most penetrations.
const QUICK_FACES: [usize; 2] = [1 << 8, 1 << 14];
/// Pairs of faces between two questions whether to stop.
const FACES_PER_QUESTION: usize = 1 << 12;
/// With more pairs of faces than this, no short translation is tried: each trial finds as many.
const MAX_TRIAL_FACES: usize = 20_000;
/// Normals of touching faces of each part along which ways out are looked for.
const MAX_NORMALS: usize = 6;
/// Lengths of the translations that are tried, in depths.
const TRIALS: [f64; 3] = [1.0, 1.25, 2.0];
/// No translations are tried if the known one is at most this much longer than the depth.
const CLOSE: f64 = 1.25;

type Parts<'h> = (Placed<'h>, Placed<'h>);

impl Checker {
    /// Returns the clash between parts `a` and `b`, or `None` if they are clear of each other. `should_stop` is asked
    /// now and then; if it says yes, the answer means nothing.
    pub(super) fn check(
        &mut self,
        assembly: &Assembly<'_>,
        numbers @ (a, b): (usize, usize),
        should_stop: &dyn Fn() -> bool,
    ) -> Option<Clash> {
        let parts @ (first, second) = (assembly.part(a), assembly.part(b));
        let band = assembly.band(a, b);
        let clearance = assembly.clearance;
        let is_quick = assembly.effort == Effort::Quick;
        if !first.bounds.grown(clearance.max(widest(parts, band))).overlaps(second.bounds) {
            return None;
        }
        let mut clash = match is_quick {
            true => self.quick(parts, band, clearance, should_stop),
            false => self.full(parts, band, clearance, should_stop),
        }?;
        (clash.a, clash.b) = numbers;
        clash.is_closed = [first.is_closed(), second.is_closed()];
        Some(clash)
    }

    /// Returns the verdict on the solid that part `a` sweeps when it is translated, and part `b`; `None` if they are
    /// clear of each other, an error if the surface of part `a` is not closed.
    pub(super) fn check_swept(
        &mut self,
        assembly: &Assembly<'_>,
        (a, b): (usize, usize),
        by: DVec3,
    ) -> Result<Option<Verdict>, NotClosed> {
        let (first, second) = (assembly.part(a), assembly.part(b));
        let band = assembly.band(a, b);
        let solid = first.solid();
        if !first.is_closed() || !solid.is_whole {
            return Err(NotClosed);
        }
        let own_by = first.pose.rotation().inverse() * by;
        let enclosing = solid.mesh(first.mesh());
        let (mesh, origins) = swept(enclosing, own_by, solid.volume < 0.0).ok_or(NotClosed)?;
        let deviation = |of: &[u32; 2]| of.map(|face| first.tessellation.at(face) as f32);
        let tessellation = match first.tessellation {
            Tessellation::Uniform(_) => first.tessellation.clone(),
            // The mended faces are not those of the mesh.
            Tessellation::Faces(_) if solid.is_mended() => {
                Tessellation::Uniform(first.largest_deviation)
            }
            Tessellation::Faces(_) => {
                Tessellation::Faces(origins.iter().map(deviation).map(|[p, q]| p.max(q)).collect())
            }
        };
        let prepared = PreparedMesh::new(mesh.into());
        let bounds = prepared.shape.placed_bounds(first.pose);
        let part =
            Placed { prepared: &prepared, bounds: &bounds, tessellation: &tessellation, ..first };
        if !part.is_closed() {
            return Err(NotClosed);
        }
        if !bounds.grown(widest((part, second), band)).overlaps(second.bounds) {
            return Ok(None);
        }
        let clash = self.quick((part, second), band, 0.0, &|| false);
        Ok(clash.map(|clash| clash.verdict))
    }

    /// Finds out everything about a pair.
    fn full(
        &mut self,
        parts: Parts<'_>,
        band: Band,
        clearance: f64,
        should_stop: &dyn Fn() -> bool,
    ) -> Option<Clash> {
        let is_complete = self.find_contacts(parts, usize::MAX, should_stop);
        let is_same = are_same(&mut self.probe, parts, band);
        if self.faces.is_empty() {
            return self.apart(parts, band, clearance, is_same);
        }
        if !is_complete {
            return None;
        }
        self.common.find(parts.0, parts.1, &self.faces);
        let mut clash = match is_same {
            true => self.duplicate(parts, band),
            false => {
                let reach = self.reach(parts, band);
                match self.verdict_of(parts, band, &reach) {
                    Verdict::Penetrating => self.overlapping(parts, band, reach),
                    verdict => {
                        let mut clash = Clash::new(0, 0, verdict);
                        clash.band = if reach.depth > 0.0 {
                            reach.band_at_point
                        } else {
                            band.with(self.deviation(parts))
                        };
                        let has_solid = parts.0.solid().is_solid || parts.1.solid().is_solid;
                        let way_out = reach.separation.filter(|by| by.length() <= clash.band);
                        clash.depth = has_solid.then_some(Depth { at_least: reach.depth, way_out });
                        clash
                    }
                }
            }
        };
        let places = self.common.places();
        let main = places.iter().max_by(|p, q| p.size().total_cmp(&q.size()))?;
        clash.points = [main.point; 2];
        clash.faces = self.faces.clone();
        if clash.verdict != Verdict::Duplicate {
            clash.length = places.iter().map(|place| place.length).sum();
        }
        clash.extent = self.common.extent();
        clash.places = places;
        Some(clash)
    }

    /// Finds out the verdict of a pair, and nothing else.
    fn quick(
        &mut self,
        parts: Parts<'_>,
        band: Band,
        clearance: f64,
        should_stop: &dyn Fn() -> bool,
    ) -> Option<Clash> {
        let (first, second) = parts;
        let bodies = (first.body(), second.body());
        let is_same = are_same(&mut self.probe, parts, band);
        if !is_same && way_out::by_planes(parts, &[]).length() <= band.least() {
            if let Some(faces) = self.searcher.any_within(bodies.0, bodies.1, band.least()) {
                let mut clash = Clash::new(0, 0, Verdict::Touching);
                clash.band = band.least();
                clash.faces = vec![faces];
                clash.points = [first.triangle(faces.a)[0], second.triangle(faces.b)[0]];
                clash.extent = Bounds::enclosing(clash.points);
                return Some(clash);
            }
            let limit = clearance.max(widest(parts, band));
            let near = self.searcher.distance_within(bodies.0, bodies.1, limit)?;
            return judge_distance(parts, band, clearance, &near);
        }
        let mut clash = Clash::new(0, 0, Verdict::Duplicate);
        clash.band = band.least();
        for limit in QUICK_FACES {
            let is_complete = self.find_contacts(parts, limit, should_stop);
            let Some(pair) = self.faces.first() else {
                return self.apart(parts, band, clearance, is_same);
            };
            clash.points = [first.triangle(pair.a)[0], second.triangle(pair.b)[0]];
            clash.extent = Bounds::enclosing(clash.points);
            if is_same || should_stop() {
                break;
            }
            self.common.find(first, second, &self.faces);
            let reach = self.surface_reach(parts, band, Effort::Quick);
            clash.verdict = self.verdict_of(parts, band, &reach);
            if clash.verdict == Verdict::Penetrating {
                clash.inner = self.inner(parts, &reach, None);
                if clash.inner.is_some() {
                    clash.verdict = Verdict::Inside;
                }
                break;
            }
            if is_complete {
                break;
            }
            // The faces that were not looked at may reach deeper.
            clash.verdict = Verdict::Undecided;
        }
        Some(clash)
    }

    /// Collects the pairs of faces that touch. Returns whether these are all: the limit was not reached, and nobody
    /// wanted to stop.
    fn find_contacts(
        &mut self,
        (a, b): Parts<'_>,
        limit: usize,
        should_stop: &dyn Fn() -> bool,
    ) -> bool {
        let Self { searcher, faces, .. } = self;
        faces.clear();
        let mut is_complete = true;
        searcher.visit_within(a.body(), b.body(), 0.0, &mut |pair| {
            faces.push(pair);
            let is_due = faces.len().is_multiple_of(FACES_PER_QUESTION);
            if faces.len() >= limit || is_due && should_stop() {
                is_complete = false;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        FacePair::sort(faces);
        is_complete
    }

    /// Returns the clash between two parts whose surfaces do not meet.
    fn apart(
        &mut self,
        parts @ (first, second): Parts<'_>,
        band: Band,
        clearance: f64,
        is_same: bool,
    ) -> Option<Clash> {
        let near = |checker: &mut Self, limit: f64| {
            checker.searcher.distance_within(first.body(), second.body(), limit)
        };
        if is_same {
            let closest = near(self, f64::INFINITY)?;
            return Some(self.duplicate(parts, band).at(&closest));
        }
        let reach = match first.bounds.overlaps(second.bounds) {
            true => self.reach(parts, band),
            false => Reach::default(),
        };
        if reach.excess > 0.0 {
            let mut clash = Clash::new(0, 0, Verdict::Inside).at(&near(self, f64::INFINITY)?);
            clash.band = reach.band;
            clash.inner = self.inner_piece(parts, band);
            if clash.inner.is_none() {
                clash.verdict = Verdict::Penetrating;
            }
            clash.volume = self.volume(parts);
            clash.depth = Some(self.bracket(parts, band, &reach));
            return Some(clash);
        }
        let limit = clearance.max(widest(parts, band));
        let touching =
            near(self, limit).and_then(|near| judge_distance(parts, band, clearance, &near));
        if reach.is_undecided && touching.as_ref().is_none_or(|c| c.verdict != Verdict::Touching) {
            let mut clash = Clash::new(0, 0, Verdict::Undecided).at(&near(self, f64::INFINITY)?);
            clash.band = band.least();
            return Some(clash);
        }
        touching
    }

    /// The verdict on parts whose surfaces meet, and that are not the same part.
    fn verdict_of(&mut self, parts: Parts<'_>, band: Band, reach: &Reach) -> Verdict {
        if reach.excess > 0.0 {
            return Verdict::Penetrating;
        }
        let (a, b) = parts;
        let is_sheet = |part: Placed<'_>| !part.solid().is_whole;
        // Two solids are decided by their depth; surfaces that enclose nothing by how they cross.
        if is_sheet(a) && is_sheet(b) {
            let largest = a.bounds.largest_coordinate().max(b.bounds.largest_coordinate());
            let least_size = a.size().min(b.size());
            let near = (16.0 * f64::EPSILON * largest).max(1e-9 * least_size);
            let allowed = band.with(self.deviation(parts));
            if self.crossing.reach(parts, self.common.pieces(), near, allowed) > allowed {
                return Verdict::Penetrating;
            }
        }
        if reach.is_undecided { Verdict::Undecided } else { Verdict::Touching }
    }

    /// Returns how deep either part reaches into the other.
    fn reach(&mut self, parts @ (a, b): Parts<'_>, band: Band) -> Reach {
        let mut reach = self.surface_reach(parts, band, Effort::Full);
        let are_solids = a.solid().is_solid && b.solid().is_solid;
        if are_solids
            && reach.separation.is_none()
            && (reach.excess > 0.0 || !self.faces.is_empty())
        {
            let most = way_out::by_planes(parts, &[]).length();
            interior::deepen(&mut self.probe, parts, &overlap(parts), band, most, &mut reach);
        }
        reach
    }

    /// Returns how deep the surface of either part reaches into the other.
    fn surface_reach(&mut self, parts @ (a, b): Parts<'_>, band: Band, effort: Effort) -> Reach {
        let way_out = way_out::by_planes(parts, &[]);
        if way_out.length() <= band.least() {
            return Reach { separation: Some(way_out), ..Reach::default() };
        }
        let Self { faces, common, probe, touching, .. } = self;
        let pieces = if faces.is_empty() { &[] } else { common.pieces() };
        let mut into = |inner: Placed<'_>, outer: Placed<'_>, face: fn(&FacePair) -> u32| {
            touching.clear();
            touching.extend((0..).zip(faces.iter()).map(|(piece, pair)| (face(pair), piece)));
            touching.sort_unstable();
            probe.depth((inner, outer), touching, pieces, band, effort)
        };
        let mut reach = into(a, b, |pair| pair.a);
        if effort == Effort::Quick && reach.excess > 0.0 {
            return reach;
        }
        reach.merge(&into(b, a, |pair| pair.b));
        let are_solids = a.solid().is_solid && b.solid().is_solid;
        if are_solids && reach.excess <= 0.0 && !faces.is_empty() {
            // Where two surfaces coincide, neither has a point strictly inside the other solid,
            // however much the solids overlap.
            reach.merge(&probe.shared_depth(parts, faces, pieces, band));
        }
        reach
    }

    /// The largest deviation of two faces that touch.
    fn deviation(&self, (a, b): Parts<'_>) -> f64 {
        let of = |pair: &FacePair| a.tessellation.at(pair.a) + b.tessellation.at(pair.b);
        self.faces.iter().map(of).fold(0.0, f64::max)
    }

    fn duplicate(&mut self, parts: Parts<'_>, band: Band) -> Clash {
        let mut clash = Clash::new(0, 0, Verdict::Duplicate);
        clash.band = band.least();
        clash.volume = self.volume(parts);
        if parts.0.solid().is_solid && parts.1.solid().is_solid {
            let way_out = way_out::by_planes(parts, &[]);
            let mut reach = Reach::default();
            let (region, most) = (overlap(parts), way_out.length());
            interior::deepen(&mut self.probe, parts, &region, band, most, &mut reach);
            clash.depth = Some(Depth { at_least: reach.depth.min(most), way_out: Some(way_out) });
        }
        clash
    }

    /// Returns the clash of parts that reach deeper into each other than the touch band.
    fn overlapping(&mut self, parts: Parts<'_>, band: Band, reach: Reach) -> Clash {
        let mut clash = Clash::new(0, 0, Verdict::Penetrating);
        // Sheets that cross each other have no depth.
        clash.band = if reach.excess > 0.0 { reach.band } else { band.with(self.deviation(parts)) };
        if reach.excess <= 0.0 {
            return clash;
        }
        clash.volume = self.volume(parts);
        clash.inner = self.inner(parts, &reach, clash.volume);
        if clash.inner.is_some() {
            clash.verdict = Verdict::Inside;
        } else if let Some(fit) = fit::recognise(parts, &self.faces, &reach, clash.band) {
            clash.verdict = Verdict::Fit;
            clash.fit = Some(fit);
        }
        clash.depth = Some(self.bracket(parts, band, &reach));
        clash
    }

    /// The volume of the space inside both parts, if they are closed.
    fn volume(&mut self, parts @ (a, b): Parts<'_>) -> Option<f64> {
        if !a.is_closed() || !b.is_closed() {
            return None;
        }
        common_volume(solid_of(a), solid_of(b), &overlap(parts))
    }

    /// Which part lies inside the other as a whole, up to the touch band.
    fn inner(&mut self, (a, b): Parts<'_>, reach: &Reach, volume: Option<f64>) -> Option<Side> {
        let band = reach.band;
        let mut is_in = |inner: Placed<'_>, outer: Placed<'_>| {
            if !outer.solid().is_solid {
                return false;
            }
            let grown = outer.bounds.grown(band);
            let is_within = |point: DVec3| grown.contains(point);
            if !is_within(inner.bounds.min + band) || !is_within(inner.bounds.max - band) {
                return false;
            }
            if let Some(common) = volume.filter(|_| inner.is_closed()) {
                let own = inner.solid().volume.abs();
                if own - common > 2.0 * band * inner.area() + 1e-9 * own {
                    return false;
                }
            }
            self.probe.is_within(inner, outer, band)
        };
        if is_in(a, b) {
            Some(Side::A)
        } else if is_in(b, a) {
            Some(Side::B)
        } else {
            None
        }
    }

    /// Which part has a connected piece inside the other, for parts whose surfaces do not meet. Neither, if both have:
    /// such as a block that is larger than the cavity it lies in.
    fn inner_piece(&mut self, (a, b): Parts<'_>, band: Band) -> Option<Side> {
        let mut depth =
            |inner, outer| self.probe.depth((inner, outer), &[], &[], band, Effort::Quick).excess;
        match (depth(a, b) > 0.0, depth(b, a) > 0.0) {
            (true, true) => None,
            (true, false) => Some(Side::A),
            _ => Some(Side::B),
        }
    }

    /// Adds the normals of the faces that touch, and the directions across two of them: for boxes, one of these is the
    /// direction of the shortest way out.
    fn add_normals(&self, (a, b): Parts<'_>, directions: &mut Vec<DVec3>) {
        let mut normals: [Vec<DVec3>; 2] = Default::default();
        for pair in self.faces.iter().take(FACES_PER_QUESTION) {
            for (normals, triangle) in
                normals.iter_mut().zip([a.triangle(pair.a), b.triangle(pair.b)])
            {
                let normal = unit_normal(&triangle);
                let is_new = normals.iter().all(|known| known.cross(normal).length() > 1e-6);
                if normals.len() < MAX_NORMALS && is_new {
                    normals.push(normal);
                }
            }
        }
        directions.extend(normals.iter().flatten());
        let is_small = |part: Placed<'_>| part.mesh().faces().len() < FACES_PER_QUESTION;
        if is_small(a) && is_small(b) {
            let [of_a, of_b] = normals;
            directions.extend(of_a.iter().flat_map(|n| of_b.iter().map(|m| n.cross(*m))));
        }
    }

    /// The bracket of the depth: what was found, and a translation that frees the parts.
    fn bracket(&mut self, parts @ (a, b): Parts<'_>, band: Band, reach: &Reach) -> Depth {
        let outward = reach.outward;
        let mut directions = vec![outward, a.bounds.center() - b.bounds.center()];
        self.add_normals(parts, &mut directions);
        let mut best = way_out::by_planes(parts, &directions);
        let at_least = reach.depth.min(best.length());
        let count = self.faces.len();
        let is_far = best.length() > CLOSE * at_least;
        if is_far && count <= MAX_TRIAL_FACES && outward.length_squared() > 0.0 {
            let way = outward.normalize();
            let margin = band.least();
            // The deepest point says which surface is closest, not which part has to leave through it.
            'trials: for times in TRIALS {
                let length = at_least * times + margin;
                if length >= best.length() {
                    break;
                }
                for way in [way, -way] {
                    if self.is_free(parts, way * length, band) {
                        best = way * length;
                        break 'trials;
                    }
                }
            }
        }
        Depth { at_least, way_out: Some(best) }
    }

    /// Whether the parts are clear of each other or touch after the second part was moved.
    fn is_free(&mut self, (a, b): Parts<'_>, by: DVec3, band: Band) -> bool {
        let Ok(pose) = Pose::new(b.pose.rotation(), b.pose.translation() + by) else {
            return false;
        };
        let bounds = b.prepared.shape.placed_bounds(&pose);
        let moved = Placed { pose: &pose, bounds: &bounds, ..b };
        if !a.bounds.overlaps(&bounds) {
            return true;
        }
        let mut other = Self { searcher: std::mem::take(&mut self.searcher), ..Self::default() };
        let is_complete = other.find_contacts((a, moved), MAX_TRIAL_FACES, &|| false);
        if !other.faces.is_empty() {
            other.common.find(a, moved, &other.faces);
        }
        let is_free = is_complete && {
            let reach = other.reach((a, moved), band);
            other.faces.is_empty() && reach.excess <= 0.0 && !reach.is_undecided
                || !other.faces.is_empty()
                    && other.verdict_of((a, moved), band, &reach) == Verdict::Touching
        };
        self.searcher = other.searcher;
        is_free
    }
}

/// The closed faces of a part.
fn solid_of(part: Placed<'_>) -> Closed<'_> {
    (part.solid().mesh(part.mesh()), part.pose)
}

/// The box that both parts share.
fn overlap((a, b): Parts<'_>) -> Bounds {
    Bounds { min: a.bounds.min.max(b.bounds.min), max: a.bounds.max.min(b.bounds.max) }
}

/// The widest band of any faces of two parts.
fn widest((a, b): Parts<'_>, band: Band) -> f64 {
    band.with(a.largest_deviation + b.largest_deviation)
}

/// The verdict on parts that are neither inside each other nor meet, from their closest points.
fn judge_distance(
    (a, b): Parts<'_>,
    band: Band,
    clearance: f64,
    near: &MeshDistance,
) -> Option<Clash> {
    let deviation = a.tessellation.at(near.faces.a) + b.tessellation.at(near.faces.b);
    let allowed = band.with(deviation);
    let verdict = if near.distance <= allowed {
        Verdict::Touching
    } else if near.distance < clearance {
        Verdict::Clearance
    } else {
        return None;
    };
    let mut clash = Clash::new(0, 0, verdict).at(near);
    clash.band = allowed;
    Some(clash)
}

impl Clash {
    /// The same clash between surfaces that do not meet; `near` holds their closest points.
    fn at(self, near: &MeshDistance) -> Self {
        Self {
            distance: near.distance,
            points: [near.a, near.b],
            faces: vec![near.faces],
            extent: Bounds::enclosing([near.a, near.b]),
            ..self
        }
    }
}
