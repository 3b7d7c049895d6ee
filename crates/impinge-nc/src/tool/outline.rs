//! The outline of a tool: its contour in the half plane of radius and height, for pictures.

use super::{Tool, ToolPart};
use impinge::{glam::DVec2, solid::RevolvedHull};

/// The most segments of the arc of one rounded disc.
const MOST_SEGMENTS: f64 = 1000.0;

impl Tool {
    /// The contour of the tool in the half plane of radius (x) and height (y), in millimetres, as a polyline from the
    /// lowest to the highest point of the axis. Arcs are replaced by chords that are within `tolerance` of them, in
    /// millimetres; at least 1 and at most 1000 chords per arc.
    pub fn outline(&self, tolerance: f64) -> Vec<DVec2> {
        let mut outline: Vec<DVec2> = Vec::new();
        for part in &self.parts {
            let contour = contour(&part.solid, tolerance);
            if outline.is_empty() {
                outline.extend(contour.first());
            }
            // Pieces stand on each other. Between them, the contour does not return to the axis.
            let last = outline.pop().filter(|last| last.x > 0.0 || outline.is_empty());
            outline.extend(last);
            outline.extend(contour.iter().skip(1));
        }
        outline.dedup();
        outline
    }
}

impl ToolPart {
    /// The contour of this piece alone, as [`Tool::outline`] describes it.
    pub fn outline(&self, tolerance: f64) -> Vec<DVec2> {
        contour(&self.solid, tolerance)
    }
}

/// The contour of one piece, from the lowest to the highest point of the axis.
fn contour(solid: &RevolvedHull, tolerance: f64) -> Vec<DVec2> {
    let mut points = Vec::new();
    for disc in solid.discs() {
        let center = DVec2::new(disc.radius, disc.height);
        for step in 0..=segments(disc.rounding, tolerance) {
            let angle = f64::from(step) / f64::from(segments(disc.rounding, tolerance)) - 0.5;
            let (sin, cos) = libm::sincos(angle * std::f64::consts::PI);
            points.push(center + disc.rounding * DVec2::new(cos.max(0.0), sin));
        }
    }
    let heights = || points.iter().map(|point| point.y);
    let low = heights().fold(f64::INFINITY, f64::min);
    let high = heights().fold(f64::NEG_INFINITY, f64::max);
    points.push(DVec2::new(0.0, low));
    points.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
    // The outer half of the convex hull (Andrew's monotone chain).
    let mut hull: Vec<DVec2> = Vec::new();
    for point in points {
        while let [.., a, b] = hull[..]
            && (b - a).perp_dot(point - b) <= 0.0
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull.push(DVec2::new(0.0, high));
    hull.dedup();
    hull
}

/// The number of chords of a half circle, so that no chord is further than the tolerance from its arc.
fn segments(radius: f64, tolerance: f64) -> u32 {
    if radius <= 0.0 {
        return 1;
    }
    let half_angle = libm::acos((1.0 - tolerance / radius).clamp(-1.0, 1.0));
    let count = std::f64::consts::FRAC_PI_2 / half_angle;
    // An even count, so that the widest point of the arc is a vertex.
    2 * (count / 2.0).ceil().clamp(1.0, MOST_SEGMENTS / 2.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(spec: &str, tolerance: f64) -> Vec<DVec2> {
        Tool::from_spec(spec, 1.0).unwrap().outline(tolerance)
    }

    fn points(values: &[(f64, f64)]) -> Vec<DVec2> {
        values.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
    }

    #[test]
    fn straight_tools_have_only_their_corners() {
        let expected = points(&[
            (0.0, 0.0),
            (3.0, 0.0),
            (3.0, 20.0),
            (2.0, 20.0),
            (2.0, 50.0),
            (10.0, 50.0),
            (20.0, 65.0),
            (0.0, 65.0),
        ]);
        assert_eq!(outline("flat:d=6,length=20,shank=4:30,holder=20/40:15", 0.01), expected);
        let cone = outline("cone:d=6,angle=45,length=20", 0.01);
        let expected = points(&[(0.0, 0.0), (3.0, 3.0), (3.0, 20.0), (0.0, 20.0)]);
        assert!(cone.iter().zip(&expected).all(|(a, b)| a.distance(*b) < 1e-12), "{cone:?}");
    }

    #[test]
    fn arcs_are_within_the_tolerance() {
        for tolerance in [1.0, 0.1, 0.01, 1e-4] {
            let outline = outline("ball:d=6,length=20", tolerance);
            let center = DVec2::new(0.0, 3.0);
            for pair in outline.windows(2).filter(|pair| pair[1].y <= 3.0) {
                assert!((pair[1].distance(center) - 3.0).abs() < 1e-12);
                let middle = pair[0].midpoint(pair[1]).distance(center);
                assert!(3.0 - middle <= tolerance, "{tolerance}: {middle}");
            }
            assert_eq!(outline.last(), Some(&DVec2::new(0.0, 20.0)));
            assert!(outline.contains(&DVec2::new(3.0, 20.0)));
            assert!(outline.len() < 20 + (30.0 / tolerance.sqrt()) as usize);
        }
        assert!(outline("ball:d=6,length=20", f64::NAN).len() > 2);
    }
}
