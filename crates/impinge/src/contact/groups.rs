//! Items sorted into groups by a counting sort, in memory that is reused.

/// The items of each group, in their own order.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// The items of group `g` are `items[starts[g]..starts[g + 1]]`.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Groups {
    /// Sorts the items 0, 1, … into groups; `None` leaves an item out.
    pub(super) fn fill(&mut self, count: usize, groups: impl Iterator<Item = Option<u32>> + Clone) {
        self.starts.clear();
        self.starts.resize(count + 2, 0);
        for group in groups.clone().flatten() {
            self.starts[group as usize + 2] += 1;
        }
        for group in 2..self.starts.len() {
            self.starts[group] += self.starts[group - 1];
        }
        self.items.clear();
        self.items.resize(self.starts[count + 1] as usize, 0);
        for (item, group) in (0..).zip(groups) {
            if let Some(group) = group {
                let place = &mut self.starts[group as usize + 1];
                self.items[*place as usize] = item;
                *place += 1;
            }
        }
    }

    /// The items of a group.
    pub(super) fn of(&self, group: u32) -> &[u32] {
        &self.items[self.range(group)]
    }

    /// Where the items of a group are among those of all groups.
    pub(super) fn range(&self, group: u32) -> std::ops::Range<usize> {
        self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize
    }

    /// The items of all groups, one group after the other.
    pub(super) fn all(&self) -> &[u32] {
        &self.items
    }
}
