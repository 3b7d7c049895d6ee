//! Writes the findings as a BCF file: one topic for each clash, with a viewpoint and a snapshot.

use crate::{
    findings::{Findings, Row, Status},
    pictures::{Studio, color_of},
    renderer::Camera,
};
use impinge::clash::{Clash, Verdict};
use impinge_io::{
    assembly::Unit,
    bcf::{Component, Guid, Project, Topic, Viewpoint, Writer},
    one_line,
};
use std::{
    fmt::Write as _,
    io::{Result, Write},
};

pub use impinge_io::bcf::{Date, Version};

/// Size of the snapshots.
const SIZE: [usize; 2] = [900, 600];

/// BcfOptions of a BCF file.
#[derive(Clone, Debug)]
pub struct BcfOptions {
    /// The BCF version.
    pub version: Version,
    /// Creation date of the topics.
    pub date: Date,
    /// Author of the topics.
    pub author: String,
    /// Topics with a snapshot: only the first ones have one.
    pub pictures: usize,
}

impl BcfOptions {
    /// The current date, version 2.1, this program as author, and snapshots of the first thousand topics.
    pub fn now() -> Self {
        let (version, author) = (Version::default(), "impinge".to_owned());
        Self { version, date: Date::now(), author, pictures: 1000 }
    }
}

/// Writes one topic for each listed clash, and one closed topic for each resolved pair. Calls `done` after
/// each clash.
///
/// The GUID of a topic depends only on the names of the files and of the two parts, in any order. Coordinates
/// are in metres if the unit of the assembly is known; otherwise they are unchanged.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(
    findings: &Findings,
    options: &BcfOptions,
    out: &mut dyn Write,
    mut done: impl FnMut(),
) -> Result<()> {
    let name = name(findings);
    let file_name = |path: &std::path::PathBuf| {
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    };
    let project = Project {
        version: options.version,
        name: &name,
        author: &options.author,
        date: options.date,
        files: findings.assembly.files.iter().map(file_name).collect(),
    };
    let studio = Studio::new(findings);
    let mut writer = Writer::new(&project, out)?;
    for (number, row) in findings.rows.iter().enumerate() {
        let (camera, snapshot) = match number < options.pictures {
            true => {
                let shot = studio.of_clash(number, SIZE);
                (shot.camera, Some(shot.image.png()?))
            }
            false => (studio.camera(number, SIZE), None),
        };
        let viewpoint = Some(viewpoint(findings, &row.clash, &camera));
        writer.add(&Topic { viewpoint, snapshot, ..topic(findings, &name, row) })?;
        done();
    }
    for resolved in &findings.resolved {
        writer.add(&Topic {
            guid: guid(&name, &resolved.a, &resolved.b),
            title: title(&resolved.verdict, &resolved.a, &resolved.b),
            description: "These two parts no longer clash.".to_owned(),
            kind: "Clash",
            status: "Closed",
            priority: "Low",
            labels: vec![&resolved.verdict, "resolved"],
            viewpoint: None,
            snapshot: None,
        })?;
    }
    writer.finish()
}

/// Returns the name of the project: the names of its files.
fn name(findings: &Findings) -> String {
    let stems = findings.assembly.files.iter().filter_map(|path| path.file_stem());
    let stems: Vec<_> = stems.map(|stem| stem.to_string_lossy()).collect();
    if stems.is_empty() { "assembly".to_owned() } else { stems.join(", ") }
}

fn guid(project: &str, a: &str, b: &str) -> Guid {
    Guid::of(&["clash", project, a.min(b), a.max(b)])
}

/// Returns the title of a topic, as one line.
fn title(verdict: &str, a: &str, b: &str) -> String {
    one_line(&format!("{verdict}: {a} – {b}"))
}

fn topic<'a>(findings: &Findings, project: &str, row: &Row) -> Topic<'a> {
    let clash = &row.clash;
    let [a, b] = [clash.a, clash.b].map(|part| &*findings.assembly.parts[part].name);
    let mut labels = vec![clash.verdict.name()];
    labels.extend(row.status.map(Status::name));
    Topic {
        guid: guid(project, a, b),
        title: title(clash.verdict.name(), a, b),
        description: description(findings, clash),
        kind: "Clash",
        status: "Open",
        priority: match clash.verdict {
            Verdict::Duplicate | Verdict::Inside | Verdict::Penetrating => "High",
            Verdict::Clearance => "Normal",
            Verdict::Touching => "Low",
            // A verdict unknown to this version counts as severe.
            _ => "High",
        },
        labels,
        viewpoint: None,
        snapshot: None,
    }
}

fn description(findings: &Findings, clash: &Clash) -> String {
    let [a, b] = [clash.a, clash.b].map(|part| findings.assembly.full_name(part));
    let unit = findings.assembly.units.map_or(String::new(), |unit| format!(" {unit}"));
    let mut text = format!("{a}\n{b}\n");
    if let Some(depth) = clash.least_depth().filter(|&depth| depth > 0.0) {
        let _ = writeln!(text, "at least {depth}{unit} deep");
    }
    if clash.distance > 0.0 {
        let _ = writeln!(text, "{}{unit} apart", clash.distance);
    }
    if clash.length > 0.0 {
        let _ = writeln!(text, "crossing along {}{unit}", clash.length);
    }
    let [x, y, z] = clash.points[0].to_array();
    let _ = write!(text, "at {x}, {y}, {z}{unit}");
    match clash.places.len() {
        0 | 1 => {}
        2 => text.push_str(" and one other place"),
        count => _ = write!(text, " and {} other places", count - 1),
    }
    text
}

fn viewpoint(findings: &Findings, clash: &Clash, camera: &Camera) -> Viewpoint {
    let to_metres = findings.assembly.units.map_or(1.0, |unit| unit.to(Unit::Metre));
    let component = |part: usize| {
        let name = findings.assembly.full_name(part);
        (Component { name }, color_of(clash.verdict))
    };
    Viewpoint {
        position: camera.eye * to_metres,
        direction: camera.direction,
        up: camera.up,
        field_of_view: camera.lens.field_of_view,
        aspect: camera.lens.aspect,
        components: [clash.a, clash.b].map(component).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{findings::Resolved, pictures::samples},
        *,
    };

    fn written(findings: &Findings, version: Version, pictures: usize) -> Vec<u8> {
        let date = Date::from_unix(1_700_000_000);
        let options = BcfOptions { version, date, author: "someone".to_owned(), pictures };
        let (mut bytes, mut count) = (Vec::new(), 0);
        write(findings, &options, &mut bytes, || count += 1).unwrap();
        assert_eq!(count, findings.rows.len());
        bytes
    }

    fn gearbox() -> Findings {
        let mut findings = samples::gearbox();
        findings.resolved.push(Resolved::new("wheel", "bolt back left", "touching"));
        findings
    }

    /// Reads the file names in the central directory of an archive.
    fn names(bytes: &[u8]) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = 0;
        while let Some(found) = bytes[at..].windows(4).position(|it| it == b"PK\x01\x02") {
            let entry = &bytes[at + found..];
            let length = usize::from(u16::from_le_bytes([entry[28], entry[29]]));
            names.push(String::from_utf8(entry[46..46 + length].to_vec()).unwrap());
            at += found + 46 + length;
        }
        names
    }

    #[test]
    fn every_clash_is_a_topic() {
        let findings = gearbox();
        for version in Version::ALL {
            let bytes = written(&findings, version, 1);
            assert_eq!(bytes, written(&findings, version, 1));
            let names = names(&bytes);
            let count = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
            assert_eq!(findings.rows.len(), 3);
            assert_eq!(count("/markup.bcf"), 4);
            assert_eq!(count("/viewpoint.bcfv"), 3);
            assert_eq!(count("/snapshot.png"), 1);
        }
        if let Some(folder) = std::env::var_os("IMPINGE_BCF") {
            for version in Version::ALL {
                let path = std::path::Path::new(&folder).join(format!("gearbox-{version}.bcf"));
                std::fs::write(path, written(&findings, version, 3)).unwrap();
            }
        }
    }

    #[test]
    fn topics_keep_their_guids_when_parts_change_places() {
        let findings = gearbox();
        let mut turned = gearbox();
        turned.assembly.parts.reverse();
        let last = turned.assembly.parts.len() - 1;
        for row in &mut turned.rows {
            (row.clash.a, row.clash.b) = (last - row.clash.b, last - row.clash.a);
        }
        let guids = |findings: &Findings| -> Vec<Guid> {
            findings.rows.iter().map(|row| topic(findings, "p", row).guid).collect()
        };
        assert_eq!(guids(&findings), guids(&turned));
        let mut all = guids(&findings);
        all.dedup();
        assert_eq!(all.len(), 3);
        assert_eq!(name(&findings), "gearbox");
    }

    #[test]
    fn cameras_are_in_metres() {
        let findings = gearbox();
        let camera = Studio::new(&findings).camera(0, SIZE);
        let seen = viewpoint(&findings, &findings.rows[0].clash, &camera);
        assert!((seen.position * 1000.0 - camera.eye).length() < 1e-9);
        assert_eq!((seen.direction, seen.up), (camera.direction, camera.up));
        let names: Vec<&str> = seen.components.iter().map(|it| &*it.0.name).collect();
        assert_eq!(names, impinge::generate::GEARBOX_TOUCH);
        let text = description(&findings, &findings.rows[2].clash);
        assert!(
            text.starts_with("pinion\nwheel\n0.0") && text.contains(" mm apart\nat "),
            "{text}"
        );
    }
}
