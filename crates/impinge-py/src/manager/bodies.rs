//! A table of bodies: which of them collide, and which are nearest.

use super::geometry::{Gap, Geometry, Placed, SLACK};
use crate::{arrays, error::world_error};
use impinge::{
    Bounds, Threads,
    broad::{BroadPhase, Detail, Packed, Proxies},
};
use numpy::PyArray2;
use pyo3::{prelude::*, sync::MutexExt};
use std::{
    ops::ControlFlow,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How long a call may go on before it asks Python whether it should end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Bodies at poses. Numbers of removed bodies are used again.
#[pyclass(frozen, module = "impinge._impinge")]
#[derive(Debug)]
pub(crate) struct Bodies(Mutex<Table>);

#[derive(Debug)]
struct Table {
    bodies: Vec<Option<Placed>>,
    free: Vec<u32>,
    proxies: Proxies,
    broad: Packed,
    moved: Vec<u32>,
}

fn no_body(number: u32) -> PyErr {
    world_error(format!("there is no body {number}"))
}

impl Table {
    fn get(&self, body: u32) -> PyResult<&Placed> {
        let found = self.bodies.get(body as usize).and_then(Option::as_ref);
        found.ok_or_else(|| no_body(body))
    }

    fn copy(&self, body: u32) -> PyResult<Placed> {
        self.get(body).cloned()
    }

    fn refresh(&mut self) {
        if !self.moved.is_empty() {
            self.broad.update(&self.proxies, &self.moved);
            self.moved.clear();
        }
    }

    /// All pairs of bodies whose boxes overlap, sorted.
    fn near_pairs(&mut self) -> Vec<[u32; 2]> {
        self.refresh();
        let mut pairs = Vec::new();
        let _ = self.broad.pairs(&self.proxies, Threads::One, &mut |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        pairs
    }

    /// All bodies whose boxes overlap a box, sorted.
    fn near(&mut self, bounds: &Bounds) -> Vec<u32> {
        self.refresh();
        let mut found = Vec::new();
        let _ = self.broad.overlapping(&self.proxies, bounds, &mut |body| {
            found.push(body);
            ControlFlow::Continue(())
        });
        found.sort_unstable();
        found
    }

    fn all(&self) -> Vec<(u32, &Placed)> {
        (0..)
            .zip(&self.bodies)
            .filter_map(|(number, body)| Some((number, body.as_ref()?)))
            .collect()
    }
}

/// Does work on one item after another without the interpreter, until `work` returns `Break`. Fails if Python has been
/// interrupted.
fn each<T: Sync>(
    py: Python<'_>,
    items: &[T],
    mut work: impl FnMut(&T) -> ControlFlow<()> + Send,
) -> PyResult<()> {
    let mut items = items.iter();
    loop {
        let is_done = py.detach(|| {
            let start = Instant::now();
            for (count, item) in (1_u32..).zip(items.by_ref()) {
                if work(item).is_break() {
                    return true;
                }
                if count.is_multiple_of(8) && start.elapsed() > PATIENCE {
                    return false;
                }
            }
            true
        });
        if is_done {
            return Ok(());
        }
        py.check_signals()?;
    }
}

/// Two bodies, by their numbers.
type BodyPair = ([u32; 2], [Placed; 2]);

/// The pairs that collide; only the first if `first` is set.
fn colliding(py: Python<'_>, pairs: &[BodyPair], first: bool) -> PyResult<Vec<[u32; 2]>> {
    let mut found = Vec::new();
    each(py, pairs, |(numbers, [a, b])| {
        let is_found = a.collides(b);
        if is_found {
            found.push(*numbers);
        }
        if is_found && first { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// Two bodies, their distance, the points and the faces.
type Nearest<'py> = (u32, u32, f64, Bound<'py, PyArray2<f64>>, (u32, u32));

/// The nearest of pairs; of several at the same distance, the first.
fn nearest<'t, 'py>(
    py: Python<'py>,
    pairs: impl Iterator<Item = [(u32, &'t Placed); 2]> + Clone + Send + Sync,
) -> PyResult<Option<Nearest<'py>>> {
    // The pair whose boxes are nearest gives a limit, beyond which pairs are not listed.
    let mut best: Option<(u32, u32, Gap)> = py.detach(|| {
        let gaps = pairs.clone().map(|pair| (pair[0].1.gap(pair[1].1), pair));
        let (_, [a, b]) = gaps.min_by(|x, y| x.0.total_cmp(&y.0))?;
        let gap = a.1.distance(b.1, f64::INFINITY)?;
        Some((a.0, b.0, gap))
    });
    let limit = |best: &Option<(u32, u32, Gap)>| {
        best.map_or(f64::INFINITY, |(.., gap)| gap.distance.max(0.0) * SLACK)
    };
    let mut near: Vec<(f64, [(u32, &Placed); 2])> = py.detach(|| {
        let gaps = pairs.map(|pair| (pair[0].1.gap(pair[1].1), pair));
        gaps.filter(|(gap, _)| *gap <= limit(&best)).collect()
    });
    near.sort_by(|x, y| x.0.total_cmp(&y.0));
    each(py, &near, |(gap, [a, b])| {
        if *gap > limit(&best) {
            return ControlFlow::Break(());
        }
        // The first pair is measured already, and only two solids have a negative distance.
        let is_known = best.is_some_and(|(x, y, _)| (x, y) == (a.0, b.0));
        let is_zero = best.is_some_and(|(.., gap)| gap.distance <= 0.0);
        let are_solids = a.1.geometry.is_solid && b.1.geometry.is_solid;
        if is_known || (is_zero && !are_solids) {
            return ControlFlow::Continue(());
        }
        if let Some(found) = a.1.distance(b.1, limit(&best))
            && best.is_none_or(|(x, y, gap)| (found.distance, a.0, b.0) < (gap.distance, x, y))
        {
            best = Some((a.0, b.0, found));
        }
        ControlFlow::Continue(())
    })?;
    Ok(best.map(|(a, b, Gap { distance, points, faces })| {
        (a, b, distance, arrays::points(py, points.to_vec()), faces.into())
    }))
}

impl Bodies {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Table> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The pairs of a body and one of the others whose boxes overlap, sorted.
    fn pairs_with(&self, py: Python<'_>, others: &[(u32, Placed)]) -> PyResult<Vec<BodyPair>> {
        let mut table = self.lock(py);
        let mut pairs = Vec::new();
        for (number, other) in others {
            for body in table.near(&other.bounds) {
                pairs.push(([body, *number], [table.copy(body)?, other.clone()]));
            }
        }
        pairs.sort_unstable_by_key(|(numbers, _)| *numbers);
        Ok(pairs)
    }

    /// The bodies as they are now. Copies, because the table must not be locked while Python may run signal handlers, which
    /// may use the table, too. A copy shares the shape.
    fn copies(&self, py: Python<'_>) -> Vec<(u32, Placed)> {
        let table = self.lock(py);
        table.all().into_iter().map(|(number, body)| (number, body.clone())).collect()
    }
}

#[pymethods]
impl Bodies {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Table {
            bodies: Vec::new(),
            free: Vec::new(),
            proxies: Proxies::new(Detail::Boxes),
            broad: Packed::new(),
            moved: Vec::new(),
        }))
    }

    /// Adds a body, and returns its number.
    fn add(&self, py: Python<'_>, geometry: &Geometry, pose: &Bound<'_, PyAny>) -> PyResult<u32> {
        let body = Placed::new(&geometry.inner, arrays::pose(Some(pose))?);
        let mut guard = self.lock(py);
        let Table { bodies, free, proxies, broad, .. } = &mut *guard;
        let number = free.pop().unwrap_or(bodies.len() as u32);
        proxies.set(number, body.bounds, true);
        broad.insert(proxies, number);
        if number as usize == bodies.len() {
            bodies.push(None);
        }
        bodies[number as usize] = Some(body);
        Ok(number)
    }

    /// Removes a body.
    fn remove(&self, py: Python<'_>, body: u32) -> PyResult<()> {
        let mut guard = self.lock(py);
        guard.get(body)?;
        guard.refresh();
        let Table { bodies, free, proxies, broad, .. } = &mut *guard;
        broad.remove(proxies, body);
        proxies.clear(body);
        bodies[body as usize] = None;
        free.push(body);
        Ok(())
    }

    /// Moves a body.
    fn set_pose(&self, py: Python<'_>, body: u32, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = arrays::pose(Some(pose))?;
        let mut guard = self.lock(py);
        let moved = Placed::new(&guard.get(body)?.geometry, pose);
        let Table { bodies, proxies, moved: list, .. } = &mut *guard;
        proxies.set(body, moved.bounds, true);
        bodies[body as usize] = Some(moved);
        list.push(body);
        Ok(())
    }

    /// The pairs of bodies that collide, or only one of them.
    fn colliding(&self, py: Python<'_>, first: bool) -> PyResult<Vec<[u32; 2]>> {
        let pairs = {
            let mut guard = self.lock(py);
            let table = &mut *guard;
            let near = py.detach(|| table.near_pairs());
            let bodies = |[a, b]: [u32; 2]| Ok(([a, b], [table.copy(a)?, table.copy(b)?]));
            near.into_iter().map(bodies).collect::<PyResult<Vec<BodyPair>>>()?
        };
        colliding(py, &pairs, first)
    }

    /// The bodies that collide with a geometry, or only one of them.
    fn colliding_with(
        &self,
        py: Python<'_>,
        geometry: &Geometry,
        pose: &Bound<'_, PyAny>,
        first: bool,
    ) -> PyResult<Vec<u32>> {
        let other = Placed::new(&geometry.inner, arrays::pose(Some(pose))?);
        let pairs = self.pairs_with(py, &[(0, other)])?;
        let found = colliding(py, &pairs, first)?;
        Ok(found.into_iter().map(|[body, _]| body).collect())
    }

    /// The pairs of bodies of two tables that collide, or only one of them.
    fn colliding_between(
        &self,
        py: Python<'_>,
        others: &Self,
        first: bool,
    ) -> PyResult<Vec<[u32; 2]>> {
        colliding(py, &self.pairs_with(py, &others.copies(py))?, first)
    }

    /// The nearest two bodies, or the body nearest to one of them.
    #[pyo3(signature = (body=None))]
    fn nearest<'py>(&self, py: Python<'py>, body: Option<u32>) -> PyResult<Option<Nearest<'py>>> {
        let copies = self.copies(py);
        let all: Vec<(u32, &Placed)> =
            copies.iter().map(|(number, body)| (*number, body)).collect();
        if let Some(number) = body {
            let found = all.iter().find(|(other, _)| *other == number);
            let &from = found.ok_or_else(|| no_body(number))?;
            let others = all.iter().filter(|(other, _)| *other != number);
            return nearest(py, others.map(|&other| [from, other]));
        }
        let pairs = all.iter().enumerate().flat_map(|(at, &a)| {
            let rest = &all[at + 1..];
            rest.iter().map(move |&b| [a, b])
        });
        nearest(py, pairs)
    }

    /// The body nearest to a geometry.
    fn nearest_to<'py>(
        &self,
        py: Python<'py>,
        geometry: &Geometry,
        pose: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Nearest<'py>>> {
        let other = Placed::new(&geometry.inner, arrays::pose(Some(pose))?);
        let copies = self.copies(py);
        nearest(py, copies.iter().map(|(number, body)| [(*number, body), (0, &other)]))
    }

    /// The nearest bodies of two tables.
    fn nearest_between<'py>(
        &self,
        py: Python<'py>,
        others: &Self,
    ) -> PyResult<Option<Nearest<'py>>> {
        let (own, others) = (self.copies(py), &others.copies(py));
        let pairs = own.iter().flat_map(|(number, body)| {
            others.iter().map(move |(other, of_others)| [(*number, body), (*other, of_others)])
        });
        nearest(py, pairs)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).all().len()
    }
}
