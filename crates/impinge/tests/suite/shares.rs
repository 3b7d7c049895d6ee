//! A search in shares gives the same report as one search, however the pairs are divided.

use impinge::{
    Bounds, Mesh, Pose,
    clash::{
        self, Effort, Finder, Options, Outline, Part, PreparedMesh, Report, Share, ShareError,
        Tessellation,
    },
    generate::{self, Random},
    glam::{DMat3, DQuat, DVec3},
};
use std::{collections::HashMap, sync::Arc};

/// Closed, open and empty meshes; some of the open ones have gaps that count as closed.
fn meshes() -> Vec<Arc<Mesh>> {
    let cube = generate::cuboid(DVec3::ONE).expect("a size");
    let sphere = generate::icosphere(1).expect("few faces");
    let open = |mesh: &Mesh, from: usize| {
        Mesh::new(mesh.positions().to_vec(), mesh.faces()[from..].to_vec()).expect("a mesh")
    };
    // Each face has vertices of its own, some moved by less than the touch band, or by more.
    let soup = |by: f64| {
        let corners = cube.triangles().flatten();
        let moved = |(at, p): (usize, DVec3)| if at % 7 == 0 { p + DVec3::splat(by) } else { p };
        let corners: Vec<DVec3> = corners.enumerate().map(moved).collect();
        let faces = (0..corners.len() as u32 / 3).map(|face| [0, 1, 2].map(|at| 3 * face + at));
        Mesh::new(corners, faces.collect()).expect("a mesh")
    };
    let all =
        [open(&cube, 1), open(&cube, 8), open(&sphere, 3), soup(1e-9), soup(1e-4), cube, sphere];
    all.into_iter().chain([Mesh::default()]).map(Arc::new).collect()
}

fn parts(random: &mut Random, count: u64) -> Vec<Part> {
    let meshes = meshes();
    let part = |_| {
        let mesh = &meshes[random.below(meshes.len() as u64) as usize];
        let mut number = || random.range(-1.0, 1.0);
        let turn = DQuat::from_xyzw(number(), number(), number(), number() + 2.0).normalize();
        let at = DVec3::new(number(), number(), number()) * 2.0;
        let (turn, at) = match random.below(3) {
            0 => (DMat3::from_quat(turn), at),
            _ => (DMat3::IDENTITY, (at * 2.0).round() * 0.5),
        };
        // Not every instance has a mesh of its own.
        let mesh = match random.below(4) {
            0 => Arc::new(Mesh::clone(mesh)),
            _ => Arc::clone(mesh),
        };
        let faces = mesh.faces().len();
        let mut part = Part::new(mesh, Pose::new(turn, at).expect("a pose"));
        part.rounding = [None, Some(1e-6), Some(1e-3)][random.below(3) as usize];
        part.tessellation = match random.below(3) {
            0 => Tessellation::Faces((0..faces).map(|face| face as f32 * 1e-3).collect()),
            1 => Tessellation::Uniform(1e-3),
            _ => Tessellation::default(),
        };
        part
    };
    (0..count).map(part).collect()
}

/// Outlines with numbers for the distinct meshes.
fn outlines(parts: &[Part]) -> Vec<Outline> {
    let mut numbers: HashMap<*const Mesh, u32> = HashMap::new();
    let outline = |part: &Part| {
        let next = numbers.len() as u32 * 3 + 5;
        Outline::of(*numbers.entry(Arc::as_ptr(&part.mesh)).or_insert(next), part)
    };
    parts.iter().map(outline).collect()
}

/// Checks some pairs with a finder that has no more than the parts of these pairs.
fn share(parts: &[Part], outlines: &[Outline], options: &Options, pairs: &[[u32; 2]]) -> Share {
    let mut needed: Vec<u32> = pairs.iter().copied().flatten().collect();
    needed.sort_unstable();
    needed.dedup();
    let local = |part: u32| needed.iter().position(|&other| other == part).expect("a part") as u32;
    let mut prepared: HashMap<u32, Arc<PreparedMesh>> = HashMap::new();
    let own: Vec<Part> = needed.iter().map(|&part| parts[part as usize].clone()).collect();
    let meshes = needed.iter().map(|&part| {
        let mesh = || Arc::new(PreparedMesh::new(Arc::clone(&parts[part as usize].mesh)));
        Arc::clone(prepared.entry(outlines[part as usize].mesh()).or_insert_with(mesh))
    });
    let mut finder = Finder::from_prepared(own, meshes.collect(), options);
    let mesh_of: HashMap<u32, u32> = finder
        .outlines()
        .iter()
        .zip(&needed)
        .map(|(own, &part)| (own.mesh(), outlines[part as usize].mesh()))
        .collect();
    let pairs: Vec<[u32; 2]> = pairs.iter().map(|pair| pair.map(local)).collect();
    let mut share = finder.check_pairs(&pairs, &()).expect("nobody stops it");
    share.renumber(|part| needed[part] as usize, |mesh| mesh_of[&mesh]);
    share
}

#[test]
fn any_division_of_the_pairs_gives_the_same_report() {
    let (mut gaps, mut clashes) = (0, 0);
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let count = 2 + random.below(14);
        let parts = parts(&mut random, count);
        let mut options =
            Options::new().clearance([0.0, 0.2][seed as usize % 2]).expect("a length");
        if seed % 3 == 0 {
            options = options.touch(1e-3).expect("a length");
        }
        if seed % 5 == 0 {
            options = options.effort(Effort::Quick);
        }
        let whole = clash::find(&parts, &options);
        let outlines = outlines(&parts);
        let pairs = clash::near_pairs(&outlines, &options, &()).expect("nobody stops it");
        assert_eq!(pairs.len() as u64, whole.pairs_checked, "seed {seed}");
        for _ in 0..4 {
            let shares = 1 + random.below(pairs.len() as u64 + 2) as usize;
            let mut divided = vec![Vec::new(); shares];
            for &pair in &pairs {
                divided[random.below(shares as u64) as usize].push(pair);
            }
            // In any order.
            for at in (1..divided.len()).rev() {
                divided.swap(at, random.below(at as u64 + 1) as usize);
            }
            let shares = divided.iter().map(|pairs| share(&parts, &outlines, &options, pairs));
            let merged: Report =
                clash::merge(&outlines, &options, &pairs, shares).expect("all pairs");
            assert_eq!(merged, whole, "seed {seed}");
        }
        gaps += whole.gaps.len();
        clashes += whole.clashes.len();
    }
    assert!(gaps > 100 && clashes > 200, "{gaps} gaps, {clashes} clashes");
}

#[test]
fn shares_that_are_lost_or_come_twice_are_refused() {
    let cube = Arc::new(generate::cuboid(DVec3::ONE).expect("a size"));
    let at = |x: f64| Pose::from_translation(DVec3::X * x).expect("a pose");
    let parts: Vec<Part> =
        (0..4).map(|x| Part::new(Arc::clone(&cube), at(0.9 * f64::from(x)))).collect();
    let options = Options::new();
    let outlines = outlines(&parts);
    let pairs = clash::near_pairs(&outlines, &options, &()).expect("nobody stops it");
    assert_eq!(pairs, [[0, 1], [1, 2], [2, 3]]);
    let one = |pair: usize| share(&parts, &outlines, &options, &pairs[pair..=pair]);
    let merge = |shares: Vec<Share>| clash::merge(&outlines, &options, &pairs, shares);
    assert_eq!(merge(vec![one(2), one(0), one(1)]), Ok(clash::find(&parts, &options)));
    assert_eq!(merge(vec![one(2), one(0)]), Err(ShareError::Count { expected: 3, found: 2 }));
    assert_eq!(merge(vec![one(2), one(0), one(2)]), Err(ShareError::Twice { a: 2, b: 3 }));
    let mut wrong = one(1);
    wrong.renumber(|part| part + 1, |mesh| mesh);
    assert_eq!(
        merge(vec![one(0), wrong, Share::default(), one(0)]),
        Err(ShareError::Twice { a: 0, b: 1 })
    );
    let mut wrong = one(0);
    wrong.renumber(|part| 3 * part, |mesh| mesh);
    assert_eq!(merge(vec![wrong, one(1), one(2)]), Err(ShareError::Unknown { a: 0, b: 3 }));
}

#[test]
fn outlines_need_only_bounds() {
    let mut random = Random::new(3);
    for part in parts(&mut random, 50) {
        let bounds: Bounds = part.mesh.bounds();
        let largest = part.tessellation.largest();
        let outline = Outline::new(7, &bounds, &part.pose, part.rounding, largest);
        assert_eq!(outline, Outline::of(7, &part));
        assert_eq!(outline.bounds(), impinge::Shape::new(part.mesh).placed_bounds(&part.pose));
    }
}
