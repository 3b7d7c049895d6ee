//! The check of a whole program.
//!
//! Moves are checked in groups of neighbours, which threads take one by one. What a group finds depends on its moves alone,
//! so the result is the same for any number of threads.

use crate::{
    Gouge, Motion, Move, MoveKind, Options, Outcome, Program, Role, Setup, Tool, ToolPartKind,
    depth::{Deepest, DepthSearch},
    sweep::{Piece, Touch, faces_touched, find_touches, swept},
};
use impinge::{
    Pose, Threads,
    glam::DVec3,
    method::{PointScratch, SolidScratch},
    solid::SweptSolid,
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// The number of moves in a group.
const GROUP: usize = 64;

/// The largest difference of the two bounds of a depth, relative to the tolerance. The result is between them.
const ACCURACY: f64 = 1.8;

/// Receives the progress of a check, and can end it.
pub trait Watch: Sync {
    /// Called from time to time, from any thread, with the number of moves that are checked so far. Returning `false` ends
    /// the check.
    fn moves_checked(&self, _moves: usize) -> bool {
        true
    }
}

impl Watch for () {}

/// Why a check has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckError {
    /// The tool of a move is not known.
    NoTool {
        /// The number of the tool.
        tool: u32,
        /// The line of the program.
        line: u32,
    },
    /// The watcher ended the check.
    Ended,
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoTool { tool, line } => write!(f, "line {line}: there is no tool {tool}"),
            Self::Ended => f.write_str("the check was ended"),
        }
    }
}

impl std::error::Error for CheckError {}

/// Checks every move of a program against every body of a setup. `tools` has the tool for each number that the program uses.
///
/// # Errors
/// If a tool is missing, or if the watcher ended the check.
pub fn check(
    program: &Program,
    tools: &BTreeMap<u32, Tool>,
    setup: &Setup,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Outcome, CheckError> {
    if let Some(step) = program.moves.iter().find(|step| !tools.contains_key(&step.tool)) {
        return Err(CheckError::NoTool { tool: step.tool, line: step.line });
    }
    let reach = reach_above(program, setup);
    let prepared: BTreeMap<u32, Vec<PreparedPart>> = tools
        .iter()
        .map(|(&number, tool)| (number, prepare(&tool.with_reach(reach), reach, options.tolerance)))
        .collect();
    let (done, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    // A single move can take long, too.
    let is_ended = || {
        if !watch.moves_checked(done.load(Ordering::Relaxed)) {
            is_over.store(true, Ordering::Relaxed);
        }
        is_over.load(Ordering::Relaxed)
    };
    let checker = Checker { tools: &prepared, reach, setup, options, is_ended: &is_ended };
    let check_group = |memory: &mut Memory, (group, moves): (usize, &[Move])| {
        if is_over.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let gouges = checker.check_group(group * GROUP, moves, memory);
        let done = done.fetch_add(moves.len(), Ordering::Relaxed) + moves.len();
        if !watch.moves_checked(done) {
            is_over.store(true, Ordering::Relaxed);
        }
        gouges
    };
    let gouges: Vec<Gouge> = match options.threads {
        Threads::One => {
            let mut memory = Memory::default();
            let groups = program.moves.chunks(GROUP).enumerate();
            groups.flat_map(|group| check_group(&mut memory, group)).collect()
        }
        Threads::Pool => {
            let groups = program.moves.par_chunks(GROUP).enumerate();
            groups.map_init(Memory::default, check_group).flatten_iter().collect()
        }
    };
    if is_over.into_inner() {
        return Err(CheckError::Ended);
    }
    Ok(Outcome::new(program.moves.len(), gouges))
}

/// A height from which a tool reaches beyond all bodies, wherever its tip is on the path.
fn reach_above(program: &Program, setup: &Setup) -> f64 {
    let mut bounds = setup.bounds();
    for step in &program.moves {
        // Arcs leave the box of their ends.
        let stretch = step.motion.stretch(0.0, 1.0);
        let off = DVec3::splat(stretch.tip_error);
        for tip in [stretch.from, stretch.from + stretch.travel] {
            bounds.min = bounds.min.min(tip - off);
            bounds.max = bounds.max.max(tip + off);
        }
    }
    let size = bounds.size().length();
    if size.is_finite() && size > 0.0 { 2.0 * size } else { Tool::DEFAULT_REACH }
}

/// A part of a tool, ready for the check: its convex pieces.
#[derive(Debug)]
struct PreparedPart {
    kind: ToolPartKind,
    pieces: Vec<Piece>,
    /// The same with all points above them, for open surfaces.
    raised: Vec<Piece>,
}

fn prepare(tool: &Tool, reach: f64, tolerance: f64) -> Vec<PreparedPart> {
    let mut parts: Vec<PreparedPart> = Vec::new();
    for part in &tool.parts {
        let kind = part.kind;
        let place = parts.iter().position(|known| known.kind == kind).unwrap_or_else(|| {
            parts.push(PreparedPart { kind, pieces: Vec::new(), raised: Vec::new() });
            parts.len() - 1
        });
        parts[place].pieces.push(Piece::new(part.solid, tolerance));
        parts[place].raised.push(Piece::raised(&part.solid, reach, tolerance));
    }
    parts
}

/// Memory of a thread, reused from group to group.
#[derive(Default)]
struct Memory {
    scratch: SolidScratch,
    points: PointScratch,
    touches: Vec<Touch>,
}

struct Checker<'c> {
    tools: &'c BTreeMap<u32, Vec<PreparedPart>>,
    /// A height from which a tool reaches beyond all bodies.
    reach: f64,
    setup: &'c Setup,
    options: &'c Options,
    is_ended: &'c (dyn Fn() -> bool + Sync),
}

/// A part of a tool and a body that must keep apart.
#[derive(Clone, Copy)]
struct Rule<'c> {
    part: &'c PreparedPart,
    body: usize,
    /// The distance that they must keep.
    margin: f64,
}

impl Checker<'_> {
    /// The gouges of some neighbouring moves, of which the first has the number `first`.
    fn check_group(&self, first: usize, moves: &[Move], memory: &mut Memory) -> Vec<Gouge> {
        let mut gouges = Vec::new();
        // Runs of moves with the same tool.
        for run in moves.chunk_by(|a, b| a.tool == b.tool) {
            let parts = &self.tools[&run[0].tool];
            let first = first + offset_in(moves, run);
            for body in 0..self.setup.bodies.len() {
                for part in parts {
                    let rule = Rule { part, body, margin: self.margin(part.kind, body) };
                    self.check_run(first, run, &rule, memory, &mut gouges);
                }
            }
        }
        gouges.sort_by_key(|gouge: &Gouge| (gouge.move_index, gouge.body, gouge.with));
        gouges
    }

    /// The distance that a part of a tool must keep from a body.
    fn margin(&self, kind: ToolPartKind, body: usize) -> f64 {
        match (kind, self.setup.bodies[body].role) {
            (ToolPartKind::Cutter, Role::Part) => self.options.stock_to_leave,
            (ToolPartKind::Cutter, _) => 0.0,
            _ => self.options.clearance,
        }
    }

    /// The gouges of one part of a tool and one body, for moves with the same tool.
    fn check_run(
        &self,
        first: usize,
        run: &[Move],
        rule: &Rule<'_>,
        memory: &mut Memory,
        gouges: &mut Vec<Gouge>,
    ) {
        let is_cutting = |step: &Move| {
            self.setup.bodies[rule.body].role == Role::Stock
                && rule.part.kind == ToolPartKind::Cutter
                && step.kind == MoveKind::Feed
        };
        let is_solid = self.setup.bodies[rule.body].is_solid();
        let pieces = if is_solid { &rule.part.pieces } else { &rule.part.raised };
        for piece in pieces {
            self.start_near(run, piece, rule, &mut memory.scratch);
            // A tool that touches no face stays on its side of the surface, so its side is asked for only after a move that
            // touched some, and where the path is interrupted.
            let mut is_known_outside = false;
            let mut last_tip = None;
            for (index, step) in run.iter().enumerate() {
                if is_cutting(step) {
                    is_known_outside = false;
                    continue;
                }
                if last_tip != Some(step.motion.pose_at(0.0).tip) {
                    is_known_outside = false;
                }
                last_tip = Some(step.motion.pose_at(1.0).tip);
                let mut is_hit = self.touches(step, piece, rule, false, memory);
                if !is_hit && !is_known_outside && self.is_inside(step, piece, rule, memory) {
                    is_hit = self.touches(step, piece, rule, true, memory);
                }
                is_known_outside = !is_hit;
                if is_hit
                    && let Some(found) = self.measure(first + index, step, piece, rule, memory)
                {
                    add(gouges, found);
                }
            }
        }
        memory.scratch.drop_front();
    }

    /// Makes the searches of a run start near its moves.
    fn start_near(&self, run: &[Move], piece: &Piece, rule: &Rule<'_>, scratch: &mut SolidScratch) {
        scratch.drop_front();
        let is_straight = |step: &Move| matches!(step.motion, Motion::Straight { .. });
        if !self.options.coherence || run.len() < 4 || !run.iter().all(is_straight) {
            return;
        }
        let start = run[0].motion.pose_at(0.0);
        let travel = run[run.len() - 1].motion.pose_at(1.0).tip - start.tip;
        let mut away = 0.0_f64;
        for step in run {
            for time in [0.0, 1.0] {
                let pose = step.motion.pose_at(time);
                if pose.axis != start.axis {
                    return;
                }
                away = away.max(distance_to_segment(pose.tip - start.tip, travel));
            }
        }
        let region = SweptSolid::new(piece.hull, start.tip, start.axis)
            .swept(travel)
            .enlarged(away * (1.0 + 1e-9) + rule.margin + self.options.tolerance);
        self.setup.bodies[rule.body].shape.start_near(&Pose::IDENTITY, &region, scratch);
    }

    fn touches(
        &self,
        step: &Move,
        piece: &Piece,
        rule: &Rule<'_>,
        is_inside: bool,
        memory: &mut Memory,
    ) -> bool {
        let body = &self.setup.bodies[rule.body];
        let limits = (rule.margin, self.options.tolerance);
        let memory = (&mut memory.scratch, &mut memory.points, &mut memory.touches);
        find_touches(&step.motion, piece, body, limits, is_inside, memory, self.is_ended)
    }

    /// Whether a piece that touches no face of a body is inside of it.
    fn is_inside(&self, step: &Move, piece: &Piece, rule: &Rule<'_>, memory: &mut Memory) -> bool {
        let point = piece.point(&step.motion.stretch(0.0, 0.0));
        self.setup.bodies[rule.body].contains(point, &mut memory.points)
    }

    /// Measures how deep a piece of a tool reaches into a body during a move. `None` if it turns out to reach in by no more than
    /// the tolerance.
    fn measure(
        &self,
        move_index: usize,
        step: &Move,
        piece: &Piece,
        rule: &Rule<'_>,
        memory: &mut Memory,
    ) -> Option<Gouge> {
        let body = &self.setup.bodies[rule.body];
        // Deepest points and lifts may be found anywhere, so the front of the clear moves does not serve here.
        memory.scratch.drop_front();
        let Memory { scratch, points, touches } = memory;
        let mut faces = faces_touched(piece, body, rule.margin, scratch, touches);
        let mut best: Option<Deepest> = None;
        let mut deepest_touch = touches[0];
        let tolerance = self.options.tolerance;
        // The enclosures of the stretches deviate from the true motion.
        let deviation = touches.iter().map(|touch| touch.deviation).fold(0.0, f64::max);
        let accuracy = (ACCURACY * tolerance - 2.0 * deviation).max(0.2 * tolerance);
        let (mut lift, mut is_grazing) = (0.0, true);
        for (index, touch) in touches.iter().enumerate() {
            if index % 64 == 63 && (self.is_ended)() {
                break;
            }
            let solid = swept(piece.hull, &touch.stretch, 0.0);
            let mut hint = None;
            let enlarged = solid.enlarged(rule.margin);
            for &face in &faces {
                let triangle = body.mesh().triangle(face);
                let accuracy = 0.1 * tolerance;
                let axis = touch.stretch.axis;
                let higher = enlarged.leaving_move(&triangle, axis, lift, accuracy);
                if higher > lift {
                    (lift, hint) = (higher, Some(face));
                }
            }
            let before = best.map(|best| best.depth);
            let mut search = DepthSearch {
                body,
                allowance: rule.margin,
                accuracy,
                up: touch.stretch.axis,
                hint,
                scratch,
                points,
            };
            // A sharp rim is made smaller by less than the tolerance along the axis, and across it.
            is_grazing = is_grazing && search.is_clear_after(&solid, tolerance - deviation);
            search.deepen(&solid, &faces, &mut best);
            if best.map(|best| best.depth) != before {
                deepest_touch = *touch;
            }
        }
        let nothing = Deepest { depth: 0.0, at: touches[0].stretch.from, most: 0.0 };
        let best = best.unwrap_or(nothing);
        if is_grazing {
            return None;
        }
        let lift = self.lift_out(piece, rule, lift, scratch, points, touches);
        let time = time_at(&step.motion, piece, &deepest_touch, best.at, 0.1 * tolerance);
        let pose = step.motion.pose_at(time);
        let face_count = faces.len();
        faces.truncate(self.options.most_faces);
        Some(Gouge {
            move_index,
            line: step.line,
            kind: step.kind,
            tool: step.tool,
            with: rule.part.kind,
            body: rule.body,
            depth: best.estimate(accuracy).max(0.0),
            depth_at_most: best.most.max(best.depth).max(0.0) + deviation,
            lift,
            at: best.at,
            time,
            tip: pose.tip,
            axis: pose.axis,
            faces,
            face_count,
        })
    }
}

impl Checker<'_> {
    /// How far a piece must be lifted to be out of a body, if `lift` clears the faces that it touches. A short piece that is
    /// wholly inside touches none, and one that pokes out of the bottom is inside once it is lifted. Such a piece is lifted
    /// through all faces above it.
    fn lift_out(
        &self,
        piece: &Piece,
        rule: &Rule<'_>,
        mut lift: f64,
        scratch: &mut SolidScratch,
        points: &mut PointScratch,
        touches: &[Touch],
    ) -> f64 {
        let body = &self.setup.bodies[rule.body];
        // What is above an open surface is part of the piece already.
        if !body.is_solid() {
            return lift;
        }
        let tolerance = self.options.tolerance;
        let column = Piece::raised(&piece.hull, self.reach, tolerance).hull;
        for touch in touches {
            let stretch = touch.stretch;
            let up = stretch.axis * lift;
            let lifted = swept(piece.shrunk, &stretch, rule.margin).moved(up);
            let is_free = !body.contains(piece.point(&stretch) + up, points)
                && !body.shape.touches_swept(&Pose::IDENTITY, &lifted, scratch);
            if is_free {
                continue;
            }
            let solid = swept(piece.hull, &stretch, rule.margin);
            let above = swept(column, &stretch, rule.margin);
            body.shape.visit_near_solid(&Pose::IDENTITY, &above, scratch, |_, triangle| {
                lift = solid.clearing_move(triangle, stretch.axis, lift, 0.1 * tolerance);
                ControlFlow::Continue(())
            });
        }
        lift
    }
}

/// Adds a gouge; if the same part of the tool gouges the same body in the same move already, the two are joined.
fn add(gouges: &mut Vec<Gouge>, found: Gouge) {
    let is_same = |known: &&mut Gouge| {
        known.move_index == found.move_index && known.body == found.body && known.with == found.with
    };
    let Some(known) = gouges.iter_mut().find(is_same) else {
        gouges.push(found);
        return;
    };
    let mut faces = std::mem::take(&mut known.faces);
    faces.extend(&found.faces);
    faces.sort_unstable();
    faces.dedup();
    let lift = known.lift.max(found.lift);
    let depth_at_most = known.depth_at_most.max(found.depth_at_most);
    // Lists that were cut off may have had more faces in common.
    let face_count = faces.len().max(known.face_count).max(found.face_count);
    if found.depth > known.depth {
        *known = found;
    }
    (known.lift, known.faces, known.face_count) = (lift, faces, face_count);
    known.depth_at_most = depth_at_most;
}

/// The place of a part of a slice in the slice.
fn offset_in(moves: &[Move], run: &[Move]) -> usize {
    (run.as_ptr() as usize - moves.as_ptr() as usize) / size_of::<Move>()
}

/// The distance of a point from the segment between the origin and another point.
fn distance_to_segment(point: DVec3, end: DVec3) -> f64 {
    let whole = end.length_squared();
    let share = if whole > 0.0 { (point.dot(end) / whole).clamp(0.0, 1.0) } else { 0.0 };
    (point - end * share).length()
}

/// The time of a move at which a piece of the tool reaches a point of its sweep, or comes closest to it.
fn time_at(motion: &Motion, piece: &Piece, touch: &Touch, point: DVec3, accuracy: f64) -> f64 {
    // The distance of a convex solid, as it is translated, from a point is a convex function of time.
    let distance = |time: f64| {
        let pose = motion.pose_at(time);
        SweptSolid::new(piece.hull, pose.tip, pose.axis).distance_to_point(point).upper
    };
    let [mut start, mut end] = touch.times;
    let length = touch.stretch.travel.length();
    let whole = end - start;
    for _ in 0..64 {
        if (end - start) * length <= accuracy * whole {
            break;
        }
        let third = (end - start) / 3.0;
        let (early, late) = (start + third, end - third);
        let (at_early, at_late) = (distance(early), distance(late));
        if at_early == 0.0 {
            return early;
        }
        if at_early <= at_late {
            end = late;
        } else {
            start = early;
        }
    }
    0.5 * (start + end)
}
