//! A minimal XML parser: the elements and attributes of a file, with line numbers.
//!
//! It covers the part of XML that robot descriptions and 3MF packages use, without document types (and so without
//! custom entities) and without text content. Existing parsers were tried on bad input: `urdf-rs` does not finish within a minute
//! on a million nested elements; `roxmltree` needs time quadratic in the attributes of an element, 79 s for 2 MB.

use crate::{
    error::Fault,
    text::{self, shown},
};
use std::{borrow::Cow, ops::Range};

/// The largest nesting depth of elements.
const MAX_DEPTH: usize = 1000;

/// All elements, parents before children.
#[derive(Debug, Default)]
pub(crate) struct Tree<'a> {
    elements: Vec<Node<'a>>,
    attributes: Vec<(&'a str, Cow<'a, str>)>,
}

#[derive(Debug)]
struct Node<'a> {
    name: &'a str,
    line: usize,
    attributes: Range<u32>,
    /// The index after the last element inside this one.
    end: u32,
}

/// An element of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'t, 'a> {
    tree: &'t Tree<'a>,
    index: u32,
}

impl<'t, 'a> Element<'t, 'a> {
    fn node(&self) -> &'t Node<'a> {
        &self.tree.elements[self.index as usize]
    }

    pub(crate) fn name(&self) -> &'a str {
        self.node().name
    }

    /// Returns the line of the element, counted from 1.
    pub(crate) fn line(&self) -> usize {
        self.node().line
    }

    /// Returns the value of an attribute; the first one if the name repeats.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'t str> {
        let Range { start, end } = self.node().attributes;
        let own = &self.tree.attributes[start as usize..end as usize];
        own.iter().find(|(other, _)| *other == name).map(|(_, value)| &**value)
    }

    /// Returns the names and values of all attributes, in the order of the file.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a str, &'t str)> + use<'t, 'a> {
        let Range { start, end } = self.node().attributes;
        let own = &self.tree.attributes[start as usize..end as usize];
        own.iter().map(|(name, value)| (*name, &**value))
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = Self> + use<'t, 'a> {
        let (tree, end) = (self.tree, self.node().end);
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            let index = (next < end).then_some(next)?;
            next = tree.elements[index as usize].end;
            Some(Self { tree, index })
        })
    }

    /// Returns the first child element of that name.
    pub(crate) fn child(&self, name: &str) -> Option<Self> {
        self.children().find(|child| child.name() == name)
    }

    /// Returns an error at the line of this element.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::line(self.line(), message)
    }
}

impl<'a> Tree<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Fault> {
        let text = text::decode(bytes)?;
        if u32::try_from(text.len()).is_err() {
            return Err(Fault::file("the XML is larger than 4 GiB"));
        }
        let mut parser = Parser { text, at: 0, line: 1, counted: 0 };
        let mut tree = Self::default();
        // The open elements, outermost first.
        let mut open: Vec<u32> = Vec::new();
        while let Some(start) = parser.find("<") {
            if open.is_empty() {
                parser.skip_space();
                if parser.at < start {
                    return Err(parser.outside(&text[parser.at..start]));
                }
            }
            parser.at = start;
            let rest = &text[start..];
            if rest.starts_with("<!--") {
                parser.skip_past("<!--", "-->")?;
            } else if rest.starts_with("<![CDATA[") {
                parser.skip_past("<![CDATA[", "]]>")?;
            } else if rest.starts_with("<?") {
                parser.skip_past("<?", "?>")?;
            } else if rest.starts_with("<!") {
                return Err(parser.fault("document types (`<!DOCTYPE`) are not supported"));
            } else if let Some(name) = rest.strip_prefix("</") {
                let name = name.split('>').next().unwrap_or_default();
                let count = tree.elements.len() as u32;
                let expected = open.pop().map(|index| &mut tree.elements[index as usize]);
                match expected {
                    Some(element) if element.name == name.trim_ascii_end() => {
                        element.end = count;
                    }
                    Some(element) => {
                        let (found, name) = (shown(name), shown(element.name));
                        let message = format!("found `</{found}>`, expected `</{name}>`");
                        return Err(parser.fault(message));
                    }
                    None => {
                        let message = format!("`</{}>` has no matching opening tag", shown(name));
                        return Err(parser.fault(message));
                    }
                }
                parser.skip_past("</", ">")?;
            } else {
                if open.is_empty() && !tree.elements.is_empty() {
                    return Err(parser.fault("the file has a second root element"));
                }
                let is_closed = parser.element(&mut tree)?;
                if !is_closed {
                    open.push(tree.elements.len() as u32 - 1);
                }
                if open.len() > MAX_DEPTH {
                    let message = format!("elements are nested more than {MAX_DEPTH} levels deep");
                    return Err(parser.fault(message));
                }
            }
        }
        if let Some(&index) = open.last() {
            let Node { name, line, .. } = &tree.elements[index as usize];
            return Err(Fault::line(*line, format!("`<{}>` is never closed", shown(name))));
        }
        parser.skip_space();
        if parser.at < text.len() {
            return Err(parser.outside(&text[parser.at..]));
        }
        match tree.elements.is_empty() {
            true => Err(Fault::file("the file holds no element")),
            false => Ok(tree),
        }
    }

    /// Returns the root element.
    pub(crate) fn root(&self) -> Element<'_, 'a> {
        Element { tree: self, index: 0 }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// The line number of the byte at `counted`.
    line: usize,
    counted: usize,
}

impl<'a> Parser<'a> {
    fn line(&mut self) -> usize {
        self.line +=
            memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.counted..self.at]).count();
        self.counted = self.at;
        self.line
    }

    fn fault(&mut self, message: impl Into<String>) -> Fault {
        Fault::line(self.line(), message)
    }

    fn outside(&mut self, found: &str) -> Fault {
        self.fault(format!("found `{}` outside of the root element", shown(found.trim_ascii())))
    }

    fn find(&self, what: &str) -> Option<usize> {
        self.text[self.at..].find(what).map(|found| self.at + found)
    }

    fn skip_past(&mut self, start: &str, end: &str) -> Result<(), Fault> {
        match self.text[self.at + start.len()..].find(end) {
            Some(found) => {
                self.at += start.len() + found + end.len();
                Ok(())
            }
            None => Err(self.fault(format!("`{start}` has no matching `{end}`"))),
        }
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    /// Reads up to a character that ends a name.
    fn name(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let ends =
            |c: char| c.is_ascii_whitespace() || matches!(c, '<' | '>' | '/' | '=' | '"' | '\'');
        let name = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += name.len();
        name
    }

    /// Reads the name and attributes of an element. Returns whether the element has no content (`<a/>`).
    fn element(&mut self, tree: &mut Tree<'a>) -> Result<bool, Fault> {
        let line = self.line();
        self.at += 1;
        let name = self.name();
        if name.is_empty() {
            return Err(self.fault("`<` is not followed by the name of an element"));
        }
        let first = tree.attributes.len() as u32;
        let is_closed = loop {
            self.skip_space();
            match self.text.as_bytes()[self.at..] {
                [b'>', ..] => {
                    self.at += 1;
                    break false;
                }
                [b'/', b'>', ..] => {
                    self.at += 2;
                    break true;
                }
                [] => {
                    return Err(Fault::line(
                        line,
                        format!("the tag `<{}` has no closing `>`", shown(name)),
                    ));
                }
                _ => {
                    let attribute = self.attribute()?;
                    tree.attributes.push(attribute);
                }
            }
        };
        let attributes = first..tree.attributes.len() as u32;
        // The end is set later, when the closing tag is found; `<a/>` has no elements inside.
        let end = tree.elements.len() as u32 + 1;
        tree.elements.push(Node { name, line, attributes, end });
        Ok(is_closed)
    }

    fn attribute(&mut self) -> Result<(&'a str, Cow<'a, str>), Fault> {
        let name = self.name();
        if name.is_empty() {
            let found: String = self.text[self.at..].chars().take(1).collect();
            return Err(self.fault(format!("unexpected `{found}` inside a tag")));
        }
        self.skip_space();
        if !self.text[self.at..].starts_with('=') {
            return Err(self.fault(format!("the attribute `{}` has no value", shown(name))));
        }
        self.at += 1;
        self.skip_space();
        let quote = match self.text.as_bytes().get(self.at) {
            Some(b'"') => "\"",
            Some(b'\'') => "'",
            _ => {
                let message =
                    format!("the value of the attribute `{}` is not in quotes", shown(name));
                return Err(self.fault(message));
            }
        };
        let start = self.at + 1;
        let Some(length) = self.text[start..].find(quote) else {
            let message =
                format!("the value of the attribute `{}` has no closing quote", shown(name));
            return Err(self.fault(message));
        };
        let raw = &self.text[start..start + length];
        if raw.contains('<') {
            let message = format!("`<` in the value of the attribute `{}`", shown(name));
            return Err(self.fault(message));
        }
        let value = decoded(raw).map_err(|message| self.fault(message))?;
        self.at = start + length + 1;
        Ok((name, value))
    }
}

/// Returns an attribute value with its character references resolved.
fn decoded(raw: &str) -> Result<Cow<'_, str>, String> {
    let Some((before, mut rest)) = raw.split_once('&') else { return Ok(Cow::Borrowed(raw)) };
    let mut value = before.to_owned();
    loop {
        let unknown = || format!("`&{}` is not a known character reference", shown(rest));
        let (name, after) = rest.split_once(';').ok_or_else(unknown)?;
        let number = |digits: &str, radix: u32| {
            u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).filter(|&c| c != '\0')
        };
        value.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => match (name.strip_prefix("#x"), name.strip_prefix('#')) {
                (Some(digits), _) => number(digits, 16).ok_or_else(unknown)?,
                (None, Some(digits)) => number(digits, 10).ok_or_else(unknown)?,
                (None, None) => return Err(unknown()),
            },
        });
        match after.split_once('&') {
            Some((text, next)) => {
                value.push_str(text);
                rest = next;
            }
            None => {
                value.push_str(after);
                return Ok(Cow::Owned(value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    #[test]
    fn elements_attributes_and_lines_are_found() {
        let text = b"\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- <a> -- -->\n<a x = '1' y:z=\"&lt;&#65;&amp;&#x42;\">\n\
            text <b/>\n<![CDATA[<no>]]><c q='\"'\n ><d/></c >\n</a>\n<!-- end -->\n";
        let tree = Tree::parse(text).unwrap();
        let a = tree.root();
        assert_eq!((a.name(), a.line()), ("a", 3));
        assert_eq!((a.attribute("x"), a.attribute("y:z")), (Some("1"), Some("<A&B")));
        assert_eq!(a.attribute("y"), None);
        let children: Vec<_> = a.children().map(|child| (child.name(), child.line())).collect();
        assert_eq!(children, [("b", 4), ("c", 5)]);
        let c = a.child("c").unwrap();
        assert_eq!(c.attribute("q"), Some("\""));
        assert_eq!(c.children().map(|child| child.name()).collect::<Vec<_>>(), ["d"]);
        assert!(a.child("d").is_none());
    }

    #[test]
    fn invalid_xml_is_refused_with_the_line() {
        for (text, line, expected) in [
            ("", 0, "no element"),
            ("<!-- -->", 0, "no element"),
            ("x", 1, "outside"),
            ("<a/>\nx", 2, "outside"),
            ("<a/>\n<b/>", 2, "second"),
            ("<a>\n<b>\n</a>", 3, "expected `</b>`"),
            ("<a>\n<b>\n", 2, "`<b>` is never closed"),
            ("<a/></a>", 1, "no matching opening tag"),
            ("<a", 1, "no closing `>`"),
            ("<a b", 1, "no value"),
            ("<a b=c/>", 1, "quotes"),
            ("<a b='c/>", 1, "no closing quote"),
            ("<a b='<'/>", 1, "`<` in the value"),
            ("<a\n'b'/>", 2, "`'` inside a tag"),
            ("<a b='&lol;'/>", 1, "&lol;"),
            ("<a b='&#x110000;'/>", 1, "reference"),
            ("<a b='&amp'/>", 1, "reference"),
            ("< a/>", 1, "name of an element"),
            ("<!-- ", 1, "no matching"),
            ("<?xml ", 1, "no matching"),
            ("<a></a ", 1, "no matching"),
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", 1, "document types"),
        ] {
            let fault = Tree::parse(text.as_bytes()).unwrap_err();
            let place = if line == 0 { Location::File } else { Location::Line(line) };
            assert_eq!(fault.location, place, "{text}: {}", fault.message);
            assert!(fault.message.contains(expected), "{text}: {}", fault.message);
        }
        let deep = "<a>".repeat(1_000_000);
        assert!(Tree::parse(deep.as_bytes()).unwrap_err().message.contains("deep"));
    }

    #[test]
    fn time_is_linear_in_attributes_and_elements() {
        let start = std::time::Instant::now();
        let many: String = (0..200_000).map(|i| format!("a{i}='&#65;' ")).collect();
        Tree::parse(format!("<a {many}/>").as_bytes()).unwrap();
        let many = "<a/>\n".repeat(300_000);
        let text = format!("<a>{many}</a>");
        assert_eq!(Tree::parse(text.as_bytes()).unwrap().root().children().count(), 300_000);
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
