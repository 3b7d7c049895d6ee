//! A check whose pairs are checked elsewhere: [`Plan`] finds the pairs and cuts them into [`Task`]s, which any process can
//! do that has the meshes; from all their shares it makes the same outcome as [`check`](crate::check).

use crate::{
    cells::{Cell, CellLimits, PairSite, cells},
    check::{CheckWatch, Watcher, outcome, search_options},
    error::Error,
    filter::Filter,
    hidden::Hidden,
    options::CheckOptions,
    outcome::Outcome,
    task::{Task, TaskPart},
};
use impinge::{
    Bounds,
    clash::{self, Outline, Share, Tessellation},
};
use impinge_io::assembly::Assembly;

/// A check before its pairs are checked.
///
/// ```
/// use impinge::{clash::PreparedMesh, generate};
/// use impinge_clash::{CellLimits, CheckOptions, Content, Plan};
/// use impinge_io::assembly::{Assembly, AssemblyPart};
/// use std::sync::Arc;
///
/// let mut assembly = Assembly::default();
/// for (name, mesh, pose) in generate::gearbox() {
///     assembly.parts.push(AssemblyPart::new(name, assembly.meshes.len(), pose));
///     assembly.meshes.push(mesh.into());
/// }
/// // These may be on other machines.
/// let meshes = assembly.meshes.clone();
/// let plan = Plan::new(assembly.outline(), CheckOptions::default(), &())?;
/// let mut shares = Vec::new();
/// for cell in plan.cells(CellLimits::new(1000, 10_000)) {
///     let task = plan.task(&cell);
///     let mesh = |number: u32| Arc::new(PreparedMesh::new(meshes[number as usize].clone()));
///     shares.extend(task.run(|number| Ok::<_, ()>(Content::Mesh(mesh(number))), &()).unwrap());
/// }
/// assert!(plan.finish(shares)?.total() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Plan {
    assembly: Assembly,
    options: CheckOptions,
    search: clash::Options,
    outlines: Vec<Outline>,
    pairs: Vec<[u32; 2]>,
    /// The distances of each part from curved surfaces, by number.
    distances: Vec<Option<u32>>,
    hidden: Hidden,
}

impl Plan {
    /// Finds the pairs to check. The assembly may be an [outline](Assembly::outline).
    ///
    /// # Errors
    /// As [`check`](crate::check).
    pub fn new(
        assembly: Assembly,
        options: CheckOptions,
        watch: &impl CheckWatch,
    ) -> Result<Self, Error> {
        let search = search_options(&options)?;
        let (filter, unmatched) = Filter::new(&assembly, &options.pairs)?;
        if !unmatched.is_empty() {
            watch.idle_rules(&unmatched);
        }
        let outlines = assembly.clash_outlines();
        let watcher = Watcher::new(&filter, watch);
        let pairs = clash::near_pairs(&outlines, &search, &watcher).ok_or(Error::Stopped)?;
        let hidden = watcher.hidden();
        let distances = assembly.distances();
        Ok(Self { assembly, options, search, outlines, pairs, distances, hidden })
    }

    /// The pairs to check, sorted.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The assembly.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    /// Groups the pairs into cells of space. Every pair is in exactly one cell.
    pub fn cells(&self, limits: CellLimits) -> Vec<Cell> {
        let reach: Vec<Bounds> =
            self.outlines.iter().map(|outline| outline.reach(&self.search)).collect();
        let meshes = 0..self.assembly.meshes.len();
        let faces: Vec<u64> = meshes.map(|mesh| self.assembly.mesh_face_count(mesh)).collect();
        let site = |pair: &[u32; 2]| {
            let parts = pair.map(|part| part as usize);
            let meshes = parts.map(|part| self.outlines[part].mesh());
            let faces = meshes.map(|mesh| faces[mesh as usize]);
            PairSite::new(parts.map(|part| reach[part]), meshes, faces)
        };
        let sites: Vec<PairSite> = self.pairs.iter().map(site).collect();
        cells(&sites, &faces, limits)
    }

    /// The task to check the pairs of a cell.
    ///
    /// # Panics
    /// If the cell is not one of this plan.
    pub fn task(&self, cell: &Cell) -> Task {
        let pairs: Vec<[u32; 2]> =
            cell.pairs.iter().map(|&pair| self.pairs[pair as usize]).collect();
        let mut numbers: Vec<u32> = pairs.iter().copied().flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        // The order of the parts is kept, because which one is the first of a pair matters.
        let local = |part: u32| numbers.partition_point(|&number| number < part) as u32;
        let part = |&number: &u32| {
            let part = &self.assembly.parts[number as usize];
            TaskPart {
                number,
                mesh: part.mesh as u32,
                pose: part.placement.to_rows(),
                rounding: part.rounding,
                deviation: match part.tessellation {
                    Tessellation::Uniform(distance) => distance,
                    _ => 0.0,
                },
                distances: self.distances[number as usize],
            }
        };
        Task {
            touch: self.options.touch,
            clearance: self.options.clearance,
            is_quick: self.options.is_quick,
            pairs: pairs.iter().map(|pair| pair.map(local)).collect(),
            parts: numbers.iter().map(part).collect(),
        }
    }

    /// Gives an outline the meshes that outputs with faces need: pages, pictures and 3D files.
    ///
    /// # Errors
    /// If these are not the [blobs](Assembly::blobs) of the assembly.
    pub fn with_blobs(mut self, blobs: &[impinge_io::assembly::Blob]) -> Result<Self, String> {
        self.assembly = self.assembly.with_blobs(blobs)?;
        Ok(self)
    }

    /// The outcome of all shares together, in whatever order they come: the same as that of [`check`](crate::check).
    ///
    /// # Errors
    /// If a pair was not checked, or was checked twice.
    pub fn finish(self, shares: impl IntoIterator<Item = Share>) -> Result<Outcome, Error> {
        let report = clash::merge(&self.outlines, &self.search, &self.pairs, shares)?;
        outcome(self.assembly, &self.options, self.hidden, report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, Pattern, check, json, share_from_bytes, share_to_bytes};
    use impinge::{
        Mesh, Pose,
        clash::PreparedMesh,
        generate::{self, Random},
        glam::DVec3,
    };
    use impinge_io::assembly::{AssemblyPart, Blob, Group};
    use std::sync::Arc;

    /// Cubes on a grid, so that many touch and many boxes are the same, and spheres; some are open.
    fn assembly(seed: u64) -> Assembly {
        let mut random = Random::new(seed);
        let cube = generate::cuboid(DVec3::ONE).unwrap();
        let long = generate::cuboid(DVec3::new(9.0, 0.5, 0.5)).unwrap();
        let open = Mesh::new(cube.positions().to_vec(), cube.faces()[2..].to_vec()).unwrap();
        let sphere = generate::icosphere(2).unwrap();
        let mut assembly = Assembly::default();
        assembly.meshes = [cube, long, open, sphere].map(Arc::new).into();
        assembly.groups = vec![Group::new("left", None), Group::new("right", None)];
        let distances: Arc<[f32]> = (0..12).map(|face| 1e-3 * face as f32).collect();
        for number in 0..40 {
            let mesh = random.below(4) as usize;
            let mut at = || random.below(5) as f64;
            let pose = Pose::from_translation(DVec3::new(at(), at(), at())).unwrap();
            let mut part = AssemblyPart::new(format!("part {number}"), mesh, pose);
            part.group = Some(random.below(2) as u32);
            part.rounding = [None, Some(1e-5)][random.below(2) as usize];
            if mesh == 0 && random.below(2) == 0 {
                part.tessellation = Tessellation::Faces(distances.clone());
            }
            assembly.parts.push(part);
        }
        assembly
    }

    fn text(outcome: &Outcome) -> String {
        let mut bytes = Vec::new();
        json::write(outcome, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_plan_gives_the_same_json_as_a_check() {
        for seed in 0..12 {
            let whole = assembly(seed);
            let mut options = CheckOptions {
                clearance: 0.1 * (seed % 3) as f64,
                is_quick: seed % 4 == 3,
                ..CheckOptions::default()
            };
            if seed % 2 == 1 {
                options.pairs.ignore.push("touching: part 1* :: part 2*".parse().unwrap());
                options.pairs.ignore.push("part 3*".parse().unwrap());
            }
            if seed % 5 == 1 {
                options.pairs.between.push(["left", "right"].map(Pattern::new));
            }
            let expected = check(whole.clone(), &options, &()).unwrap();
            assert!(expected.total() > 10, "seed {seed}");
            let blobs = whole.blobs();
            let outline = Assembly::from_bytes(&whole.to_bytes().unwrap()).unwrap();
            for limits in [(1, 1), (1000, 100), (3000, 1000), (u64::MAX, u64::MAX)] {
                let plan = Plan::new(outline.clone(), options.clone(), &()).unwrap();
                let cells = plan.cells(CellLimits::new(limits.0, limits.1));
                match limits {
                    (1, _) => assert_eq!(cells.len(), plan.pairs().len()),
                    (u64::MAX, _) => assert_eq!(cells.len(), 1),
                    _ => {}
                }
                let shares = cells.iter().rev().map(|cell| {
                    let task = Task::from_bytes(&plan.task(cell).to_bytes()).unwrap();
                    assert_eq!(task.pair_count(), cell.pairs.len());
                    let content = |number: u32| {
                        Ok::<_, ()>(match &blobs[number as usize] {
                            Blob::Mesh(mesh) => {
                                Content::Mesh(Arc::new(PreparedMesh::new(mesh.clone())))
                            }
                            Blob::Distances(distances) => Content::Distances(distances.clone()),
                            other => panic!("{other:?}"),
                        })
                    };
                    let share = task.run(content, &()).unwrap().unwrap();
                    let back = share_from_bytes(&share_to_bytes(&share)).unwrap();
                    assert_eq!(back, share, "seed {seed}");
                    back
                });
                let shares: Vec<Share> = shares.collect();
                let outcome = plan.finish(shares).unwrap();
                assert_eq!(text(&outcome), text(&expected), "seed {seed} {limits:?}");
            }
        }
    }

    #[test]
    fn a_lost_share_is_an_error() {
        let whole = assembly(1);
        let plan = Plan::new(whole, CheckOptions::default(), &()).unwrap();
        assert!(matches!(plan.finish([]), Err(Error::Shares(_))));
        assert!(share_from_bytes(b"abc").is_err() && Task::from_bytes(&[255; 3]).is_err());
    }
}
