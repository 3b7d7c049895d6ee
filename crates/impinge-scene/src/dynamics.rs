//! The forces on bodies in free flight, the restitution of hits, and the walls of the room.

use crate::{
    flight::Forces,
    motion::{Flight, MotionKind, Mover},
};
use impinge::{Bounds, Pose, glam::DVec3};

/// Forces, walls and restitution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dynamics {
    pub(super) forces: Forces,
    /// The share of the normal velocity that is left after a hit, from 0 to 1.
    pub(super) restitution: f64,
    pub(super) room: Option<Bounds>,
}

impl Default for Dynamics {
    fn default() -> Self {
        Self { forces: Forces::default(), restitution: 1.0, room: None }
    }
}

impl Dynamics {
    /// Returns whether a body is in flight, and would be beyond a wall at a pose.
    pub(super) fn is_beyond_walls(&self, mover: &Mover, pose: &Pose) -> bool {
        let (Some(room), Some(flight)) = (&self.room, mover.flight()) else { return false };
        let is_within =
            |low: DVec3, high: DVec3| low.cmpge(room.min).all() && high.cmple(room.max).all();
        // The box encloses all corners, and is computed faster.
        let bounds = mover.shape.placed_bounds(pose);
        if is_within(bounds.min, bounds.max) {
            return false;
        }
        let mut corners = flight.outline.iter().map(|&corner| pose.place(corner));
        !corners.all(|corner| is_within(corner, corner))
    }

    /// Returns the corner that is farthest beyond each wall, and the direction into the room.
    pub(super) fn corners_beyond_walls(&self, flight: &Flight, pose: &Pose) -> Vec<(DVec3, DVec3)> {
        let Some(room) = &self.room else { return Vec::new() };
        let mut found = Vec::new();
        for inward in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
            let wall = if inward.max_element() > 0.0 { room.min } else { room.max };
            let inside = |corner: DVec3| (pose.place(corner) - wall).dot(inward);
            let depths = flight.outline.iter().map(|&corner| (inside(corner), corner));
            let deepest = depths.min_by(|(a, _), (b, _)| a.total_cmp(b));
            found.extend(
                deepest.filter(|(inside, _)| *inside < 0.0).map(|(_, corner)| (corner, inward)),
            );
        }
        found
    }
}

/// Reflects a billiard body that has passed a wall.
pub(super) fn keep_in(room: &Bounds, mover: &mut Mover) {
    if !matches!(mover.kind, MotionKind::Billiard(_)) {
        return;
    }
    let bounds = mover.bounds();
    if bounds.is_empty() {
        return;
    }
    for axis in 0..3 {
        let below = room.min[axis] - bounds.min[axis];
        let above = bounds.max[axis] - room.max[axis];
        if below > 0.0 {
            mover.center[axis] += below;
            mover.velocity[axis] = mover.velocity[axis].abs();
        } else if above > 0.0 {
            mover.center[axis] -= above;
            mover.velocity[axis] = -mover.velocity[axis].abs();
        }
    }
}
