//! Chooses what a page contains: all clashes and their parts, and as many other parts as the limits allow.

use crate::findings::{Findings, Row};

/// Limits of a page, so that browsers stay fast. Whatever exceeds them is left out, and the page says so.
pub(super) struct Budget {
    /// Maximum number of parts; clashing parts are always kept.
    pub(super) parts: usize,
    /// Maximum number of faces of all distinct meshes together. Parts whose mesh is left out are shown as
    /// boxes.
    pub(super) faces: usize,
    /// Maximum number of highlighted face pairs, in total and per clash.
    pub(super) pairs: usize,
    pub(super) pairs_of_one: usize,
    /// Maximum number of places per clash.
    pub(super) places: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            parts: 250_000,
            faces: 2_000_000,
            pairs: 2_000_000,
            pairs_of_one: 100_000,
            places: 500,
        }
    }
}

/// The selection for a page.
pub(super) struct Kept {
    /// The numbers of the kept parts, in order.
    pub(super) parts: Vec<usize>,
    /// The index of each part of the assembly in the page; `None` for parts that are left out.
    pub(super) number: Vec<Option<u32>>,
    /// The meshes of the kept parts, in order.
    pub(super) meshes: Vec<KeptMesh>,
    /// The index of each mesh of the assembly in the page.
    pub(super) mesh_number: Vec<Option<u32>>,
    pub(super) rows: Vec<KeptRow>,
}

pub(super) struct KeptMesh {
    pub(super) number: usize,
    /// Whether its faces are kept.
    pub(super) has_faces: bool,
}

/// The kept share of a clash.
pub(super) struct KeptRow {
    /// Number of face pairs that are kept, from the first.
    pub(super) pairs: usize,
    /// Number of face pairs kept for each of the first places.
    pub(super) places: Vec<usize>,
}

impl Kept {
    pub(super) fn within(budget: &Budget, findings: &Findings) -> Self {
        let assembly = &findings.assembly;
        let clashing = || findings.rows.iter().flat_map(|row| [row.clash.a, row.clash.b]);

        let mut is_kept = vec![false; assembly.parts.len()];
        clashing().for_each(|part| is_kept[part] = true);
        let mut room = budget.parts.saturating_sub(is_kept.iter().filter(|&&kept| kept).count());
        for kept in &mut is_kept {
            if !*kept && room > 0 {
                (*kept, room) = (true, room - 1);
            }
        }
        let parts: Vec<usize> = (0..is_kept.len()).filter(|&part| is_kept[part]).collect();

        // Clashing parts first, in the order of the list.
        let mut state = vec![None; assembly.meshes.len()];
        let mut room = budget.faces;
        for part in clashing().chain(parts.iter().copied()) {
            let mesh = assembly.parts[part].mesh;
            let count = assembly.meshes[mesh].faces().len();
            state[mesh].get_or_insert_with(|| {
                let has_room = count <= room;
                room -= if has_room { count } else { 0 };
                has_room
            });
        }
        let mesh = |(number, has_faces): (usize, Option<bool>)| {
            Some(KeptMesh { number, has_faces: has_faces? })
        };
        let meshes: Vec<KeptMesh> = state.into_iter().enumerate().filter_map(mesh).collect();

        let number = numbers(assembly.parts.len(), parts.iter().copied());
        let mesh_number = numbers(assembly.meshes.len(), meshes.iter().map(|mesh| mesh.number));
        Self { parts, number, meshes, mesh_number, rows: rows(budget, &findings.rows) }
    }
}

/// Returns, for each of `count` items, its index among the kept ones.
fn numbers(count: usize, kept: impl Iterator<Item = usize>) -> Vec<Option<u32>> {
    let mut numbers = vec![None; count];
    for (new, old) in (0..).zip(kept) {
        numbers[old] = Some(new);
    }
    numbers
}

fn rows(budget: &Budget, rows: &[Row]) -> Vec<KeptRow> {
    let mut room = budget.pairs;
    let keep = |row: &Row| {
        let pairs = row.clash.faces.len().min(budget.pairs_of_one).min(room);
        room -= pairs;
        // Sorted, so the kept pairs come first.
        let within = |faces: &[u32]| faces.partition_point(|&face| (face as usize) < pairs);
        let places = row.clash.places.iter().take(budget.places);
        KeptRow { pairs, places: places.map(|place| within(&place.faces)).collect() }
    };
    rows.iter().map(keep).collect()
}
