//! Cutter compensation: `G41` and `G42` offset the path by the radius of the cutter.
//!
//! Segments and arcs are offset to the side. At an outside corner the tool goes around the corner on an arc; at an
//! inside corner both offset pieces end where they meet. The end of a piece is known when the next one comes, so one
//! piece is held back, with the moves along the normal that follow it.

use super::{
    fault::{Fault, Result},
    output::{Output, Piece},
    plane::Plane,
};
use crate::program::gcode::arc::ArcShape;
use impinge::glam::DVec2;

/// Ends of offset pieces that are closer than this are the same point, in millimetres.
const SAME_POINT: f64 = 1e-9;

/// A gap at an inside corner of pieces that nearly continue each other, in millimetres. It is bridged if rounding has
/// left no point where they meet.
const BRIDGED_GAP: f64 = 1e-4;

/// The most moves along the normal that are held back.
const MOST_HELD: usize = 100_000;

/// An active compensation.
#[derive(Debug)]
pub(super) struct Compensation {
    plane: Plane,
    /// 1 if the tool is to the left of the path (`G41`), -1 to the right.
    side: f64,
    /// The radius of the cutter, in millimetres.
    radius: f64,
    last: Option<Offset>,
    held: Vec<Piece>,
}

/// A piece and the ends of its offset path in the plane.
#[derive(Debug)]
struct Offset {
    piece: Piece,
    start: DVec2,
    end: DVec2,
    /// The first piece leads from the path without compensation to the offset path.
    is_entry: bool,
}

/// A line or a circle that carries an offset piece.
enum Carrier {
    Line { point: DVec2, direction: DVec2 },
    Circle { center: DVec2, radius: f64 },
}

impl Compensation {
    /// Starts a compensation. The tool is to the left of the path if `left`; `radius` is in millimetres and positive.
    pub(super) fn new(plane: Plane, left: bool, radius: f64) -> Self {
        let side = if left { 1.0 } else { -1.0 };
        Self { plane, side, radius, last: None, held: Vec::new() }
    }

    /// The G code in tenths, without a fraction: 410 or 420.
    pub(super) fn code(&self) -> f64 {
        if self.side > 0.0 { 410.0 } else { 420.0 }
    }

    /// Whether `other` would do the same to the moves that come.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.side == other.side && self.radius == other.radius
    }

    /// Takes the next piece of the programmed path, and emits what is now known of the offset path.
    pub(super) fn push(&mut self, piece: &Piece, output: &mut Output) -> Result<()> {
        let [from, to] = [&piece.from, &piece.to].map(|end| self.plane.flat(end));
        if piece.from[3..] != piece.to[3..] {
            return Err(Fault::new("rotary axes cannot turn during cutter compensation"));
        }
        if from == to && piece.arc.is_none() {
            if self.last.is_none() {
                return output.push(piece);
            }
            if self.held.len() >= MOST_HELD {
                return Err(Fault::new(
                    "too many moves without motion in the plane during cutter compensation",
                ));
            }
            self.held.push(*piece);
            return Ok(());
        }
        if let Some(last) = self.last.take() {
            return self.join(last, piece, output);
        }
        if piece.arc.is_some() {
            return Err(Fault::new("the first move after G41 or G42 must be straight"));
        }
        if from.distance(to) <= self.radius {
            return Err(Fault::new(format!(
                "the first move after G41 or G42 is {:.6} mm long; it must be longer than the radius of the cutter, {:.6} mm",
                from.distance(to),
                self.radius
            )));
        }
        let end = to + self.beside(end_direction(self.plane, piece));
        self.last = Some(Offset { piece: *piece, start: from, end, is_entry: true });
        Ok(())
    }

    /// Ends the compensation: emits what was held back. Returns where the tool is in the plane, if it has left the
    /// programmed path.
    pub(super) fn finish(mut self, output: &mut Output) -> Result<Option<DVec2>> {
        let Some(last) = self.last.take() else { return Ok(None) };
        let end = last.end;
        self.flush(&last, output)?;
        Ok(Some(end))
    }

    /// From the path to the tool, for a direction of the path.
    fn beside(&self, direction: DVec2) -> DVec2 {
        direction.perp() * (self.side * self.radius)
    }

    fn join(&mut self, mut last: Offset, piece: &Piece, output: &mut Output) -> Result<()> {
        let plane = self.plane;
        let corner = plane.flat(&piece.from);
        let before = end_direction(plane, &last.piece);
        let after = start_direction(plane, piece);
        let mut next = Offset {
            piece: *piece,
            start: corner + self.beside(after),
            end: plane.flat(&piece.to) + self.beside(end_direction(plane, piece)),
            is_entry: false,
        };
        let carrier = self.carrier(&next, corner)?;
        let gap = last.end.distance(next.start);
        let turn = before.perp_dot(after);
        if gap < SAME_POINT {
            next.start = last.end;
            self.flush(&last, output)?;
        } else if turn * self.side > 0.0 {
            let last_corner = plane.flat(&last.piece.to);
            let meeting =
                self.carrier(&last, last_corner)?.meeting(&carrier, last.end.midpoint(next.start));
            match meeting {
                Some(point) if gap >= BRIDGED_GAP || point.distance(last.end) < BRIDGED_GAP => {
                    (last.end, next.start) = (point, point);
                    self.flush(&last, output)?;
                }
                _ if gap < BRIDGED_GAP => {
                    let start = last.end;
                    self.flush(&last, output)?;
                    self.bridge(piece, [start, next.start], None, output)?;
                }
                _ => return Err(self.too_tight()),
            }
        } else {
            let start = last.end;
            self.flush(&last, output)?;
            let angle = libm::atan2(turn.abs(), before.dot(after));
            let arc = ArcShape { plane, center: corner, sweep: -self.side * angle };
            self.bridge(piece, [start, next.start], Some(arc), output)?;
        }
        self.last = Some(next);
        Ok(())
    }

    fn too_tight(&self) -> Fault {
        Fault::new(format!(
            "the cutter of radius {:.6} mm does not fit into the inside corner or arc",
            self.radius
        ))
    }

    /// The line or circle of an offset piece. `corner` is its programmed end at the corner in question.
    fn carrier(&self, offset: &Offset, corner: DVec2) -> Result<Carrier> {
        Ok(match offset.piece.arc {
            None => Carrier::Line {
                point: offset.end,
                direction: end_direction(self.plane, &offset.piece),
            },
            Some(arc) => {
                let inset = self.side * arc.sweep.signum() * self.radius;
                let ends = [&offset.piece.from, &offset.piece.to].map(|end| self.plane.flat(end));
                if ends.iter().any(|end| end.distance(arc.center) <= inset) {
                    return Err(self.too_tight());
                }
                Carrier::Circle { center: arc.center, radius: corner.distance(arc.center) - inset }
            }
        })
    }

    /// Emits an offset piece and the moves along the normal after it.
    fn flush(&mut self, offset: &Offset, output: &mut Output) -> Result<()> {
        let plane = self.plane;
        let mut piece = offset.piece;
        let line = piece.line;
        match &mut piece.arc {
            None if offset.is_entry => {}
            None => {
                let way = offset.end - offset.start;
                if way.dot(end_direction(plane, &offset.piece)) < -SAME_POINT {
                    return Err(self.too_tight().on_line(line));
                }
            }
            Some(arc) => {
                let angle = |programmed: &[f64; 6], end: DVec2| {
                    let (from, to) = (plane.flat(programmed) - arc.center, end - arc.center);
                    // An arc inside of which the tool runs keeps its direction from the centre.
                    libm::atan2(from.perp_dot(to), from.dot(to))
                };
                let sweep =
                    arc.sweep + angle(&piece.to, offset.end) - angle(&piece.from, offset.start);
                if sweep * arc.sweep < 0.0 {
                    return Err(self.too_tight().on_line(line));
                }
                arc.sweep = sweep;
            }
        }
        set_flat(plane, &mut piece.from, offset.start);
        set_flat(plane, &mut piece.to, offset.end);
        if piece.from != piece.to || piece.arc.is_some() {
            output.push(&piece)?;
        }
        for mut held in self.held.drain(..) {
            set_flat(plane, &mut held.from, offset.end);
            set_flat(plane, &mut held.to, offset.end);
            output.push(&held)?;
        }
        Ok(())
    }

    /// Emits the way around a corner, at the height where `piece` starts.
    fn bridge(
        &self,
        piece: &Piece,
        [from, to]: [DVec2; 2],
        arc: Option<ArcShape>,
        output: &mut Output,
    ) -> Result<()> {
        let mut bridge = Piece { to: piece.from, arc, ..*piece };
        set_flat(self.plane, &mut bridge.from, from);
        set_flat(self.plane, &mut bridge.to, to);
        output.push(&bridge)
    }
}

impl Carrier {
    /// The point that both share; the one nearest to `near` if there are two.
    fn meeting(&self, other: &Self, near: DVec2) -> Option<DVec2> {
        let nearest = |points: [DVec2; 2]| {
            let [a, b] = points;
            Some(if a.distance_squared(near) <= b.distance_squared(near) { a } else { b })
        };
        match (self, other) {
            (&Self::Line { point, direction }, &Self::Line { point: other, direction: along }) => {
                let cross = direction.perp_dot(along);
                if cross.abs() < 1e-12 {
                    return None;
                }
                Some(point + direction * ((other - point).perp_dot(along) / cross))
            }
            (&Self::Line { point, direction }, &Self::Circle { center, radius })
            | (&Self::Circle { center, radius }, &Self::Line { point, direction }) => {
                let foot = point + direction * (center - point).dot(direction);
                let half = half_chord(radius, foot.distance(center))?;
                nearest([foot - direction * half, foot + direction * half])
            }
            (
                &Self::Circle { center, radius },
                &Self::Circle { center: other, radius: other_radius },
            ) => {
                let distance = center.distance(other);
                if distance < 1e-12 {
                    return None;
                }
                let along = (other - center) / distance;
                let to_foot =
                    (distance + (radius - other_radius) * (radius + other_radius) / distance) / 2.0;
                let foot = center + along * to_foot;
                let half = half_chord(radius, to_foot.abs())?;
                nearest([foot - along.perp() * half, foot + along.perp() * half])
            }
        }
    }
}

/// Half of the chord at a distance from the centre of a circle. A distance that is larger by rounding counts as equal.
fn half_chord(radius: f64, distance: f64) -> Option<f64> {
    let square = (radius - distance) * (radius + distance);
    (square >= -1e-9 * radius).then(|| square.max(0.0).sqrt())
}

fn set_flat(plane: Plane, position: &mut [f64; 6], flat: DVec2) {
    let [u, v, _] = plane.axes();
    (position[u], position[v]) = (flat.x, flat.y);
}

fn start_direction(plane: Plane, piece: &Piece) -> DVec2 {
    direction(plane, piece, &piece.from)
}

fn end_direction(plane: Plane, piece: &Piece) -> DVec2 {
    direction(plane, piece, &piece.to)
}

/// The unit direction of the programmed path at one of its ends.
fn direction(plane: Plane, piece: &Piece, at: &[f64; 6]) -> DVec2 {
    match piece.arc {
        None => (plane.flat(&piece.to) - plane.flat(&piece.from)).normalize_or_zero(),
        Some(arc) => (plane.flat(at) - arc.center).perp().normalize_or_zero() * arc.sweep.signum(),
    }
}
