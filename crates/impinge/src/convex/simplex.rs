//! The point of a simplex closest to the origin, for [`gjk`](super::gjk).

use glam::DVec3;

/// The point of a simplex closest to the origin: a mean of some of its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) point: DVec3,
    /// The weight of each corner; 0 for corners that are not needed.
    pub(crate) weights: [f64; 4],
}

impl Nearest {
    fn distance_sq(&self) -> f64 {
        self.point.length_squared()
    }

    fn nearer(self, other: Self) -> Self {
        if other.distance_sq() < self.distance_sq() { other } else { self }
    }
}

/// The point of the hull of up to four points closest to the origin. If it is the origin, there may be four weights.
///
/// Every face of a simplex that the origin may be nearest to is tried, and the nearest is taken: slower than the search by
/// regions, and nothing can go wrong with flat simplices.
pub(crate) fn nearest_to_origin(corners: &[DVec3]) -> Nearest {
    match *corners {
        [p] => Nearest { point: p, weights: [1.0, 0.0, 0.0, 0.0] },
        [p, q] => on_segment([(0, p), (1, q)]),
        [p, q, r] => on_triangle([(0, p), (1, q), (2, r)]),
        [p, q, r, s] => on_tetrahedron([(0, p), (1, q), (2, r), (3, s)]),
        _ => unreachable!("a simplex has one to four corners"),
    }
}

type Corner = (usize, DVec3);

fn on_segment([(i, p), (j, q)]: [Corner; 2]) -> Nearest {
    let mut weights = [0.0; 4];
    let (along, whole) = (-p.dot(q - p), (q - p).length_squared());
    let share = if along <= 0.0 || whole == 0.0 {
        0.0
    } else if along >= whole {
        1.0
    } else {
        along / whole
    };
    (weights[i], weights[j]) = (1.0 - share, share);
    let point = if share == 1.0 { q } else { p + (q - p) * share };
    Nearest { point, weights }
}

fn on_triangle([p, q, r]: [Corner; 3]) -> Nearest {
    let normal = (q.1 - p.1).cross(r.1 - p.1);
    let whole = normal.length_squared();
    // The areas of the triangles that the origin's projection makes with the edges.
    let area = |u: Corner, v: Corner| normal.dot(u.1.cross(v.1));
    let shares = [area(q, r), area(r, p), area(p, q)];
    if whole > 0.0 && shares.iter().all(|&share| share > 0.0) {
        let mut weights = [0.0; 4];
        let sum: f64 = shares.iter().sum();
        for (corner, share) in [p, q, r].iter().zip(shares) {
            weights[corner.0] = share / sum;
        }
        return Nearest { point: normal * (normal.dot(p.1) / whole), weights };
    }
    on_segment([p, q]).nearer(on_segment([q, r])).nearer(on_segment([r, p]))
}

fn on_tetrahedron([p, q, r, s]: [Corner; 4]) -> Nearest {
    let volume = |u: DVec3, v: DVec3, w: DVec3| u.dot(v.cross(w));
    let whole = volume(q.1 - p.1, r.1 - p.1, s.1 - p.1);
    // The volumes of the tetrahedra that the origin makes with the faces, relative to the whole.
    let shares = [
        volume(q.1, r.1, s.1),
        -volume(p.1, r.1, s.1),
        volume(p.1, q.1, s.1),
        -volume(p.1, q.1, r.1),
    ];
    let is_inside = whole != 0.0 && shares.iter().all(|share| share * whole > 0.0);
    if is_inside {
        let sum: f64 = shares.iter().sum();
        return Nearest { point: DVec3::ZERO, weights: shares.map(|share| share / sum) };
    }
    let faces = [[q, r, s], [p, r, s], [p, q, s], [p, q, r]];
    // Only faces that the origin is beyond, and all of them if the simplex is flat.
    let beyond = faces.into_iter().zip(shares).filter(|(_, share)| share * whole <= 0.0);
    let nearest = beyond.map(|(face, _)| on_triangle(face)).reduce(Nearest::nearer);
    nearest.unwrap_or_else(|| on_triangle([p, q, r]))
}
