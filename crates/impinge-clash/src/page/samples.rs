//! Sample findings for tests of the page, and the expected list as JSON.

use crate::{
    findings::{Findings, Resolved, Row, Status},
    hidden::Hidden,
    options::CheckOptions,
    path::{PathOptions, check_path},
    path_files::CheckedPath,
    path_page::PathPage,
    pattern::Pattern,
    review::{Review, ReviewStatus},
};
use impinge::{
    Bounds, FacePair, Mesh, Pair, Pose,
    clash::{Clash, Depth, Fit, Gap, Place, Side, Verdict},
    generate::{self, Random, gearbox},
    glam::{DMat3, DVec3},
};
use impinge_io::{
    PathRows,
    assembly::{Assembly, AssemblyPart, Group, Unit},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The gearbox and its clashes.
pub(super) fn of_gearbox() -> Findings {
    let mut assembly = Assembly::default();
    for (name, mesh, pose) in gearbox() {
        let known = assembly.meshes.iter().position(|known| **known == mesh);
        let number = known.unwrap_or_else(|| {
            assembly.meshes.push(Arc::new(mesh));
            assembly.meshes.len() - 1
        });
        assembly.parts.push(AssemblyPart::new(name, number, pose));
    }
    assembly.units = Some(Unit::Millimetre);
    assembly.files = vec!["gen:gearbox".into()];
    assembly.groups = vec![
        Group::new("gearbox", None),
        Group::new("input", Some(0)),
        Group::new("output", Some(0)),
        Group::new("bolts", Some(0)),
    ];
    for part in &mut assembly.parts {
        let words = [("input", 1), ("pinion", 1), ("output", 2), ("wheel", 2), ("bolt", 3)];
        let group = words.iter().find(|(word, _)| part.name.contains(word));
        part.group = Some(group.map_or(0, |&(_, group)| group));
    }
    let row = |names: [&str; 2], verdict, depth| {
        let [a, b] = names.map(|name| number(&assembly, name));
        Row::new(clash(&assembly, a, b, verdict, depth))
    };
    let rows = vec![
        row(generate::GEARBOX_CLASH, Verdict::Penetrating, Some(1.0)),
        row(generate::GEARBOX_TIGHT, Verdict::Clearance, None),
        row(generate::GEARBOX_TOUCH, Verdict::Touching, None),
    ];
    Findings { pairs_checked: 23, touch: 1e-3, clearance: 0.1, ..Findings::new(assembly, rows) }
}

/// A block that moves through a wall between the first two rows of a path, and turns on the other side of it.
pub(super) fn of_path() -> PathPage {
    let mut assembly = Assembly::default();
    for (name, size, x) in [("wall", DVec3::new(0.5, 20.0, 20.0), 0.0), ("block", DVec3::ONE, -5.5)]
    {
        assembly.parts.push(AssemblyPart::new(name, assembly.meshes.len(), placed(DVec3::X * x)));
        assembly.meshes.push(Arc::new(generate::cuboid(size).unwrap()));
    }
    assembly.units = Some(Unit::Millimetre);
    assembly.files = vec!["wall.obj".into()];
    let rows = "time,pose\n0,1,0,0,0,0,1,0,0,0,0,1,0\n4,1,0,0,10,0,1,0,0,0,0,1,0\n5,0,-1,0,6,1,0,0,7,0,0,1,0\n";
    let file = "path.csv".as_ref();
    let rows = PathRows::read(rows.as_bytes(), file).unwrap();
    let (options, moving) =
        (CheckOptions::default(), PathOptions::new(vec![Pattern::new("block")]));
    let outcome = check_path(&assembly, &rows, &moving, &options, &()).unwrap();
    let (assembly, rows, options, outcome) = (&assembly, &rows, &options, &outcome);
    PathPage::new(&CheckedPath { assembly, rows, file, options, outcome }, &()).unwrap()
}

/// Names that are dangerous if taken for markup, every verdict and status, and an open part, all far from the
/// origin.
pub(super) fn hostile() -> Findings {
    const FAR: DVec3 = DVec3::new(4e6, -7e6, 5e5);
    let mesh = Arc::new(generate::cuboid(DVec3::ONE).unwrap());
    let open = Mesh::new(mesh.positions().to_vec(), mesh.faces()[1..].to_vec()).unwrap();
    let mut assembly = Assembly::default();
    assembly.meshes = vec![mesh, Arc::new(open)];
    assembly.groups = vec![
        Group::new("</script><script>window.harm=1</script>", None),
        Group::new("<img src=x onerror=window.harm=2>", Some(0)),
    ];
    let names = [
        "</script><script>window.harm=3</script>",
        "<img src=x onerror='window.harm=4'>",
        "\"><svg onload=window.harm=5>",
        "<!-- <script> ${window.harm=6} `\\u2028\u{2028}\u{202e}",
        "@FINDINGS@",
        "ordinary",
        "shaft",
        "hole",
    ];
    for (number, name) in names.into_iter().enumerate() {
        let offset = DVec3::new(number as f64 * 0.75, 0.0, 0.0);
        let mut part = AssemblyPart::new(name, usize::from(number == 3), placed(FAR + offset));
        part.group = [None, Some(0), Some(1)][number % 3];
        assembly.parts.push(part);
    }
    let row = |a: usize, verdict, depth, status| {
        let mut clash = clash(&assembly, a, a + 1, verdict, depth);
        clash.is_closed = [a != 3, a + 1 != 3];
        Row { status: Some(status), ..Row::new(clash) }
    };
    let mut rows = vec![
        row(0, Verdict::Duplicate, Some(0.25), Status::New),
        row(1, Verdict::Inside, Some(0.2), Status::Known),
        row(2, Verdict::Penetrating, None, Status::New),
        row(5, Verdict::Undecided, None, Status::Worse),
        row(6, Verdict::Fit, Some(0.02), Status::Known),
        row(3, Verdict::Clearance, None, Status::Known),
        row(4, Verdict::Touching, None, Status::New),
    ];
    rows[1].clash.inner = Some(Side::B);
    rows[1].clash.volume = Some(0.125);
    rows[2].review = Some(Review {
        status: ReviewStatus::Reviewed,
        comment: "</textarea><script>window.harm=8</script>".to_owned(),
        assignee: "<b>kim</b>".to_owned(),
        group: "<img src=x onerror=window.harm=9>".to_owned(),
    });
    rows[4].clash.fit = Some(Fit::new(Side::A, 0.26, 0.25));
    rows[6].clash.band = 0.3;
    rows[6].clash.depth = Some(Depth::at_least(0.2));
    let resolved = Resolved::new("<b onclick=window.harm=7>gone</b>", "ordinary", "penetrating");
    let resolved = vec![resolved];
    let mut hidden = Hidden::default();
    (hidden.only, hidden.pairs_ignored) = (12, 1234);
    Findings {
        resolved,
        hidden,
        gaps: vec![Gap::new(3, 1.5, false), Gap::new(5, 1e-4, true)],
        pairs_checked: 5,
        touch: 1e-3,
        clearance: 0.5,
        ..Findings::new(assembly, rows)
    }
}

/// Two parts whose coordinates exceed the range of single precision.
pub(super) fn huge() -> Findings {
    let mut assembly = Assembly::default();
    assembly.meshes = vec![Arc::new(generate::cuboid(DVec3::splat(1e90)).unwrap())];
    for (name, x) in [("left", 0.0), ("right", 6e89)] {
        assembly.parts.push(AssemblyPart::new(name, 0, placed(DVec3::X * x)));
    }
    let clash = clash(&assembly, 0, 1, Verdict::Penetrating, Some(4e89));
    let rows = vec![Row::new(clash)];
    Findings { pairs_checked: 1, ..Findings::new(assembly, rows) }
}

/// No parts and no clashes.
pub(super) fn empty() -> Findings {
    let (assembly, rows) = (Assembly::default(), vec![]);
    Findings { pairs_checked: 0, ..Findings::new(assembly, rows) }
}

/// A plant of a given number of parts and clashes: balls, pipes and boxes in a grid.
pub(super) fn plant(parts: usize, clashes: usize) -> Findings {
    let mut random = Random::new(7);
    let mut assembly = Assembly::default();
    for number in 0..200 {
        let size = 0.3 + 0.5 * random.unit();
        let mesh = match number % 3 {
            0 => generate::sphere(900 + 2 * number),
            1 => generate::torus(1.0, 0.4, [32, 16 + number % 10]),
            _ => generate::cuboid(DVec3::new(1.0, 1.0 + size, size)),
        };
        let mesh = generate::scaled_to_cube(&mesh.unwrap(), size).unwrap();
        assembly.meshes.push(Arc::new(mesh));
    }
    assembly.groups =
        (0..100).map(|number| Group::new(format!("area {number}"), None)).collect::<Vec<_>>();
    let side = (parts as f64).cbrt().ceil() as usize;
    for number in 0..parts {
        let cell = [number % side, number / side % side, number / side / side];
        let at = DVec3::from_array(cell.map(|place| place as f64 * 1.5));
        let turn = DMat3::from_rotation_z(random.unit() * 6.0);
        let mut part = AssemblyPart::new(
            format!("part {number:06}"),
            random.below(200) as usize,
            Pose::new(turn, at).unwrap(),
        );
        part.group = Some((number * 100 / parts) as u32);
        assembly.parts.push(part);
    }
    let row = |number: usize| {
        let a = number % (parts - 1);
        let at = assembly.parts[a].placement.translation() + DVec3::X * 0.75;
        let verdict = Verdict::ALL[number % Verdict::ALL.len()];
        let extent = Bounds { min: at - DVec3::splat(0.1), max: at + DVec3::splat(0.1) };
        let mut clash = Clash::new(a, a + 1, verdict);
        clash.depth =
            (verdict == Verdict::Penetrating).then(|| Depth::at_least(0.001 * number as f64));
        clash.distance = if verdict == Verdict::Clearance { 1e-4 * number as f64 } else { 0.0 };
        clash.points = [at; 2];
        clash.faces = (0..10).map(|face| FacePair { a: face, b: face }).collect();
        clash.length = 0.5;
        clash.extent = extent;
        clash.places = vec![Place { point: at, length: 0.5, extent, faces: (0..10).collect() }];
        Row::new(clash)
    };
    let rows = (0..clashes).map(row).collect();
    Findings { pairs_checked: 1, ..Findings::new(assembly, rows) }
}

/// The fields of the `--json` list that the page must agree with.
pub(super) fn json(findings: &Findings) -> Value {
    let name = |part: usize| findings.assembly.full_name(part);
    let clash = |row: &Row| {
        let Clash { a, b, verdict, depth, distance, points, faces, .. } = &row.clash;
        json!({
            "a": name(*a), "b": name(*b), "verdict": verdict.name(), "depth": depth.map(|depth| depth.at_least),
            "distance": distance, "point": points[0].to_array(),
            "faces": faces.iter().map(|pair| [pair.a, pair.b]).collect::<Vec<_>>(),
        })
    };
    json!({
        "parts": findings.assembly.parts.len(),
        "pairs_checked": findings.pairs_checked,
        "clashes": findings.rows.iter().map(clash).collect::<Vec<_>>(),
    })
}

fn number(assembly: &Assembly, name: &str) -> usize {
    assembly.parts.iter().position(|part| part.name == name).unwrap()
}

fn placed(at: DVec3) -> Pose {
    Pose::from_translation(at).unwrap()
}

/// A made-up clash of two parts, good enough to show.
fn clash(assembly: &Assembly, a: usize, b: usize, verdict: Verdict, depth: Option<f64>) -> Clash {
    let poses = [a, b].map(|part| assembly.parts[part].placement);
    let meshes = [a, b].map(|part| &**assembly.mesh(part));
    let mut pair = Pair::with_method(impinge::Method::WIDE, meshes[0].clone(), meshes[1].clone());
    let least = pair.distance(&poses[0], &poses[1]).unwrap();
    let least_points = [least.a, least.b];
    let contacts = pair.contacts(&poses[0], &poses[1]);
    let common = |pair: &FacePair| {
        let corners = [meshes[0].triangle(pair.a), meshes[1].triangle(pair.b)];
        let [a, b] =
            [0, 1].map(|of| Bounds::enclosing(corners[of].map(|corner| poses[of].place(corner))));
        Bounds { min: a.min.max(b.min), max: a.max.min(b.max) }
    };
    let places = pieces(contacts).into_iter().map(|faces| {
        let mut extent = Bounds::EMPTY;
        faces.iter().for_each(|&face| extent.merge(&common(&contacts[face as usize])));
        let length = extent.size().element_sum();
        Place { point: extent.center(), length, extent, faces }
    });
    let places: Vec<Place> = places.collect();
    let mut extent = Bounds::EMPTY;
    places.iter().for_each(|place| extent.merge(&place.extent));
    let (faces, points) = if contacts.is_empty() {
        extent = Bounds::enclosing(least_points);
        (vec![least.faces], least_points)
    } else {
        (contacts.to_vec(), [places[0].point; 2])
    };
    let mut clash = Clash::new(a, b, verdict);
    clash.depth = depth.map(Depth::at_least);
    clash.distance = least.distance;
    clash.points = points;
    clash.faces = faces;
    clash.length = places.iter().map(|place| place.length).sum();
    clash.extent = extent;
    clash.places = places;
    clash
}

/// Pairs that share a face belong to one place.
fn pieces(pairs: &[FacePair]) -> Vec<Vec<u32>> {
    let mut piece: Vec<usize> = (0..pairs.len()).collect();
    for later in 0..pairs.len() {
        for earlier in 0..later {
            if pairs[later].a == pairs[earlier].a || pairs[later].b == pairs[earlier].b {
                let (old, new) = (piece[later], piece[earlier]);
                piece.iter_mut().filter(|piece| **piece == old).for_each(|piece| *piece = new);
            }
        }
    }
    let mut names = piece.clone();
    names.sort_unstable();
    names.dedup();
    let of = |name: &usize| (0..).zip(&piece).filter(|(_, p)| *p == name).map(|(i, _)| i).collect();
    names.iter().map(of).collect()
}
