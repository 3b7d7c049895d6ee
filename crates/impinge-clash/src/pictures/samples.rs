//! Sample findings for tests of outputs, computed pair by pair with simple code.

use crate::findings::{Findings, Row, Status};
use impinge::{
    Bounds, FacePair, Pair,
    clash::{Clash, Verdict},
    generate,
    glam::DVec3,
};
use impinge_io::assembly::{Assembly, AssemblyPart};
use std::sync::Arc;

/// The generated gearbox: one penetrating, one touching and one clearance pair.
pub(crate) fn gearbox() -> Findings {
    let mut assembly = Assembly::default();
    for (name, mesh, placement) in generate::gearbox() {
        let known = assembly.meshes.iter().position(|other| **other == mesh);
        let number = known.unwrap_or_else(|| {
            assembly.meshes.push(Arc::new(mesh));
            assembly.meshes.len() - 1
        });
        assembly.parts.push(AssemblyPart::new(name, number, placement));
    }
    assembly.files = vec!["models/gearbox.glb".into()];
    assembly.units = Some(impinge_io::assembly::Unit::Millimetre);
    let mut findings = of(assembly, 0.1);
    // Of the pairs that meet, one only touches.
    for row in &mut findings.rows {
        let names = [row.clash.a, row.clash.b].map(|part| &*findings.assembly.parts[part].name);
        if names == generate::GEARBOX_TOUCH {
            row.clash.verdict = Verdict::Touching;
        }
    }
    findings
}

/// Returns all pairs that meet or are closer than `clearance`, with places as exact as pictures need.
pub(crate) fn of(assembly: Assembly, clearance: f64) -> Findings {
    let mut rows = Vec::new();
    let placed =
        |part: usize| super::placed(&assembly.mesh(part).bounds(), &assembly.parts[part].placement);
    let boxes: Vec<Bounds> = (0..assembly.parts.len()).map(placed).collect();
    for b in 0..assembly.parts.len() {
        for a in 0..b {
            let mut near = boxes[a];
            near.min -= DVec3::splat(clearance);
            near.max += DVec3::splat(clearance);
            if !near.overlaps(&boxes[b]) {
                continue;
            }
            rows.extend(clash(&assembly, a, b, clearance));
        }
    }
    rows.sort_by_key(|row| (row.clash.a, row.clash.b));
    Findings { clearance, ..Findings::new(assembly, rows) }
}

fn clash(assembly: &Assembly, a: usize, b: usize, clearance: f64) -> Option<Row> {
    let poses = [a, b].map(|part| assembly.parts[part].placement);
    let meshes = [a, b].map(|part| &**assembly.mesh(part));
    let mut pair = Pair::with_method(impinge::Method::WIDE, meshes[0].clone(), meshes[1].clone());
    let faces = pair.contacts(&poses[0], &poses[1]).to_vec();
    let corners = |side: usize, face: u32| {
        meshes[side].triangle(face).map(|corner| poses[side].place(corner))
    };
    let mut extent = Bounds::EMPTY;
    for FacePair { a, b } in &faces {
        let (a, b) = (Bounds::enclosing(corners(0, *a)), Bounds::enclosing(corners(1, *b)));
        extent.merge(&Bounds { min: a.min.max(b.min), max: a.max.min(b.max) });
    }
    let met = !faces.is_empty();
    let (distance, points, faces) = match met {
        true => (0.0, [extent.center(); 2], faces),
        false => {
            let least = pair.distance(&poses[0], &poses[1])?;
            (least.distance, [least.a, least.b], vec![least.faces])
        }
    };
    if distance > clearance {
        return None;
    }
    if !met {
        extent = Bounds::enclosing(points);
    }
    let verdict = if met { Verdict::Penetrating } else { Verdict::Clearance };
    let mut clash = Clash::new(a, b, verdict);
    clash.distance = distance;
    clash.points = points;
    clash.faces = faces;
    clash.extent = extent;
    Some(Row { status: Some(Status::New), ..Row::new(clash) })
}
