//! The copies of a body: many bodies from one entry of the scene file.

use crate::{document::Entry, error::Error, text::Text};
use impinge::{Bounds, Pose, PoseError, generate::Random, glam::DVec3};
use std::ops::Range;

/// The number of copies of an entry, and where they stand.
pub(super) struct Copies {
    pub(super) count: u64,
    /// Whether copies must not overlap other bodies.
    pub(super) is_apart: bool,
    layout: Layout,
}

enum Layout {
    /// All copies at the same place.
    Same,
    Grid {
        count: [u64; 3],
        step: DVec3,
    },
    Scatter {
        bounds: Bounds,
        turned: bool,
        random: Random,
    },
}

impl Copies {
    pub(super) fn new(
        text: &Text,
        seed: u64,
        name: &str,
        at: &Range<usize>,
        entry: &Entry,
    ) -> Result<Self, Error> {
        let zero = |at: &Range<usize>| {
            text.fault(at, "`count`: 0; must be at least 1, or remove the body")
        };
        match (&entry.count, &entry.grid, &entry.scatter) {
            (None, None, None) => Ok(Self { count: 1, is_apart: false, layout: Layout::Same }),
            (Some(count), None, None) => match *count.get_ref() {
                0 => Err(zero(&count.span())),
                number => Ok(Self { count: number, is_apart: false, layout: Layout::Same }),
            },
            (None, Some(grid), None) => {
                let step = text.vector("step", &grid.get_ref().step)?;
                let count = grid.get_ref().count.map(u64::from);
                let all = count.iter().try_fold(1_u64, |all, &count| all.checked_mul(count));
                match all.unwrap_or(u64::MAX) {
                    0 => Err(zero(&grid.span())),
                    all => Ok(Self {
                        count: all,
                        is_apart: false,
                        layout: Layout::Grid { count, step },
                    }),
                }
            }
            (None, None, Some(scatter)) => {
                let at = scatter.span();
                let scatter = scatter.get_ref();
                let bounds = text.bounds(&at, "scatter", &scatter.min, &scatter.max)?;
                let random = Random::new(scatter.seed.unwrap_or(seed));
                match *scatter.count.get_ref() {
                    0 => Err(zero(&scatter.count.span())),
                    count => {
                        let layout = Layout::Scatter { bounds, turned: scatter.turned, random };
                        Ok(Self { count, is_apart: scatter.apart, layout })
                    }
                }
            }
            _ => {
                let message =
                    format!("body {name}: give only one of `count`, `grid` and `scatter`");
                Err(text.fault(at, message))
            }
        }
    }

    /// Returns the pose of a copy. Must be called for copies in order. Another call for the same copy of a scatter
    /// returns another pose.
    pub(super) fn pose(&mut self, copy: u64, base: &Pose) -> Result<Pose, PoseError> {
        match &mut self.layout {
            Layout::Same => Ok(*base),
            Layout::Grid { count: [x, y, _], step } => {
                let place = [copy % *x, copy / *x % *y, copy / *x / *y].map(|i| i as f64);
                let place = DVec3::from_array(place) * *step;
                Pose::new(base.rotation(), base.translation() + place)
            }
            Layout::Scatter { bounds, turned, random } => {
                let share = DVec3::from_array([(); 3].map(|()| random.unit()));
                let place = bounds.min + bounds.size() * share;
                let rotation = match turned {
                    true => random.rotation() * base.rotation(),
                    false => base.rotation(),
                };
                Pose::new(rotation, base.translation() + place)
            }
        }
    }
}
