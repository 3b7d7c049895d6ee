//! RAPID's rule: across the axes of the node's own box (Gottschalk, Lin and Manocha 1996).

use super::{
    Item, Split, Splitter,
    plane::{mean, split_at},
};
use crate::volume::BoundingVolume;

impl<V: BoundingVolume> Splitter<'_, V> {
    /// Partitions the items across the longest axis of their volume that has items on both sides.
    ///
    /// The mean of the vertices of all items is the mean of the items' centroids.
    pub(super) fn by_box_axes(&self, items: &mut [Item]) -> Split<V> {
        let triangles = self.triangles(items);
        let volume = V::enclosing(&triangles);
        let axes = volume.box_axes(&triangles);
        let divides = |axis| {
            let mean = mean(items, axis);
            let first = items.iter().filter(|item| axis.dot(item.middle) < mean).count();
            first > 0 && first < items.len()
        };
        // If no axis divides the items, `split_at` halves them in their order.
        let axis = axes.into_iter().find(|&axis| divides(axis)).unwrap_or(axes[0]);
        Split { first: split_at(items, axis, self.point), volume: Some(Box::new(volume)) }
    }
}
