//! Writes BCF (BIM Collaboration Format) files, with which building-design tools exchange issues: version 2.1, which
//! nearly every tool opens, and 3.0.
//!
//! A file is a zip archive with a folder per topic, named by its GUID. The folder holds `markup.bcf` (the
//! description), `viewpoint.bcfv` (a camera, and the selected parts with their colours) and `snapshot.png`. The
//! elements follow the published schemas, in their order.
//!
//! GUIDs are derived from names ([`Guid::of`]), so the same issue of the same project has the same GUID in every
//! export, and tools update their topics. With the same date, the bytes are the same, too.

mod archive;
mod date;
mod guid;
mod markup;
mod viewpoint;
mod xml;

pub use date::Date;
pub use guid::{Guid, ifc_guid};

use archive::Archive;
use glam::DVec3;
use std::{
    fmt,
    io::{Result, Write},
    str::FromStr,
};

/// A version of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// Version 2.1, of 2017.
    #[default]
    V2_1,
    /// Version 3.0, of 2021.
    V3_0,
}

impl Version {
    /// Every version.
    pub const ALL: [Self; 2] = [Self::V2_1, Self::V3_0];

    /// Returns the version number as written in files.
    pub fn number(self) -> &'static str {
        match self {
            Self::V2_1 => "2.1",
            Self::V3_0 => "3.0",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.number())
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let known = |version: &Self| text == version.number();
        Self::ALL.into_iter().find(known).ok_or_else(|| {
            let all = Self::ALL.map(Self::number).join(", ");
            format!("`{}` is not a version of BCF; use one of {all}", crate::text::shown(text))
        })
    }
}

/// The properties that all topics of a file share.
#[derive(Clone, Debug, PartialEq)]
pub struct Project<'a> {
    /// The BCF version to write.
    pub version: Version,
    /// The name of the project. Its GUID is derived from it.
    pub name: &'a str,
    /// The author of the topics.
    pub author: &'a str,
    /// The creation date of the topics.
    pub date: Date,
    /// The names of the model files that the topics refer to.
    pub files: Vec<String>,
}

/// An issue: description, camera and picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic<'a> {
    /// The GUID; the same in every export of the same issue.
    pub guid: Guid,
    /// The title, one line.
    pub title: String,
    /// The description; may have several lines.
    pub description: String,
    /// The type of the topic, such as `Clash`.
    pub kind: &'a str,
    /// The status, such as `Open`.
    pub status: &'a str,
    /// The user who takes care of the issue; empty for none.
    pub assignee: &'a str,
    /// The priority, such as `High`. Use one of [`PRIORITIES`], which tools know.
    pub priority: &'a str,
    /// Labels to search by.
    pub labels: Vec<&'a str>,
    /// Comments, by the author of the project, at the date of the project.
    pub comments: Vec<&'a str>,
    /// The views; none if the issue no longer has a location.
    pub views: Vec<View>,
}

/// A camera, and the picture that it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The camera and selection.
    pub viewpoint: Viewpoint,
    /// The picture from that camera, as PNG data.
    pub snapshot: Option<Vec<u8>>,
}

/// The priorities that a file of version 3.0 declares.
pub const PRIORITIES: [&str; 3] = ["High", "Normal", "Low"];

/// A camera and the selected parts. All lengths are in metres, and the z axis points up.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewpoint {
    /// The position of the camera.
    pub position: DVec3,
    /// The viewing direction, of length 1.
    pub direction: DVec3,
    /// The up direction, of length 1.
    pub up: DVec3,
    /// The vertical field of view in degrees. Version 2.1 asks for 45 to 60.
    pub field_of_view: f64,
    /// Width divided by height of the view.
    pub aspect: f64,
    /// The selected parts, each with its colour.
    pub components: Vec<(Component, [u8; 3])>,
}

/// A part of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The name or id of the part in the authoring tool.
    pub name: String,
    /// The IFC GlobalId of the part, by which tools find it: 22 characters. Others are not written.
    pub ifc_guid: Option<String>,
}

impl Component {
    /// Returns a part with the IFC GlobalId that its name contains, if there is one.
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        let ifc_guid = ifc_guid(&name).map(str::to_owned);
        Self { name, ifc_guid }
    }
}

/// Writes a file topic by topic, so that only one topic has to be in memory.
///
/// A file with more than 65,535 entries or 4 GiB is a zip64 archive. A single entry of more than 4 GiB is an error
/// of the kind `InvalidData`.
pub struct Writer<'a> {
    project: &'a Project<'a>,
    archive: Archive<&'a mut dyn Write>,
    /// The words that version 3.0 requires to be declared.
    used: Used,
}

/// The words of the topics, each once, in the order of first use.
#[derive(Default)]
struct Used {
    kinds: Vec<String>,
    statuses: Vec<String>,
    labels: Vec<String>,
    users: Vec<String>,
}

/// The names of the files of a view, and of its GUID. The first view of a topic has the names that readers of
/// version 1 look for.
struct ViewNames {
    viewpoint: String,
    snapshot: String,
}

impl ViewNames {
    fn new(number: usize) -> Self {
        let end = if number == 1 { String::new() } else { format!("-{number}") };
        Self { viewpoint: format!("viewpoint{end}.bcfv"), snapshot: format!("snapshot{end}.png") }
    }

    fn guid(&self, topic: Guid) -> Guid {
        topic.within(self.viewpoint.trim_end_matches(".bcfv"))
    }
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("project", &self.project).finish_non_exhaustive()
    }
}

impl<'a> Writer<'a> {
    /// Starts a file.
    pub fn new(project: &'a Project<'a>, out: &'a mut dyn Write) -> Result<Self> {
        let mut archive = Archive::new(out, project.date);
        archive.add("bcf.version", markup::version(project.version).as_bytes())?;
        archive.add("project.bcfp", markup::project(project).as_bytes())?;
        Ok(Self { project, archive, used: Used::default() })
    }

    /// Adds a topic.
    pub fn add(&mut self, topic: &Topic<'_>) -> Result<()> {
        let folder = topic.guid.to_string();
        let text = markup::markup(self.project, topic);
        self.archive.add(&format!("{folder}/markup.bcf"), text.as_bytes())?;
        for (number, View { viewpoint, snapshot }) in (1..).zip(&topic.views) {
            let names = ViewNames::new(number);
            let guid = names.guid(topic.guid);
            let text = viewpoint::visualization(self.project.version, guid, viewpoint);
            self.archive.add(&format!("{folder}/{}", names.viewpoint), text.as_bytes())?;
            if let Some(snapshot) = snapshot {
                self.archive.store(&format!("{folder}/{}", names.snapshot), snapshot)?;
            }
        }
        let note = |words: &mut Vec<String>, word: &str| {
            if !words.iter().any(|other| other == word) {
                words.push(word.to_owned());
            }
        };
        note(&mut self.used.kinds, topic.kind);
        note(&mut self.used.statuses, topic.status);
        topic.labels.iter().for_each(|label| note(&mut self.used.labels, label));
        if !topic.assignee.is_empty() {
            note(&mut self.used.users, topic.assignee);
        }
        Ok(())
    }

    /// Finishes the file.
    pub fn finish(mut self) -> Result<()> {
        if self.project.version == Version::V3_0 {
            let text = markup::extensions(self.project, &self.used);
            self.archive.add("extensions.xml", text.as_bytes())?;
        }
        self.archive.finish()
    }
}

#[cfg(test)]
mod tests;
