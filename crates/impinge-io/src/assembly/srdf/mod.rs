//! SRDF files: which pairs of a robot's links need no collision check.
//!
//! Robot planners such as MoveIt keep this list, the allowed-collision matrix, in a file beside the robot's own.
//! [`Srdf`] reads it, [`Assembly::apply_srdf`] takes it over, and [`Srdf::with_matrix`] writes it.

mod write;

use super::Assembly;
use crate::{Error, error::Fault, format::read_file, text::shown, xml::Element, xml::Tree};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// The collision part of an SRDF file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Srdf {
    /// The file, as the caller spelled it.
    pub path: PathBuf,
    /// The robot's name; empty if the file does not say it.
    pub robot: String,
    /// Pairs that are not checked (`disable_collisions`).
    pub disabled: Vec<LinkPair>,
    /// Pairs that are checked in spite of the next list (`enable_collisions`).
    pub enabled: Vec<LinkPair>,
    /// Links whose pairs are not checked unless they are enabled (`disable_default_collisions`), with their lines.
    pub disabled_links: Vec<(String, usize)>,
    /// The text of the file, in which [`Srdf::with_matrix`] replaces the pairs.
    text: String,
}

/// A pair of links in an SRDF file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkPair {
    /// The names of the links.
    pub links: [String; 2],
    /// Why the pair is in the list, such as `Adjacent` or `Never`; empty if the file does not say it.
    pub reason: String,
    /// The line in the file, from 1; 0 if the pair comes from no file.
    pub line: usize,
}

impl LinkPair {
    /// Returns a pair that comes from no file.
    pub fn new(links: [String; 2], reason: impl Into<String>) -> Self {
        Self { links, reason: reason.into(), line: 0 }
    }

    /// Returns whether a pair has the same links, in either order.
    fn is_same(&self, [a, b]: &[String; 2]) -> bool {
        self.links == [a.as_str(), b] || self.links == [b.as_str(), a]
    }
}

/// What an SRDF file changes about a robot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SrdfUse {
    /// Pairs of links with geometry that the file disables.
    pub disabled: usize,
    /// Those of them that would be checked without the file, because their links are not adjacent.
    pub hidden: usize,
    /// Adjacent pairs that the file enables.
    pub revealed: usize,
    /// Entries that were passed over because the robot has no such link.
    pub unknown: Vec<String>,
}

impl Srdf {
    /// Reads a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let srdf = read_file(path).and_then(|bytes| parse(&bytes, path));
        srdf.map_err(|fault| fault.in_file(path))
    }

    /// Reads the contents of a file; `path` is used for messages only.
    pub fn read(bytes: &[u8], path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        parse(bytes, path).map_err(|fault| fault.in_file(path))
    }
}

fn parse(bytes: &[u8], path: &Path) -> Result<Srdf, Fault> {
    let tree = Tree::parse(bytes)?;
    let root = tree.root();
    if root.name() != "robot" {
        let message = format!("the outermost element is `{}`, not `robot`", shown(root.name()));
        return Err(root.fault(message));
    }
    if let Some(link) = root.child("link") {
        let message =
            "a `<link>`: this is the robot itself (URDF), not a list of its collisions (SRDF)";
        return Err(link.fault(message));
    }
    let mut srdf = Srdf {
        path: path.to_owned(),
        robot: root.attribute("name").unwrap_or_default().to_owned(),
        disabled: Vec::new(),
        enabled: Vec::new(),
        disabled_links: Vec::new(),
        text: crate::text::decode(bytes)?.to_owned(),
    };
    for element in root.children() {
        match element.name() {
            "disable_collisions" => srdf.disabled.push(pair(element)?),
            "enable_collisions" => srdf.enabled.push(pair(element)?),
            "disable_default_collisions" => {
                srdf.disabled_links.push((required(element, "link")?.to_owned(), element.line()));
            }
            // Groups, states and end effectors say nothing about collisions.
            _ => {}
        }
    }
    Ok(srdf)
}

fn pair(element: Element<'_, '_>) -> Result<LinkPair, Fault> {
    let links = [required(element, "link1")?, required(element, "link2")?].map(str::to_owned);
    if links[0] == links[1] {
        let message = format!("link1 and link2 are the same link, `{}`", shown(&links[0]));
        return Err(element.fault(message));
    }
    let reason = element.attribute("reason").unwrap_or_default().to_owned();
    Ok(LinkPair { links, reason, line: element.line() })
}

fn required<'t>(element: Element<'t, '_>, name: &str) -> Result<&'t str, Fault> {
    match element.attribute(name) {
        Some(value) if !value.is_empty() => Ok(value),
        _ => Err(element.fault(format!("`<{}>` without `{name}`", shown(element.name())))),
    }
}

impl Assembly {
    /// Takes over which pairs of links need no check. From then on, [`Assembly::are_left_out`] follows the file.
    ///
    /// The file belongs to the only robot, or to the robot of the same name. A pair that is both enabled and disabled
    /// is disabled, as planners do it. If `is_lenient`, entries that name an unknown link are passed over and listed
    /// in the result: a pair that such an entry would have disabled is still checked.
    ///
    /// # Errors
    /// If it is not clear which robot the file belongs to. Unless `is_lenient`, also if the robot has no such link.
    pub fn apply_srdf(&mut self, srdf: &Srdf, is_lenient: bool) -> Result<SrdfUse, Error> {
        let error = |fault: Fault| fault.in_file(&srdf.path);
        let named = |robot: &&super::Robot| robot.name == srdf.robot;
        let robot = match &self.robots[..] {
            [] => {
                return Err(error(Fault::file(
                    "there is no robot (.urdf) to which it could belong",
                )));
            }
            [only] => only,
            several => several.iter().find(named).ok_or_else(|| {
                let names: Vec<_> = several.iter().map(|robot| shown(&robot.name)).collect();
                error(Fault::file(format!(
                    "it belongs to the robot `{}`, but the robots are {}",
                    shown(&srdf.robot),
                    names.join(", ")
                )))
            })?,
        };
        let links = robot.links.clone();
        let names = links.clone().map(|link| (&*self.links[link as usize].name, link));
        let numbers: HashMap<&str, u32> = names.collect();
        let mut used = SrdfUse::default();
        let mut link = |name: &str, line: usize| -> Result<Option<u32>, Error> {
            if let Some(&number) = numbers.get(name) {
                return Ok(Some(number));
            }
            let message = format!("the robot has no link `{}`", shown(name));
            let fault = error(Fault::line(line, message));
            match is_lenient {
                true => used.unknown.push(fault.to_string()),
                false => return Err(fault),
            }
            Ok(None)
        };
        let mut rules = HashMap::new();
        let mut set = |a: u32, b: u32, is_checked: bool| {
            rules.insert([a.min(b), a.max(b)], is_checked);
        };
        for (name, line) in &srdf.disabled_links {
            let Some(own) = link(name, *line)? else { continue };
            links.clone().filter(|&other| other != own).for_each(|other| set(own, other, false));
        }
        // Pairs of the second list take precedence.
        for (pairs, is_checked) in [(&srdf.enabled, true), (&srdf.disabled, false)] {
            for LinkPair { links: [a, b], line, .. } in pairs {
                if let (Some(a), Some(b)) = (link(a, *line)?, link(b, *line)?) {
                    set(a, b, is_checked);
                }
            }
        }
        for (&[a, b], &is_checked) in &rules {
            if [a, b].iter().any(|&link| !self.links[link as usize].has_geometry) {
                continue;
            }
            let is_adjacent = super::robot::are_adjacent(&self.links, a, b);
            used.disabled += usize::from(!is_checked);
            used.hidden += usize::from(!is_checked && !is_adjacent);
            used.revealed += usize::from(is_checked && is_adjacent);
        }
        self.link_rules.is_checked.extend(rules);
        Ok(used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    fn srdf(text: &str) -> Result<Srdf, Error> {
        Srdf::read(text.as_bytes(), "a.srdf")
    }

    #[test]
    fn pairs_are_read_with_reason_and_line() {
        let text = "<robot name='r'>\n<group name='g'><link name='a'/></group>\n\
            <disable_collisions link1='a' link2='b' reason='Never'/>\n<disable_collisions link1='b' link2='c'/>\n\
            <enable_collisions link1='a' link2='c'/><disable_default_collisions link='a'/></robot>";
        let read = srdf(text).unwrap();
        assert_eq!(read.robot, "r");
        let shown: Vec<_> =
            read.disabled.iter().map(|pair| (&*pair.links[0], &*pair.reason, pair.line)).collect();
        assert_eq!(shown, [("a", "Never", 3), ("b", "", 4)]);
        assert_eq!(read.enabled[0].links, ["a", "c"]);
        assert_eq!(read.disabled_links, [("a".to_owned(), 5)]);
    }

    #[test]
    fn invalid_files_are_refused_with_the_line() {
        for (text, line, expected) in [
            ("<sdf/>", 1, "not `robot`"),
            ("<robot>\n<link name='a'/></robot>", 2, "URDF"),
            ("<robot>\n<disable_collisions link1='a'/></robot>", 2, "without `link2`"),
            (
                "<robot>\n\n<enable_collisions link1='a' link2='a'/></robot>",
                3,
                "the same link, `a`",
            ),
            ("<robot>\n<disable_default_collisions/></robot>", 2, "without `link`"),
            (
                "<robot>\n<disable_collisions link1='a' link2='b'>\n</robot>",
                3,
                "expected `</disable_",
            ),
        ] {
            let error = srdf(text).unwrap_err();
            assert_eq!(error.location, Location::Line(line), "{text}: {error}");
            assert!(error.message.contains(expected), "{text}: {error}");
        }
    }
}
