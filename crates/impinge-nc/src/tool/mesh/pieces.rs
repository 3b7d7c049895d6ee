//! A profile as a stack of few convex pieces that enclose it.
//!
//! Points have the height as x and the radius as y. A piece is a chain of 2 to 4 points; it stands for the space below
//! the chain, down to the axis, revolved.

use impinge::{glam::DVec2, solid::RevolvedHull};

/// The parts of a chain below and above a height.
pub(super) fn split(chain: &[DVec2], height: f64) -> (Vec<DVec2>, Vec<DVec2>) {
    let above = chain.partition_point(|point| point.x <= height);
    let (mut lower, mut upper) = (chain[..above].to_vec(), chain[above..].to_vec());
    if let (Some(&from), Some(&to)) = (lower.last(), upper.first()) {
        let t = ((height - from.x) / (to.x - from.x)).clamp(0.0, 1.0);
        let between = DVec2::new(height, from.y + (to.y - from.y) * t);
        if from.x < height {
            lower.push(between);
        }
        upper.insert(0, between);
    }
    (lower, upper)
}

/// Convex pieces that enclose a chain. Every point of them is within three quarters of the tolerance of the space below
/// the chain.
pub(super) fn convex_pieces(chain: &[DVec2], tolerance: f64) -> Vec<Vec<DVec2>> {
    let mut pieces = Vec::new();
    for run in convex_runs(chain, tolerance / 4.0) {
        let simple = simplified(&run, tolerance / 2.0);
        pieces.extend(grouped(&simple).map(<[DVec2]>::to_vec));
    }
    pieces
}

/// Divides a convex chain into pieces with as many points as a solid has discs. Neighbours share a point. Pieces without
/// height or without radius are left out.
pub(super) fn grouped(chain: &[DVec2]) -> impl Iterator<Item = &[DVec2]> {
    const MOST: usize = RevolvedHull::MOST_DISCS;
    let starts = (0..chain.len()).step_by(MOST - 1);
    starts.map(|start| &chain[start..chain.len().min(start + MOST)]).filter(|piece| {
        piece.first().zip(piece.last()).is_some_and(|(first, last)| first.x < last.x)
            && piece.iter().any(|point| point.y > 0.0)
    })
}

/// Divides a chain into runs, and returns the upper convex hull of each. No point of a run is further than `depth` below
/// its hull. Each run is as long as possible.
fn convex_runs(chain: &[DVec2], depth: f64) -> Vec<Vec<DVec2>> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start + 1 < chain.len() {
        // Indices of the points of the hull.
        let mut hull = vec![start];
        let mut end = start;
        while end + 1 < chain.len() {
            let next = chain[end + 1];
            // The points of the hull that remain below a hull with the next point.
            let mut keep = hull.len();
            while keep >= 2 {
                let (a, b) = (chain[hull[keep - 2]], chain[hull[keep - 1]]);
                if (b - a).perp_dot(next - b) < 0.0 {
                    break;
                }
                keep -= 1;
            }
            let from = hull[keep - 1];
            let edge = (next - chain[from]).normalize_or_zero();
            let is_near = |point: &DVec2| edge.perp_dot(*point - chain[from]).abs() <= depth;
            if !chain[from..=end].iter().all(is_near) {
                break;
            }
            hull.truncate(keep);
            end += 1;
            hull.push(end);
        }
        runs.push(hull.iter().map(|&index| chain[index]).collect());
        start = end;
    }
    runs
}

/// Replaces a convex chain by one with fewer points that is nowhere below it, and nowhere further than `excess` above it.
///
/// Some sides of the chain are kept and extended until they meet; the sides between two kept ones are dropped.
fn simplified(chain: &[DVec2], excess: f64) -> Vec<DVec2> {
    let Some((&first, &last)) = chain.first().zip(chain.last()) else { return Vec::new() };
    let mut simple = vec![first];
    // The side from `side` to `side + 1` is the last one that is kept.
    let mut side = 0;
    while side + 2 < chain.len() {
        let mut corner = (side + 1, chain[side + 1]);
        for next in side + 2..chain.len() - 1 {
            let Some(meeting) = meeting_point(chain, side, next) else { break };
            if distance(&chain[side..=next + 1], meeting) > excess {
                break;
            }
            corner = (next, meeting);
        }
        side = corner.0;
        simple.push(corner.1);
    }
    simple.push(last);
    // The smaller of two discs at one height adds nothing.
    if let [lower, higher, _, ..] = simple[..]
        && lower.x == higher.x
    {
        simple.remove(0);
    }
    if let [.., _, higher, lower] = simple[..]
        && lower.x == higher.x
    {
        simple.pop();
    }
    simple
}

/// Where the extensions of two sides of a convex chain meet; `None` if they do not, or not between the two sides.
fn meeting_point(chain: &[DVec2], side: usize, next: usize) -> Option<DVec2> {
    let (a, along_a) = (chain[side + 1], chain[side + 1] - chain[side]);
    let (b, along_b) = (chain[next], chain[next + 1] - chain[next]);
    let t = along_b.perp_dot(b - a) / along_b.perp_dot(along_a);
    let meeting = a + along_a * t;
    let is_between = t >= 0.0 && (a.x..=b.x).contains(&meeting.x) && meeting.is_finite();
    is_between.then_some(meeting)
}

/// The distance of a point from a chain.
fn distance(chain: &[DVec2], point: DVec2) -> f64 {
    let to_segment = |pair: &[DVec2]| {
        let along = pair[1] - pair[0];
        let t = ((point - pair[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let nearest = if t.is_nan() { pair[0] } else { pair[0] + along * t };
        point.distance(nearest)
    };
    chain.windows(2).map(to_segment).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[(f64, f64)]) -> Vec<DVec2> {
        values.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
    }

    /// A stepped shaft: each step is a piece, and the conical tip with the first cylinder is one.
    #[test]
    fn steps_divide_a_profile() {
        let chain = points(&[
            (0.0, 0.0),
            (3.0, 3.0),
            (20.0, 3.0),
            (20.0, 10.0),
            (30.0, 10.0),
            (30.0, 5.0),
            (40.0, 5.0),
        ]);
        let pieces = convex_pieces(&chain, 0.01);
        let expected = [
            points(&[(0.0, 0.0), (3.0, 3.0), (20.0, 3.0)]),
            points(&[(20.0, 10.0), (30.0, 10.0)]),
            points(&[(30.0, 5.0), (40.0, 5.0)]),
        ];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn a_chain_is_cut_at_a_height() {
        let chain = points(&[(0.0, 1.0), (10.0, 3.0), (10.0, 5.0), (20.0, 5.0)]);
        let (lower, upper) = split(&chain, 5.0);
        assert_eq!(lower, points(&[(0.0, 1.0), (5.0, 2.0)]));
        assert_eq!(upper, points(&[(5.0, 2.0), (10.0, 3.0), (10.0, 5.0), (20.0, 5.0)]));
        let (lower, upper) = split(&chain, 20.0);
        assert_eq!((lower.len(), upper.len()), (4, 0));
        let (lower, upper) = split(&chain, 10.0);
        assert_eq!((lower.len(), upper[0].x), (3, 10.0));
    }

    /// Of the sides of a polygon around a circle, few are needed.
    #[test]
    fn a_round_profile_needs_few_pieces() {
        let arc: Vec<_> = (0..=500)
            .map(|step| {
                let (sin, cos) = (f64::from(step) * std::f64::consts::FRAC_PI_2 / 500.0).sin_cos();
                DVec2::new(3.0 - 3.0 * cos, 3.0 * sin)
            })
            .collect();
        let simple = simplified(&arc, 0.003);
        assert!(simple.len() < 22, "{} points", simple.len());
        for point in &arc {
            let side = simple.windows(2).find(|pair| pair[1].x >= point.x).unwrap();
            let excess = (side[1] - side[0]).perp_dot(*point - side[0]);
            assert!(excess <= 1e-12, "{point} is outside");
        }
        for corner in &simple[1..simple.len() - 1] {
            assert!(distance(&arc, *corner) <= 0.003 + 1e-9, "{corner}");
        }
    }

    #[test]
    fn stairs_below_the_tolerance_are_smoothed() {
        let stairs: Vec<_> = (0..1000)
            .flat_map(|step| {
                let x = f64::from(step) * 0.001;
                [DVec2::new(x, x), DVec2::new(x + 0.001, x)]
            })
            .collect();
        let pieces = convex_pieces(&stairs, 0.01);
        assert!(pieces.len() <= 2, "{} pieces", pieces.len());
    }
}
