//! Bounds on how far a motion of all axes departs from a straight motion of the tip without turning.

use super::Machine;
use impinge::glam::DVec3;

/// The motion of a point during a unit of time.
struct Bounded {
    /// Where the point is at time 0 and at time 1.
    ends: [DVec3; 2],
    /// An upper bound on the speed.
    speed: f64,
    /// An upper bound on the magnitude of the acceleration.
    acceleration: f64,
    /// The largest distance from the origin of any point that took part, for the bound on rounding errors.
    size: f64,
}

impl Bounded {
    /// Turns the point around an axis, through the angles at both ends, at a constant rate.
    ///
    /// The new position is c + R(θ(t)) · (y(t) − c), where c is on the axis. With the rate ω = |θ'|, the derivatives of
    /// R have magnitudes ω and ω² on the part of y − c that is at a right angle to the axis. If that part is at most ρ
    /// long, the product rule gives
    ///
    /// - speed ≤ |y'| + ω · ρ
    /// - acceleration ≤ |y''| + 2 · ω · |y'| + ω² · ρ.
    ///
    /// For ρ: y stays within |y''| / 8 of the chord between its ends (see [`Machine::sagitta`]), and the distance from an
    /// axis is a convex function along the chord, so it is greatest at an end.
    fn turn(&mut self, point: DVec3, direction: DVec3, angles: [f64; 2]) {
        let rate = (angles[1] - angles[0]).abs();
        let distance = |end: DVec3| direction.cross(end - point).length();
        let radius = self.ends.map(distance).into_iter().fold(0.0, f64::max);
        let radius = radius + self.acceleration / 8.0;
        self.acceleration += 2.0 * rate * self.speed + rate * rate * radius;
        self.speed += rate * radius;
        for (end, angle) in self.ends.iter_mut().zip(angles) {
            *end = point + super::turned(*end - point, direction, angle);
        }
        self.grow_size(point);
    }

    /// Adds a motion along a segment.
    fn translate(&mut self, [from, to]: [DVec3; 2]) {
        self.ends[0] += from;
        self.ends[1] += to;
        self.speed += from.distance(to);
        self.grow_size(DVec3::ZERO);
    }

    fn grow_size(&mut self, point: DVec3) {
        self.size += point.length() + self.ends[0].length() + self.ends[1].length();
    }
}

impl Machine {
    /// An upper bound on the angle through which the direction of the tool turns while all axes move linearly from one
    /// position to another, in radians: the sum over the rotary axes.
    ///
    /// It bounds the length of the path on the unit sphere, so it bounds the angle between the directions at any two
    /// times as well.
    pub fn turning(&self, from: [f64; 6], to: [f64; 6]) -> f64 {
        self.rotary.iter().map(|axis| (to[axis.index()] - from[axis.index()]).abs()).sum()
    }

    /// An upper bound on the distance, at any time t from 0 to 1, between the tip while all axes move linearly from one
    /// position to another, and the point that moves uniformly along the chord between the two end positions of the tip.
    /// In millimetres.
    ///
    /// Let e(t) be the difference of the two points. It is 0 at t = 0 and at t = 1, and e'' is the acceleration p'' of
    /// the tip, since the chord has none. If |p''| ≤ a, then |e(t)| ≤ a · t · (1 − t) / 2 ≤ a / 8: in every direction u,
    /// the function e·u − a · t · (1 − t) / 2 is convex and 0 at both ends, so it is nowhere positive. A bound a follows
    /// along the chain of axes: the head axes turn the tip, X, Y and Z move it, and the table axes turn it.
    ///
    /// For a turn by ω around one axis at distance ρ the bound is ω² · ρ / 8, and the true value is ρ · (1 − cos(ω / 2)).
    /// Half the time span has a quarter of the bound.
    pub fn sagitta(&self, from: [f64; 6], to: [f64; 6]) -> f64 {
        if self.tip_programmed {
            return 0.0;
        }
        let mut tip = Bounded { ends: [DVec3::ZERO; 2], speed: 0.0, acceleration: 0.0, size: 0.0 };
        for head in self.heads() {
            let angles = [from, to].map(|axes| axes[head.index()]);
            tip.turn(self.pivot(head), head.direction, angles);
        }
        tip.translate([from, to].map(|axes| DVec3::new(axes[0], axes[1], axes[2])));
        for table in self.tables() {
            let angles = [from, to].map(|axes| -axes[table.index()]);
            tip.turn(table.point, table.direction, angles);
        }
        // The first term is for the rounding of the bound itself. The second is for the rounding of the positions: each
        // turn rounds a few times, relative to the lengths of the vectors in it, whose sum is `size`.
        tip.acceleration / 8.0 * (1.0 + 1e-12) + 16.0 * f64::EPSILON * tip.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::Random;

    /// The greatest distance between tip and chord point, and the greatest angle from the first direction, sampled.
    fn sampled(machine: &Machine, from: [f64; 6], to: [f64; 6]) -> (f64, f64) {
        let (first, last) = (machine.tool_pose(from), machine.tool_pose(to));
        let (mut distance, mut angle) = (0.0, 0.0);
        for step in 0..=1000 {
            let t = f64::from(step) / 1000.0;
            let axes = std::array::from_fn(|axis| from[axis] + t * (to[axis] - from[axis]));
            let pose = machine.tool_pose(axes);
            distance = f64::max(distance, pose.tip.distance(first.tip.lerp(last.tip, t)));
            angle = f64::max(angle, pose.axis.angle_between(first.axis));
        }
        (distance, angle)
    }

    #[test]
    fn the_bounds_hold_and_are_not_far_off() {
        let mut ratios = Vec::new();
        let mut random = Random::new(7);
        for seed in 0..400_usize {
            let name = Machine::BUILT_IN[seed % Machine::BUILT_IN.len()];
            let machine =
                Machine::built_in(name).unwrap().with_tool_length(random.range(0.0, 200.0));
            let from = std::array::from_fn(|axis| {
                if axis < 3 { random.range(-100.0, 100.0) } else { random.range(-3.0, 3.0) }
            });
            let reach = 10f64.powf(random.range(-3.0, 0.5));
            let to = std::array::from_fn(|axis| {
                let most = if axis < 3 { 50.0 * reach } else { reach };
                from[axis] + random.range(-most, most)
            });
            let (distance, angle) = sampled(&machine, from, to);
            let bound = machine.sagitta(from, to);
            assert!(distance <= bound, "seed {seed} {name}: {distance} exceeds {bound}");
            let turning = machine.turning(from, to);
            assert!(angle <= turning + 2e-8, "seed {seed} {name}: {angle} exceeds {turning}");
            if distance > 1e-9 {
                ratios.push(bound / distance);
            }
        }
        assert!(ratios.len() > 300, "only {} motions turn the tip", ratios.len());
        ratios.sort_by(f64::total_cmp);
        let (median, most) = (ratios[ratios.len() / 2], ratios[ratios.len() * 9 / 10]);
        assert!(median < 3.0, "the median bound is {median} times the distance");
        assert!(most < 6.0, "a tenth of the bounds are over {most} times the distance");
    }

    #[test]
    fn a_turn_around_one_axis_is_bounded_tightly() {
        let machine = Machine::built_in("xyza").unwrap();
        let (from, to) = ([5.0, 0.0, 30.0, 0.0, 0.0, 0.0], [5.0, 0.0, 30.0, 0.1, 0.0, 0.0]);
        let expected = 30.0 * (1.0 - 0.05f64.cos());
        let bound = machine.sagitta(from, to);
        assert!(bound >= expected && bound < expected * 1.001, "{bound} for {expected}");
    }

    #[test]
    fn without_turning_there_is_hardly_any_sagitta() {
        let machine = Machine::built_in("xyzac").unwrap();
        let (from, to) = ([0.0, 0.0, 0.0, 0.5, 0.0, 1.0], [100.0, 0.0, 50.0, 0.5, 0.0, 1.0]);
        assert!(machine.sagitta(from, to) < 1e-11);
        assert_eq!(machine.turning(from, to), 0.0);
        let to = [100.0, 0.0, 50.0, 0.7, 0.0, 0.0];
        assert_eq!(machine.with_tip_programmed(true).sagitta(from, to), 0.0);
    }
}
