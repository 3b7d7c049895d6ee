//! Writes a report as GLB: the bodies, the path coloured by verdict, and the tool at the worst place.

use crate::{
    Report, ToolPartKind, ToolPose,
    colors::{HIT_FACES, PathClass, Rgb, body_color, tool_color},
    drawn_path::DrawnPath,
    tool_mesh::{placed, tubes},
};
use impinge::{Mesh, Pose};
use impinge_io::{
    Assembly, Paint,
    assembly::{AssemblyPart, Unit},
    write_painted,
};
use std::{
    io::{self, Write},
    sync::Arc,
};

/// The most points of the drawn path. Each segment takes six triangles.
const MOST_POINTS: usize = 60_000;

/// The radius of the line, relative to the size of the bodies.
const LINE: f64 = 6e-4;

/// Writes one node for each body, for each kind of path (`path clear`, `path rapid`, `path gouging`) and for each part of
/// the tool at the deepest gouge (`tool cutter` and so on). Faces that a tool reaches into are red.
///
/// # Errors
/// If `out` cannot be written to, or a coordinate is too large for single precision.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (assembly, paint) = painted(report);
    write_painted(&assembly, &paint, out)
}

fn painted(report: &Report<'_>) -> (Assembly, Paint) {
    let mut assembly = Assembly::default();
    assembly.units = Some(Unit::Millimetre);
    let mut paint = Paint::default();
    let mut add = |name: &str, mesh: Arc<Mesh>, color: [u8; 4]| {
        let number = assembly.parts.len();
        assembly.parts.push(AssemblyPart::new(name, number, Pose::IDENTITY));
        assembly.meshes.push(mesh);
        paint.parts.insert(number, color);
    };
    for body in &report.setup.bodies {
        add(&body.name, Arc::clone(body.mesh()), body_color(body.role));
    }
    let radius = LINE * report.setup.bounds().size().length();
    let path = DrawnPath::new(report, MOST_POINTS);
    for class in PathClass::ALL {
        let ends = path.points.windows(2).filter(|ends| ends[1].class == Some(class));
        let segments: Vec<_> = ends.map(|ends| [ends[0].pose.tip, ends[1].pose.tip]).collect();
        // Gouging moves are thicker, so that they are seen over others along the same line.
        let radius = if class == PathClass::Gouging { 2.0 * radius } else { radius };
        if let Some(mesh) = tubes(&segments, radius) {
            add(&format!("path {}", class.name()), mesh.into(), opaque(class.color()));
        }
    }
    if let Some(worst) = report.worst_first().first()
        && let Some(tool) = report.tools.get(&worst.tool)
    {
        let pose = ToolPose { tip: worst.tip, axis: worst.axis };
        let tool = tool.with_reach(0.5 * report.setup.bounds().size().length());
        for kind in [ToolPartKind::Cutter, ToolPartKind::Shank, ToolPartKind::Holder] {
            for part in tool.parts.iter().filter(|part| part.kind == kind) {
                if let Some(mesh) = placed(part, pose) {
                    let [red, green, blue] = tool_color(kind);
                    add(&format!("tool {}", kind.name()), mesh.into(), [red, green, blue, 150]);
                }
            }
        }
    }
    for gouge in &report.outcome.gouges {
        let faces = gouge.faces.iter().map(|&face| ((gouge.body, face), opaque(HIT_FACES)));
        paint.faces.extend(faces);
    }
    (assembly, paint)
}

fn opaque([red, green, blue]: Rgb) -> [u8; 4] {
    [red, green, blue, 255]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::Sample;
    use impinge_io::assembly::{LoadOptions, read};
    use std::path::Path;

    #[test]
    fn the_file_has_the_part_the_paths_and_the_tool() {
        let sample = Sample::demo();
        let report = sample.report();
        let mut bytes = Vec::new();
        write(&report, &mut bytes).unwrap();
        let back = read(&bytes, Path::new("out.glb"), &LoadOptions::default()).unwrap();
        let names: Vec<&str> = back.parts.iter().map(|part| part.name.as_str()).collect();
        let paths = ["path clear", "path rapid", "path gouging"];
        let tool = ["tool cutter", "tool holder", "tool holder (2)"];
        assert_eq!(names[..4], [&["example part"][..], &paths].concat());
        assert_eq!(names.len(), 4 + tool.len(), "{names:?}");
        // The file is in metres.
        let size =
            back.mesh(0).bounds().size() * back.parts[0].placement.rotation().x_axis.length();
        assert!((size.x - 0.08).abs() < 1e-6 || (size.x - 80.0).abs() < 1e-3, "{size}");
    }
}
