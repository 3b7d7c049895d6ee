//! Values of all cycles as a limited number of points, for the plots of long runs.

/// A value that cycles can share a point of.
pub(super) trait Join {
    /// Joins the value of a later cycle.
    fn join(&mut self, later: Self);
}

/// One value per cycle, as at most `LIMIT` points: an even number. If there are more cycles, several share a
/// point, and their values are [joined](Join::join).
#[derive(Debug)]
pub(super) struct Thinned<T, const LIMIT: usize> {
    points: Vec<T>,
    /// Number of cycles per point, and in the last point.
    share: u64,
    filled: u64,
}

impl<T, const LIMIT: usize> Default for Thinned<T, LIMIT> {
    fn default() -> Self {
        Self { points: Vec::new(), share: 1, filled: 0 }
    }
}

impl<T: Join, const LIMIT: usize> Thinned<T, LIMIT> {
    /// Adds the value of the next cycle.
    pub(super) fn push(&mut self, value: T) {
        match self.points.last_mut() {
            Some(last) if self.filled < self.share => {
                last.join(value);
                self.filled += 1;
                return;
            }
            _ => {}
        }
        if self.points.len() == LIMIT {
            let mut points = Vec::with_capacity(LIMIT);
            let mut old = std::mem::take(&mut self.points).into_iter();
            while let Some(mut point) = old.next() {
                old.by_ref().take(1).for_each(|later| point.join(later));
                points.push(point);
            }
            self.points = points;
            self.share *= 2;
        }
        self.points.push(value);
        self.filled = 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns a line over the cycles: of each point its first cycle, and a number of its value.
    pub(super) fn line(&self, number: impl Fn(&T) -> f64) -> Vec<(f64, f64)> {
        let share = self.share as f64;
        let points = self.points.iter().enumerate();
        points.map(|(i, point)| (i as f64 * share, number(point))).collect()
    }

    /// Returns the number of cycles per point.
    #[cfg(test)]
    pub(super) fn share(&self) -> u64 {
        self.share
    }
}
