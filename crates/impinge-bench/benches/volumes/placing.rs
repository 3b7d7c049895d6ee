//! Compares ways to place DOPs: by a linear map, by their vertices, and the root by hill climbing.

use crate::{Contest, Scene, contest, named};
use impinge::convex::Climber;
use impinge::glam::DVec3;
use impinge::volume::experiment::VertexDop;
use impinge::volume::{BoundingVolume, Dop, Frame, Relative};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The hull of the second body of the scene.
    static CLIMBER: RefCell<Option<Climber>> = const { RefCell::new(None) };
}

/// A volume whose root is placed by hill climbing.
#[derive(Clone, Copy, Debug)]
struct Climbing<V, const H: usize>(V);

impl<const H: usize, V: BoundingVolume<Placed = Dop<H>>> BoundingVolume for Climbing<V, H> {
    type Placed = Dop<H>;
    /// The placed root, and whether it is still unused: the first volume that a walk places is the root.
    type Placement = (V::Placement, Dop<H>, AtomicBool);

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        Self(V::enclosing(triangles))
    }

    fn merged(&self, other: &Self) -> Option<Self> {
        self.0.merged(&other.0).map(Self)
    }

    fn placement(relative: &Relative) -> Self::Placement {
        let root = CLIMBER.with_borrow_mut(|climber| {
            Dop::of_hull(climber.as_mut().expect("prepared with the scene"), relative)
        });
        (V::placement(relative), root, AtomicBool::new(true))
    }

    fn placed(&self, (placement, root, is_first): &Self::Placement) -> Self::Placed {
        if is_first.load(Ordering::Relaxed) {
            is_first.store(false, Ordering::Relaxed);
            return *root;
        }
        self.0.placed(placement)
    }

    #[inline]
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
    let frame = Frame::new(&scene.b.bounds());
    let points = scene.b.positions().iter().map(|&point| frame.normalized(point));
    CLIMBER.set(Some(Climber::new(points)));
    contest(5, contenders(scene));
    CLIMBER.with_borrow(|climber| {
        let climber = climber.as_ref().expect("prepared with the scene");
        println!("\nThe hull of the second body has {} vertices.", climber.hull().vertices().len());
    });
}

fn contenders(scene: &Scene) -> Vec<Box<dyn Contest + '_>> {
    type Vertices18 = VertexDop<9, 32>;
    type Vertices26 = VertexDop<13, 48>;
    vec![
        named::<Dop<7>>("14-DOP, aligned", scene),
        named::<VertexDop<7, 24>>("14-DOP, vertices", scene),
        named::<Dop<9>>("18-DOP, aligned", scene),
        named::<Climbing<Dop<9>, 9>>("18-DOP, aligned, root climbed", scene),
        named::<Vertices18>("18-DOP, vertices", scene),
        named::<Climbing<Vertices18, 9>>("18-DOP, vertices, root climbed", scene),
        named::<Dop<13>>("26-DOP, aligned", scene),
        named::<Vertices26>("26-DOP, vertices", scene),
    ]
}
