//! Ids that regions keep from call to call.

use crate::FacePair;

/// The ids of the last regions, and memory to compare them with the next ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Identities {
    /// The pairs of faces of the last call with the ids of their regions, sorted.
    last: Vec<(FacePair, u64)>,
    /// The pairs of faces of this call with the numbers of their regions, sorted.
    now: Vec<(FacePair, u32)>,
    /// The region and the id of each pair of faces that both calls have; then how many there are of each.
    common: Vec<(u32, u64)>,
    votes: Vec<(usize, u32, u64)>,
    ids: Vec<u64>,
    /// The ids of the last call, sorted, and whether a region of this call has taken each.
    taken: Vec<(u64, bool)>,
    newest: u64,
}

impl Identities {
    /// Returns the ids of regions, given all pairs of faces with the numbers of their regions.
    pub(super) fn find(
        &mut self,
        count: u32,
        faces: impl Iterator<Item = (FacePair, u32)>,
    ) -> &[u64] {
        let Self { last, now, common, votes, ids, taken, newest } = self;
        now.clear();
        now.extend(faces);
        now.sort_unstable();
        common.clear();
        let mut old = last.iter().peekable();
        for &(pair, region) in now.iter() {
            while old.next_if(|(other, _)| *other < pair).is_some() {}
            if let Some(&&(other, id)) = old.peek()
                && other == pair
            {
                common.push((region, id));
            }
        }
        common.sort_unstable();
        votes.clear();
        votes.extend(common.chunk_by(|p, q| p == q).map(|same| (same.len(), same[0].0, same[0].1)));
        // The most votes first.
        votes.sort_unstable_by_key(|&(votes, region, id)| (usize::MAX - votes, region, id));
        taken.clear();
        taken.extend(ids.iter().map(|&id| (id, false)));
        taken.sort_unstable();
        ids.clear();
        ids.resize(count as usize, 0);
        for &(_, region, id) in votes.iter() {
            let place = taken.partition_point(|&(other, _)| other < id);
            if ids[region as usize] == 0 && !taken[place].1 {
                taken[place].1 = true;
                ids[region as usize] = id;
            }
        }
        for id in ids.iter_mut().filter(|id| **id == 0) {
            *newest += 1;
            *id = *newest;
        }
        last.clear();
        last.extend(now.iter().map(|&(pair, region)| (pair, ids[region as usize])));
        ids
    }
}
