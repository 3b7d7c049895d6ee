//! Clashes as bytes, for `task.rs` and `outcome_state.rs`.

use crate::error::Error;
use impinge::{
    Bounds, FacePair,
    clash::{Clash, Depth, Fit, Place, Side, Verdict},
    glam::DVec3,
};
use serde::{Deserialize, Serialize};

/// Writes a value as bytes.
pub(crate) fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    // Only strings and maps of unknown length can fail, and there are none.
    postcard::to_allocvec(value).unwrap_or_default()
}

/// Reads the bytes of [`to_bytes`]. `what` names the value in the error.
pub(crate) fn from_bytes<'b, T: Deserialize<'b>>(
    bytes: &'b [u8],
    what: &'static str,
) -> Result<T, Error> {
    postcard::from_bytes(bytes).map_err(|_| Error::NotBytes(what))
}

type Point = [f64; 3];
type Corners = [Point; 2];

/// A clash, with every field of [`Clash`].
#[derive(Serialize, Deserialize)]
pub(crate) struct ClashState {
    parts: [u64; 2],
    verdict: u8,
    band: f64,
    depth: Option<(f64, Option<Point>)>,
    volume: Option<f64>,
    is_b_inner: Option<bool>,
    /// Whether the shaft is the second part, and the radii of shaft and hole.
    fit: Option<(bool, f64, f64)>,
    distance: f64,
    points: [Point; 2],
    faces: Vec<[u32; 2]>,
    length: f64,
    extent: Corners,
    places: Vec<(Point, f64, Corners, Vec<u32>)>,
    is_closed: [bool; 2],
}

fn corners(bounds: &Bounds) -> Corners {
    [bounds.min.to_array(), bounds.max.to_array()]
}

fn bounds([min, max]: Corners) -> Bounds {
    Bounds { min: min.into(), max: max.into() }
}

fn side(is_b: bool) -> Side {
    if is_b { Side::B } else { Side::A }
}

impl ClashState {
    pub(crate) fn new(clash: &Clash) -> Self {
        let fit = |fit: &Fit| (fit.shaft == Side::B, fit.shaft_radius, fit.hole_radius);
        let place = |place: &Place| {
            let Place { point, length, extent, faces } = place;
            (point.to_array(), *length, corners(extent), faces.clone())
        };
        Self {
            parts: [clash.a as u64, clash.b as u64],
            verdict: clash.verdict as u8,
            band: clash.band,
            depth: clash
                .depth
                .map(|depth| (depth.at_least, depth.way_out.map(|way| way.to_array()))),
            volume: clash.volume,
            is_b_inner: clash.inner.map(|inner| inner == Side::B),
            fit: clash.fit.as_ref().map(fit),
            distance: clash.distance,
            points: clash.points.map(|point| point.to_array()),
            faces: clash.faces.iter().map(|faces| [faces.a, faces.b]).collect(),
            length: clash.length,
            extent: corners(&clash.extent),
            places: clash.places.iter().map(place).collect(),
            is_closed: clash.is_closed,
        }
    }

    pub(crate) fn into_clash(self) -> Option<Clash> {
        let verdict = *Verdict::ALL.get(usize::from(self.verdict))?;
        let [a, b] = self.parts.map(|part| usize::try_from(part).ok());
        let mut clash = Clash::new(a?, b?, verdict);
        clash.band = self.band;
        clash.depth = self.depth.map(|(at_least, way_out)| {
            let mut depth = Depth::at_least(at_least);
            depth.way_out = way_out.map(DVec3::from_array);
            depth
        });
        clash.volume = self.volume;
        clash.inner = self.is_b_inner.map(side);
        clash.fit = self.fit.map(|(is_b, shaft, hole)| Fit::new(side(is_b), shaft, hole));
        clash.distance = self.distance;
        clash.points = self.points.map(DVec3::from_array);
        clash.faces = self.faces.into_iter().map(|[a, b]| FacePair { a, b }).collect();
        clash.length = self.length;
        clash.extent = bounds(self.extent);
        let place = |(point, length, extent, faces): (Point, _, _, _)| Place {
            point: point.into(),
            length,
            extent: bounds(extent),
            faces,
        };
        clash.places = self.places.into_iter().map(place).collect();
        clash.is_closed = self.is_closed;
        Some(clash)
    }
}
