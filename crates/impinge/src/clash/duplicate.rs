//! Whether two parts are the same part in the same place, whatever their triangles. Called by `check.rs` for
//! every pair.

use super::{band::Band, depth::DepthProbe, placed::Placed, volume::common_volume};
use crate::Bounds;
use glam::DVec3;

/// How far the surfaces of duplicates may be apart, in sizes of the part, if that is more than the touch band: exporters
/// move copies by little, and cut round surfaces at other places.
const COPY: f64 = 2e-3;
/// The same for sheets. It is less, because sheets may lie on each other with little space between them.
const SHEET_COPY: f64 = 1e-5;
/// The share of the volume of either solid that duplicates have in common.
const COMMON: f64 = 0.95;

/// Whether two parts are duplicates: each surface lies close to the other, and the solids agree.
pub(super) fn are_same(
    probe: &mut DepthProbe,
    (a, b): (Placed<'_>, Placed<'_>),
    band: Band,
) -> bool {
    if a.mesh().faces().is_empty() || b.mesh().faces().is_empty() {
        return false;
    }
    let size = a.size().max(b.size());
    // Cheap: the areas and their centroids.
    let are_alike = |x: f64, y: f64| (x - y).abs() <= 0.02 * x.max(y);
    let farthest = 4.0 * (COPY * size).max(band.least().min(COPY * size));
    if !are_alike(a.area(), b.area()) || a.middle().distance(b.middle()) > farthest {
        return false;
    }
    let are_sheets = [!a.solid().is_solid, !b.solid().is_solid];
    if are_sheets[0] != are_sheets[1] {
        return false;
    }
    let copy = if are_sheets[0] { SHEET_COPY } else { COPY };
    let most = (copy * size).max(band.least().min(COPY * size));
    let [of_a, of_b] = [a, b].map(|part| Bounds::enclosing(part.vertices()));
    let differ = (of_a.min - of_b.min).abs().max((of_a.max - of_b.max).abs());
    if differ.max_element() > most {
        return false;
    }
    if !probe.is_near(a, b, most) || !probe.is_near(b, a, most) {
        return false;
    }
    if are_sheets[0] {
        return true;
    }
    let (p, q) = (a.solid(), b.solid());
    let whole = p.volume.abs().max(q.volume.abs());
    let region = Bounds { min: of_a.min.max(of_b.min), max: of_a.max.min(of_b.max) };
    let common = common_volume((p.mesh(a.mesh()), a.pose), (q.mesh(b.mesh()), b.pose), &region);
    match common {
        Some(common) => common >= COMMON * whole,
        // Shells that overlap have no volume that is known. Then the triangles have to agree.
        None => {
            let origin = of_a.center();
            // Long thin parts: a twentieth of the thickness.
            let most = most.min(0.1 * whole / a.area().max(f64::MIN_POSITIVE));
            a.mesh().faces().len() == b.mesh().faces().len()
                && mean(a, origin).distance(mean(b, origin)) <= most
        }
    }
}

/// The mean of the corners of all faces.
fn mean(part: Placed<'_>, origin: DVec3) -> DVec3 {
    let count = 3 * part.mesh().faces().len();
    part.vertices().map(|vertex| vertex - origin).sum::<DVec3>() / count as f64
}
