//! BCF, in which tools for buildings tell each other about issues: version 2.1, which nearly every tool
//! opens, and 3.0.
//!
//! A file is a zip archive: a folder for every topic, named by its GUID, with `markup.bcf` (what it is
//! about), `viewpoint.bcfv` (a camera, and which parts are selected and in which colours) and
//! `snapshot.png`. Written as the published schemas demand, element by element in their order.
//!
//! GUIDs follow from names ([`Guid::of`]), so that the same issue of the same project has the same one in
//! every export, and tools update their topics. With the same date the bytes are the same, too.

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
    /// 2.1, of 2017.
    #[default]
    V2_1,
    /// 3.0, of 2021.
    V3_0,
}

impl Version {
    /// Every version.
    pub const ALL: [Self; 2] = [Self::V2_1, Self::V3_0];

    /// Its number, as files have it.
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
            format!("`{}` is not a version of BCF; the known ones: {all}", crate::text::shown(text))
        })
    }
}

/// What all topics of a file have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Project<'a> {
    /// Which version is written.
    pub version: Version,
    /// What the project is called. Its GUID follows from it.
    pub name: &'a str,
    /// Who made the topics.
    pub author: &'a str,
    /// When.
    pub date: Date,
    /// The names of the files that the topics are about.
    pub files: Vec<String>,
}

/// What a topic is about, and where to look.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic<'a> {
    /// The same in every export.
    pub guid: Guid,
    /// In one line.
    pub title: String,
    /// In more.
    pub description: String,
    /// Such as `Clash`.
    pub kind: &'a str,
    /// Such as `Open`.
    pub status: &'a str,
    /// Such as `High`; one of [`PRIORITIES`], so that tools know it.
    pub priority: &'a str,
    /// Words to find it by.
    pub labels: Vec<&'a str>,
    /// Where to look; none for what is not there any more.
    pub viewpoint: Option<Viewpoint>,
    /// What is seen from there, as a PNG.
    pub snapshot: Option<Vec<u8>>,
}

/// The priorities that a file of version 3.0 declares.
pub const PRIORITIES: [&str; 3] = ["High", "Normal", "Low"];

/// A camera, and what of the model is to be pointed out. All in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewpoint {
    /// Where the camera is.
    pub position: DVec3,
    /// Where it looks: of length 1.
    pub direction: DVec3,
    /// What is above: of length 1.
    pub up: DVec3,
    /// The angle from the lower to the upper edge, in degrees. Version 2.1 asks for 45 to 60.
    pub field_of_view: f64,
    /// Width over height.
    pub aspect: f64,
    /// The parts that are selected, each with its colour.
    pub components: Vec<(Component, [u8; 3])>,
}

/// A part of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// What the tool calls it that the model comes from. Where there is an IFC GlobalId in it, tools find
    /// the part by that.
    pub name: String,
}

/// Writes a file, topic by topic, so that only one has to be in memory.
///
/// What cannot be in such a file is an error of the kind `InvalidData`: more than 65,535 entries, or
/// 4 GiB.
pub struct Writer<'a> {
    project: &'a Project<'a>,
    archive: Archive<&'a mut dyn Write>,
    /// What version 3.0 wants to have declared.
    used: Used,
}

/// Words of topics, each once, in the order in which they came.
#[derive(Default)]
struct Used {
    kinds: Vec<String>,
    statuses: Vec<String>,
    labels: Vec<String>,
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("project", &self.project).finish_non_exhaustive()
    }
}

impl<'a> Writer<'a> {
    /// Begins a file.
    pub fn new(project: &'a Project<'a>, out: &'a mut dyn Write) -> Result<Self> {
        let mut archive = Archive::new(out, project.date);
        archive.add("bcf.version", markup::version(project.version).as_bytes())?;
        archive.add("project.bcfp", markup::project(project).as_bytes())?;
        Ok(Self { project, archive, used: Used::default() })
    }

    /// Adds a topic.
    pub fn add(&mut self, topic: &Topic<'_>) -> Result<()> {
        let folder = topic.guid.to_string();
        let mut add =
            |name: &str, bytes: &[u8]| self.archive.add(&format!("{folder}/{name}"), bytes);
        add("markup.bcf", markup::markup(self.project, topic).as_bytes())?;
        if let Some(viewpoint) = &topic.viewpoint {
            let guid = topic.guid.within("viewpoint");
            let text = viewpoint::visualization(self.project.version, guid, viewpoint);
            add("viewpoint.bcfv", text.as_bytes())?;
        }
        if let Some(snapshot) = &topic.snapshot {
            self.archive.store(&format!("{folder}/snapshot.png"), snapshot)?;
        }
        let note = |words: &mut Vec<String>, word: &str| {
            if !words.iter().any(|other| other == word) {
                words.push(word.to_owned());
            }
        };
        note(&mut self.used.kinds, topic.kind);
        note(&mut self.used.statuses, topic.status);
        topic.labels.iter().for_each(|label| note(&mut self.used.labels, label));
        Ok(())
    }

    /// Ends the file.
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
