//! A method in one file, added to the test of all methods by one line: a grid of cells over the first body.
//!
//! Kept small rather than fast: it shows what a method has to bring, and that everything else is provided.

use impinge::glam::DVec3;
use impinge::method::{Found, MethodInfo, PlacedShape, Prepared, Question, Search};
use impinge::{Bounds, FacePair};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

pub(crate) static METHOD: MethodInfo =
    MethodInfo::new("toy", "cells along one axis", |mesh, _threads| {
        Arc::new(FaceCount(mesh.faces().len()))
    });

/// What is prepared of a mesh: hardly anything.
#[derive(Debug)]
struct FaceCount(usize);

impl Prepared for FaceCount {
    fn bytes(&self) -> usize {
        size_of::<usize>()
    }

    fn new_search(&self) -> Box<dyn Search> {
        Box::new(Cells::default())
    }
}

/// The faces of the first body by the cells that they reach into, made for each query.
#[derive(Default)]
struct Cells {
    cells: HashMap<i64, Vec<u32>>,
}

/// How many cells there are along the axis.
const CELLS: f64 = 16.0;

/// Which cells something reaches into, grown by a distance. Monotone, so that boxes that overlap share a
/// cell, whatever is lost to rounding.
fn cells_of(bounds: &Bounds, whole: &Bounds, grow: f64) -> [i64; 2] {
    let size = whole.size().x;
    let cell = |x: f64| {
        let place = (x - whole.min.x) / size * CELLS;
        if place.is_nan() { 0 } else { place.clamp(0.0, CELLS) as i64 }
    };
    [cell(bounds.min.x - grow), cell(bounds.max.x + grow)]
}

impl Search for Cells {
    fn visit(&mut self, question: &Question<'_>, found: &mut Found<'_>) -> ControlFlow<()> {
        let [a, b] = question.bodies();
        let [FaceCount(faces_a), FaceCount(faces_b)] = question.prepared();
        let boxes = |body: PlacedShape<'_>| -> Vec<Bounds> {
            body.triangles().map(|t: [DVec3; 3]| Bounds::enclosing(t)).collect()
        };
        let (boxes_a, boxes_b) = (boxes(a), boxes(b));
        assert_eq!((boxes_a.len(), boxes_b.len()), (*faces_a, *faces_b), "another mesh");
        let mut whole = Bounds::EMPTY;
        boxes_a.iter().for_each(|bounds| whole.merge(bounds));
        // More than enough for what rounding may take away from a distance.
        let grow = question.tolerance() * 1.001;
        self.cells.clear();
        for (face, bounds) in (0..).zip(&boxes_a) {
            let [first, last] = cells_of(bounds, &whole, grow);
            (first..=last).for_each(|cell| self.cells.entry(cell).or_default().push(face));
        }
        let decider = question.decider();
        for (face_b, bounds) in (0..).zip(&boxes_b) {
            let [first, last] = cells_of(bounds, &whole, 0.0);
            for cell in first..=last {
                for &face_a in self.cells.get(&cell).into_iter().flatten() {
                    // A pair that shares several cells is decided in the first of them.
                    let [begin, _] = cells_of(&boxes_a[face_a as usize], &whole, grow);
                    let pair = FacePair { a: face_a, b: face_b };
                    if cell == begin.max(first) && decider.accepts(pair) {
                        found(pair)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}
