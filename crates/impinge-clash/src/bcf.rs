//! Writes the findings as a BCF file: one topic for each clash or group of clashes, with viewpoints and snapshots.

use crate::{
    findings::{Findings, Row, Status},
    pictures::{Studio, color_of},
    renderer::Camera,
    review::{Review, ReviewStatus},
};
use impinge::{
    clash::{Clash, Fit, Verdict},
    glam::DVec3,
};
use impinge_io::{
    assembly::{Unit, Up},
    bcf::{Component, Guid, Project, Topic, View, Viewpoint, Writer, ifc_guid},
    one_line,
};
use std::{
    collections::{HashMap, HashSet},
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

/// Writes one topic for each listed clash, or for each group of clashes made by hand, and one closed topic for each
/// resolved pair. Calls `done` after each clash.
///
/// The GUID of a topic depends only on the names of the files and on the key of the clash, or on the name of the
/// group. Coordinates are in metres if the unit of the assembly is known; otherwise they are unchanged. Their z axis
/// points up, as in all of BCF: if the y axis of the assembly points up, as in glTF files, they are rotated.
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
    for numbers in topics(findings) {
        let mut views = Vec::new();
        for &number in &numbers {
            let (camera, snapshot) = match number < options.pictures {
                true => {
                    let shot = studio.of_clash(number, SIZE);
                    (shot.camera, Some(shot.image.png()?))
                }
                false => (studio.camera(number, SIZE), None),
            };
            let viewpoint = viewpoint(findings, &findings.rows[number].clash, &camera);
            views.push(View { viewpoint, snapshot });
            done();
        }
        let rows: Vec<&Row> = numbers.iter().map(|&number| &findings.rows[number]).collect();
        writer.add(&Topic { views, ..topic(findings, &name, &rows) })?;
    }
    for gone in closed(findings, &name) {
        writer.add(&Topic {
            guid: gone.guid,
            title: gone.title,
            description: gone.description.to_owned(),
            kind: "Clash",
            status: "Closed",
            assignee: gone.review.map_or("", |review| &review.assignee),
            priority: "Low",
            labels: vec![gone.verdict, "resolved"],
            comments: gone.review.map(|review| comments(review)).unwrap_or_default(),
            views: Vec::new(),
        })?;
    }
    writer.finish()
}

/// Returns the rows of each topic: one row, or all rows of a group made by hand.
fn topics(findings: &Findings) -> Vec<Vec<usize>> {
    let mut topics: Vec<Vec<usize>> = Vec::new();
    let mut groups: HashMap<&str, usize> = HashMap::new();
    for (number, row) in findings.rows.iter().enumerate() {
        let group = row.review.as_ref().map_or("", |review| &review.group);
        match groups.get(group) {
            Some(&topic) if !group.is_empty() => topics[topic].push(number),
            _ => {
                groups.insert(group, topics.len());
                topics.push(vec![number]);
            }
        }
    }
    topics
}

/// A topic about clashes that are no longer there.
struct Closed<'f> {
    guid: Guid,
    title: String,
    description: &'static str,
    verdict: &'f str,
    review: Option<&'f Review>,
}

/// Returns the topics about pairs that no longer clash: those of the baseline and of the review file. A group made
/// by hand is closed if none of its clashes is left.
fn closed<'f>(findings: &'f Findings, project: &str) -> Vec<Closed<'f>> {
    let mut seen: HashSet<Guid> =
        topics(findings).iter().map(|rows| guid(project, &findings.rows[rows[0]])).collect();
    let reviewed = findings.other_reviews.iter().flatten();
    let reviewed =
        reviewed.filter(|entry| entry.review.status == ReviewStatus::Resolved).map(|entry| {
            let [a, b] = [0, 1].map(|side| &*entry.parts[side].name);
            let group = &*entry.review.group;
            let (guid, title, description) = match group.is_empty() {
                true => {
                    let title = title(entry.verdict.name(), a, b);
                    (of_key(project, &entry.key), title, "These two parts no longer clash.")
                }
                false => (
                    of_group(project, group),
                    one_line(group),
                    "None of these parts clash any more.",
                ),
            };
            let review = Some(&entry.review);
            Closed { guid, title, description, verdict: entry.verdict.name(), review }
        });
    let resolved = findings.resolved.iter().map(|gone| {
        let (a, b) = (&*gone.a, &*gone.b);
        // Baselines of older versions have no keys.
        let guid = match gone.key.is_empty() {
            true => Guid::of(&["clash", project, a.min(b), a.max(b)]),
            false => of_key(project, &gone.key),
        };
        let description = "These two parts no longer clash.";
        Closed {
            guid,
            title: title(&gone.verdict, a, b),
            description,
            verdict: &gone.verdict,
            review: None,
        }
    });
    // A file must not have two topics with the same GUID.
    reviewed.chain(resolved).filter(|closed| seen.insert(closed.guid)).collect()
}

/// Returns the name of the project: the names of its files.
fn name(findings: &Findings) -> String {
    let stems = findings.assembly.files.iter().filter_map(|path| path.file_stem());
    let stems: Vec<_> = stems.map(|stem| stem.to_string_lossy()).collect();
    if stems.is_empty() { "assembly".to_owned() } else { stems.join(", ") }
}

/// Returns the GUID of the topic that a row belongs to.
fn guid(project: &str, row: &Row) -> Guid {
    match row.review.as_ref().map_or("", |review| &review.group) {
        "" => of_key(project, &row.key),
        group => of_group(project, group),
    }
}

fn of_key(project: &str, key: &str) -> Guid {
    Guid::of(&["finding", project, key])
}

fn of_group(project: &str, group: &str) -> Guid {
    Guid::of(&["group", project, group])
}

/// Returns the title of a topic, as one line.
fn title(verdict: &str, a: &str, b: &str) -> String {
    one_line(&format!("{verdict}: {a} – {b}"))
}

/// Returns the topic about some rows, without views. There is at least one row.
fn topic<'f>(findings: &'f Findings, project: &str, rows: &[&'f Row]) -> Topic<'f> {
    let first = rows[0];
    let mut labels: Vec<&str> = Vec::new();
    let names = rows.iter().map(|row| row.clash.verdict.name());
    for label in names.chain(rows.iter().filter_map(|row| row.status.map(Status::name))) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let descriptions: Vec<String> =
        rows.iter().map(|row| description(findings, &row.clash)).collect();
    let reviews = || rows.iter().filter_map(|row| row.review.as_ref());
    let assignee = reviews().map(|review| &*review.assignee).find(|name| !name.is_empty());
    Topic {
        guid: guid(project, first),
        title: match first.review.as_ref().map_or("", |review| &review.group) {
            "" => heading(findings, &first.clash),
            group => one_line(group),
        },
        description: descriptions.join("\n\n"),
        kind: "Clash",
        status: status(reviews().map(|review| review.status)),
        assignee: assignee.unwrap_or_default(),
        priority: priority(rows),
        labels,
        comments: reviews().flat_map(comments).collect(),
        views: Vec::new(),
    }
}

/// Returns the comments of a review: one or none.
fn comments(review: &Review) -> Vec<&str> {
    Some(&*review.comment).filter(|comment| !comment.trim().is_empty()).into_iter().collect()
}

/// Returns the status of a topic: that of its clashes, or `Active` if they differ.
fn status(mut statuses: impl Iterator<Item = ReviewStatus>) -> &'static str {
    let Some(first) = statuses.next() else { return "Open" };
    let status = if statuses.all(|status| status == first) { first } else { ReviewStatus::Active };
    match status {
        ReviewStatus::New => "New",
        ReviewStatus::Active => "Active",
        ReviewStatus::Reviewed => "Reviewed",
        ReviewStatus::Approved => "Approved",
        ReviewStatus::Resolved => "Resolved",
    }
}

/// Returns the priority of the worst clash.
fn priority(rows: &[&Row]) -> &'static str {
    match rows.iter().map(|row| row.clash.verdict).min() {
        Some(Verdict::Fit | Verdict::Clearance) => "Normal",
        Some(Verdict::Touching) => "Low",
        // A verdict unknown to this version counts as severe.
        _ => "High",
    }
}

/// Returns the title of a topic about one clash.
fn heading(findings: &Findings, clash: &Clash) -> String {
    let [a, b] = [clash.a, clash.b].map(|part| &*findings.assembly.parts[part].name);
    match findings.inside(clash) {
        Some(inside) => one_line(&inside),
        None => title(clash.verdict.name(), a, b),
    }
}

fn description(findings: &Findings, clash: &Clash) -> String {
    let [a, b] = [clash.a, clash.b].map(|part| findings.assembly.full_name(part));
    let unit = findings.assembly.units.map_or(String::new(), |unit| format!(" {unit}"));
    let mut text = format!("{a}\n{b}\n");
    if let Some(inside) = findings.inside(clash) {
        let _ = writeln!(text, "{inside}");
    }
    if let Some(depth) = clash.depth.filter(|depth| depth.at_least > clash.band) {
        let _ = match depth.at_most() {
            Some(most) => writeln!(text, "between {} and {most}{unit} deep", depth.at_least),
            None => writeln!(text, "at least {}{unit} deep", depth.at_least),
        };
    }
    if let Some(volume) = clash.volume {
        let cubic = if unit.is_empty() { String::new() } else { format!("{unit}³") };
        let _ = writeln!(text, "common volume {volume}{cubic}");
    }
    if let Some(fit) = clash.fit {
        let Fit { shaft_radius, hole_radius, .. } = fit;
        let _ =
            writeln!(text, "shaft radius {shaft_radius}{unit}, hole radius {hole_radius}{unit}");
    }
    let _ = writeln!(text, "touch band {}{unit}", clash.band);
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
    // BCF has the axes of IFC, where z points up.
    let upright = |v: DVec3| match findings.assembly.up {
        Some(Up::Y) => DVec3::new(v.x, -v.z, v.y),
        _ => v,
    };
    let component = |part: usize| {
        let name = findings.assembly.full_name(part);
        let id = findings.assembly.parts[part].id.as_deref();
        let component = match id {
            Some(id) if ifc_guid(id) == Some(id) => {
                Component { name, ifc_guid: Some(id.to_owned()) }
            }
            Some(id) => Component { name: id.to_owned(), ..Component::named(name) },
            None => Component::named(name),
        };
        (component, color_of(clash.verdict))
    };
    Viewpoint {
        position: upright(camera.eye * to_metres),
        direction: upright(camera.direction),
        up: upright(camera.up),
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
            row.key = String::new();
        }
        let turned = Findings::new(turned.assembly, turned.rows);
        let guids = |findings: &Findings| -> Vec<Guid> {
            findings.rows.iter().map(|row| guid("p", row)).collect()
        };
        assert_eq!(guids(&findings), guids(&turned));
        let mut all = guids(&findings);
        all.sort_unstable();
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
            text.starts_with("pinion\nwheel\ntouch band 0 mm\n0.0")
                && text.contains(" mm apart\nat "),
            "{text}"
        );
    }

    /// glTF files have y up; BCF has z up.
    #[test]
    fn cameras_are_upright() {
        let mut findings = gearbox();
        let camera = Studio::new(&findings).camera(0, SIZE);
        let plain = viewpoint(&findings, &findings.rows[0].clash, &camera);
        findings.assembly.up = Some(Up::Z);
        assert_eq!(viewpoint(&findings, &findings.rows[0].clash, &camera), plain);
        findings.assembly.up = Some(Up::Y);
        let turned = viewpoint(&findings, &findings.rows[0].clash, &camera);
        for (before, after) in [
            (plain.position, turned.position),
            (plain.direction, turned.direction),
            (plain.up, turned.up),
        ] {
            assert_eq!(after, DVec3::new(before.x, -before.z, before.y));
        }
        // Whichever axis points up in the model, z points up in the view.
        for up in [Up::Y, Up::Z] {
            findings.assembly.up = Some(up);
            let camera = Studio::new(&findings).camera(0, SIZE);
            let seen = viewpoint(&findings, &findings.rows[0].clash, &camera);
            assert!(seen.up.z > 0.5 && seen.up.x.abs() < 0.8, "{up:?}: {:?}", seen.up);
        }
        // A rotation: right-handed frames stay right-handed.
        let side = plain.direction.cross(plain.up);
        let turned_side = turned.direction.cross(turned.up);
        assert!((turned_side - DVec3::new(side.x, -side.z, side.y)).length() < 1e-12);
    }

    #[test]
    fn parts_have_the_ids_of_their_files() {
        let mut findings = gearbox();
        let clash = findings.rows[0].clash.clone();
        findings.assembly.parts[clash.a].id = Some("2O2Fr$t4X7Zf8NOew3FNr2".into());
        findings.assembly.parts[clash.b].id = Some("#1234".into());
        let camera = Studio::new(&findings).camera(0, SIZE);
        let [a, b] =
            [0, 1].map(|side| viewpoint(&findings, &clash, &camera).components[side].0.clone());
        assert_eq!(a.ifc_guid.as_deref(), Some("2O2Fr$t4X7Zf8NOew3FNr2"));
        assert_eq!(a.name, findings.assembly.full_name(clash.a));
        assert_eq!((&*b.name, b.ifc_guid), ("#1234", None));
    }

    #[test]
    fn reviews_are_carried_and_groups_are_one_topic() {
        let mut findings = gearbox();
        let review = |status, group: &str, comment: &str| {
            let (comment, group) = (comment.to_owned(), group.to_owned());
            Some(Review { status, comment, group, assignee: "kim".to_owned() })
        };
        findings.rows[0].review = review(ReviewStatus::Active, "cover", "first");
        findings.rows[1].review = review(ReviewStatus::Approved, "", "");
        findings.rows[2].review = review(ReviewStatus::Active, "cover", "second");
        assert_eq!(topics(&findings), [vec![0, 2], vec![1]]);
        let rows: Vec<&Row> = [0, 2].map(|row| &findings.rows[row]).into();
        let cover = topic(&findings, "p", &rows);
        assert_eq!((&*cover.title, cover.status, cover.assignee), ("cover", "Active", "kim"));
        assert_eq!(cover.comments, ["first", "second"]);
        assert_eq!(topic(&findings, "p", &[&findings.rows[1]]).status, "Approved");
        // The group keeps its topic while one of its clashes is left, and is closed after that.
        let names = names(&written(&findings, Version::V3_0, 9));
        let views = |name: &&String| {
            name.ends_with("/viewpoint-2.bcfv") || name.ends_with("/snapshot-2.png")
        };
        assert_eq!(names.iter().filter(views).count(), 2);
        let entry = |findings: &Findings, row: usize| {
            let bytes = {
                let mut bytes = Vec::new();
                crate::review_file::write(findings, &mut bytes).unwrap();
                bytes
            };
            let file: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            let mut entry: crate::ReviewEntry =
                serde_json::from_value(file["findings"][row].clone()).unwrap();
            entry.review.status = ReviewStatus::Resolved;
            entry
        };
        let others = vec![entry(&findings, 0), entry(&findings, 1)];
        findings.rows.drain(..2);
        findings.other_reviews = Some(others);
        let gone = closed(&findings, "p");
        let titles: Vec<&str> = gone.iter().map(|gone| &*gone.title).collect();
        assert_eq!(titles.len(), 2, "{titles:?}: the group is still open");
        findings.rows.clear();
        let gone = closed(&findings, "p");
        assert_eq!(gone[0].title, "cover");
        assert_eq!(gone[0].guid, of_group("p", "cover"));
    }

    #[test]
    fn descriptions_say_what_was_measured() {
        let mut findings = gearbox();
        let clash = &mut findings.rows[0].clash;
        clash.verdict = Verdict::Inside;
        clash.inner = Some(impinge::clash::Side::B);
        clash.band = 0.01;
        clash.depth = Some(impinge::clash::Depth::at_least(2.0));
        clash.volume = Some(7.5);
        let clash = &findings.rows[0].clash;
        let [a, b] = [clash.a, clash.b].map(|part| &*findings.assembly.parts[part].name);
        assert_eq!(heading(&findings, clash), format!("{b} is inside {a}"));
        let text = description(&findings, clash);
        for piece in
            ["is inside", "at least 2 mm deep", "common volume 7.5 mm³", "touch band 0.01 mm"]
        {
            assert!(text.contains(piece), "{piece}: {text}");
        }
        // A depth within the band says nothing.
        findings.rows[0].clash.band = 3.0;
        assert!(!description(&findings, &findings.rows[0].clash).contains("deep"));
    }
}
