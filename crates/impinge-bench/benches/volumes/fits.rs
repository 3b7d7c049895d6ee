//! Compares ways to fit oriented boxes.

use crate::{Scene, contest, named};
use impinge::glam::DVec3;
use impinge::volume::{BoundingVolume, Fit, Obb, Relative};

/// An oriented box made with the fits whose bits are set, in the order of `Fit`.
#[derive(Clone, Copy, Debug)]
struct Fitted<const FITS: u8>(Obb);

impl<const FITS: u8> BoundingVolume for Fitted<FITS> {
    type Placed = <Obb as BoundingVolume>::Placed;
    type Placement = <Obb as BoundingVolume>::Placement;

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        let all = [Fit::Faces, Fit::Hull, Fit::Rectangle];
        let mut fits = [Fit::Faces; 3];
        let mut count = 0;
        for (i, fit) in all.into_iter().enumerate() {
            if FITS >> i & 1 == 1 {
                fits[count] = fit;
                count += 1;
            }
        }
        Self(Obb::fitted(triangles, &fits[..count]))
    }

    fn placement(relative: &Relative) -> Self::Placement {
        Obb::placement(relative)
    }

    fn placed(&self, placement: &Self::Placement) -> Self::Placed {
        self.0.placed(placement)
    }

    fn overlaps(&self, other: &Self::Placed) -> bool {
        self.0.overlaps(other)
    }

    fn distance_below(&self, other: &Self::Placed) -> f64 {
        self.0.distance_below(other)
    }

    fn size(&self) -> f32 {
        self.0.size()
    }
}

pub(crate) fn table(scene: &Scene) {
    contest(
        5,
        vec![
            named::<Fitted<0>>("aligned", scene),
            named::<Fitted<1>>("faces", scene),
            named::<Fitted<2>>("hull", scene),
            named::<Fitted<3>>("faces, hull", scene),
            named::<Fitted<4>>("rectangle", scene),
            named::<Fitted<5>>("faces, rectangle", scene),
        ],
    );
}
