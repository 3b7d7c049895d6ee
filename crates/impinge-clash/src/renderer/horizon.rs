//! Occlusion culling: skips parts that are entirely behind solid surfaces.

use super::{project::Extent, raster::Layers};
use rayon::prelude::*;

/// The distance to which one can see, in squares of samples.
pub(super) struct Horizon {
    columns: usize,
    /// Inverse distance of the furthest solid surface in each square; 0 if the square has a gap.
    depths: Vec<f32>,
}

impl Horizon {
    const SIDE: usize = 16;

    pub(super) fn new(layers: &Layers) -> Self {
        let columns = layers.width.div_ceil(Self::SIDE);
        let mut depths = vec![f32::INFINITY; columns * layers.height.div_ceil(Self::SIDE)];
        let rows = layers.solid.par_chunks((layers.width * Self::SIDE).max(1));
        depths.par_chunks_mut(columns.max(1)).zip(rows).for_each(|(depths, rows)| {
            for line in rows.chunks(layers.width) {
                for (depth, samples) in depths.iter_mut().zip(line.chunks(Self::SIDE)) {
                    *depth = samples.iter().fold(*depth, |least, sample| least.min(sample.depth));
                }
            }
        });
        Self { columns, depths }
    }

    /// Returns whether an item is entirely behind the surfaces drawn so far.
    pub(super) fn hides(&self, seen: &Extent) -> bool {
        let squares = |[first, last]: [usize; 2]| first / Self::SIDE..=last / Self::SIDE;
        squares(seen.rows).all(|row| {
            let mut depths =
                squares(seen.columns).map(|column| self.depths[row * self.columns + column]);
            // Samples may be drawn slightly nearer than they are: see `Fill`.
            depths.all(|depth| seen.nearest * 1.001 < depth)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            Item, Material, Shape,
            project::Screen,
            raster::tests::{block, camera, item, scene},
        },
        *,
    };
    use impinge::{Mesh, glam::DVec3};

    /// Parts that are culled would not have been visible.
    #[test]
    fn what_is_hidden_may_be_left_out() {
        // Enough faces that the parts behind come in a later batch.
        let side = 200_u32;
        let at = |step: u32| f64::from(step) / f64::from(side - 1) * 1.2 - 0.6;
        let corner = |number: u32| DVec3::new(at(number % side), -0.85, at(number / side));
        let squares = (0..side * (side - 1)).filter(|number| number % side != side - 1);
        let faces =
            squares.flat_map(|at| [[at, at + 1, at + side], [at + 1, at + side + 1, at + side]]);
        let wall = Mesh::new((0..side * side).map(corner).collect(), faces.collect()).unwrap();
        let wall = Shape::new(&wall);
        let others: Vec<Shape<'_>> = (0..400)
            .map(|number| {
                let at = |step: u32| f64::from(number * step % 397) / 397.0 * 2.0 - 1.0;
                let middle = [at(7), at(31) - 0.2, at(101)];
                block(middle.map(|it| it - 0.05), middle.map(|it| it + 0.05))
            })
            .collect();
        let mut items: Vec<Item<'_>> =
            others.iter().map(|it| item(it, Material::Solid, &[])).collect();
        items.push(item(&wall, Material::Solid, &[]));
        let camera = camera();
        let all = scene(items);
        let size = 200;
        let layers = Layers::draw(&all, &camera, size, size, 1);
        // Where the wall is not visible, the picture must be the same without the wall.
        let mut bare = all;
        bare.items.pop();
        let without = Layers::draw(&bare, &camera, size, size, 1);
        let pairs =
            layers.solid.iter().zip(&without.solid).filter(|(sample, _)| sample.item != 400);
        let mut count = 0;
        for (with, without) in pairs {
            assert_eq!((with.item, with.depth.to_bits()), (without.item, without.depth.to_bits()));
            count += usize::from(with.is_surface());
        }
        assert!(count > 1000, "{count}");
        let screen = Screen { camera: &camera, width: size, height: size, stride: 1 };
        let horizon = Horizon::new(&layers);
        let order = screen.in_order(&bare);
        let hidden = order.iter().filter(|seen| horizon.hides(seen)).count();
        assert!((50..350).contains(&hidden), "{hidden} of {}", order.len());
        let is_seen = |number: u32| layers.solid.iter().any(|sample| sample.item == number);
        assert!(order.iter().all(|seen| !(horizon.hides(seen) && is_seen(seen.item))));
    }
}
