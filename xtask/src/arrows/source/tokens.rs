//! A source file as words, as far as it takes to find paths: comments, texts and tests are left out.

use std::collections::BTreeSet;

/// What a file names.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Paths of `use` declarations, and all others that begin with `crate` or `super`.
    pub(super) uses: Vec<Use>,
    /// Items that it declares: types, functions, modules …
    pub(super) items: BTreeSet<String>,
    /// Modules of their own file that are there for tests alone.
    pub(super) tests: BTreeSet<String>,
}

/// A path that is used.
#[derive(Debug)]
pub(super) struct Use {
    /// Its names, from `crate` or `super` on where it begins so.
    pub(super) path: Vec<String>,
    /// What it is called here, if otherwise.
    pub(super) alias: Option<String>,
    pub(super) line: usize,
    /// The modules within the file that it is in.
    inside: Vec<String>,
}

impl Use {
    /// The path from the crate's root on, if it is one of this crate, in a file of some module.
    pub(super) fn within(&self, module: &[String]) -> Option<Vec<String>> {
        let mut base: Vec<String> = match self.path[0].as_str() {
            "crate" => Vec::new(),
            "super" => module.iter().chain(&self.inside).cloned().collect(),
            _ => return None,
        };
        for name in &self.path {
            match name.as_str() {
                "crate" | "self" => {}
                "super" => _ = base.pop()?,
                name => base.push(name.to_owned()),
            }
        }
        Some(base)
    }
}

#[derive(Debug, PartialEq)]
struct Token {
    text: String,
    line: usize,
}

impl Source {
    pub(super) fn new(text: &str) -> Self {
        let mut source = Self::default();
        Reader { tokens: &tokens(text), at: 0 }.items(&mut source, &mut Vec::new());
        source
    }
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl<'t> Reader<'t> {
    fn text(&self, ahead: usize) -> &'t str {
        self.tokens.get(self.at + ahead).map_or("", |token| &token.text)
    }

    fn next(&mut self) -> &'t str {
        self.at += 1;
        self.tokens.get(self.at - 1).map_or("", |token| &token.text)
    }

    fn is_next(&self, words: &[&str]) -> bool {
        (0..).zip(words).all(|(ahead, word)| self.text(ahead) == *word)
    }

    /// Everything up to a closing brace, or the end.
    fn items(&mut self, source: &mut Source, inside: &mut Vec<String>) {
        const KINDS: [&str; 9] =
            ["struct", "enum", "union", "trait", "type", "fn", "const", "static", "macro_rules"];
        while self.at < self.tokens.len() {
            let line = self.tokens[self.at].line;
            if self.is_next(&["#", "[", "cfg", "(", "test", ")", "]"])
                || self.is_next(&["#", "[", "cfg", "(", "doctest", ")", "]"])
            {
                self.at += 7;
                self.skip_item(source);
                continue;
            }
            match self.next() {
                "}" => return,
                "{" => self.items(source, inside),
                "use" => {
                    self.tree(&mut Vec::new(), inside, source);
                }
                "mod" if self.text(1) == "{" => {
                    inside.push(self.next().to_owned());
                    self.at += 1;
                    self.items(source, inside);
                    inside.pop();
                }
                root @ ("crate" | "super") if self.text(0) == "::" => {
                    let path = self.rest_of(vec![root.to_owned()]);
                    source.uses.push(Use { path, alias: None, line, inside: inside.clone() });
                }
                kind if KINDS.contains(&kind) => {
                    if self.text(0) == "!" {
                        self.at += 1;
                    }
                    source.items.insert(self.text(0).to_owned());
                }
                _ => {}
            }
        }
    }

    /// A path as far as it goes.
    fn rest_of(&mut self, mut path: Vec<String>) -> Vec<String> {
        while self.text(0) == "::" && is_name(self.text(1)) {
            self.at += 1;
            path.push(self.next().to_owned());
        }
        path
    }

    /// What follows `use`, or stands in its braces: a path, an alias, a list of more.
    fn tree(&mut self, before: &mut Vec<String>, inside: &[String], source: &mut Source) {
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        let length = before.len();
        loop {
            match self.text(0) {
                "{" => {
                    self.at += 1;
                    while !["}", ""].contains(&self.text(0)) {
                        self.tree(before, inside, source);
                        if self.text(0) != "}" {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    break;
                }
                "::" => self.at += 1,
                name if is_name(name) || name == "*" => {
                    before.push(name.to_owned());
                    self.at += 1;
                }
                _ => break,
            }
            if ["as", ",", "}", ";"].contains(&self.text(0)) {
                let alias = (self.text(0) == "as").then(|| self.text(1).to_owned());
                self.at += if alias.is_some() { 2 } else { 0 };
                // `a::{self}` is `a`.
                let path: Vec<String> = match before.last().map(String::as_str) {
                    Some("self") if before.len() > 1 => before[..before.len() - 1].to_vec(),
                    _ => before.clone(),
                };
                source.uses.push(Use { path, alias, line, inside: inside.to_vec() });
                break;
            }
        }
        before.truncate(length);
    }

    /// Passes over an item that is there for tests alone.
    fn skip_item(&mut self, source: &mut Source) {
        let mut depth = 0;
        if self.is_next(&["mod"]) || self.is_next(&["pub"]) {
            let name = (self.at..)
                .take(8)
                .find(|&at| self.tokens.get(at).is_some_and(|it| it.text == "mod"));
            let name =
                name.and_then(|at| Some((self.tokens.get(at + 1)?, self.tokens.get(at + 2)?)));
            if let Some((name, end)) = name
                && end.text == ";"
            {
                source.tests.insert(name.text.clone());
            }
        }
        while self.at < self.tokens.len() {
            match self.next() {
                "{" | "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                ";" if depth == 0 => return,
                _ => {}
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::` and single characters, without comments and texts.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    // The line of a place in the text, and how far line ends have been counted.
    let (mut line, mut counted) = (1, 0);
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
            continue;
        }
        if let Some(length) = comment(rest).or_else(|| quoted(rest)) {
            rest = &rest[length.min(rest.len())..];
            continue;
        }
        // A name that would be a keyword without this.
        rest = rest.strip_prefix("r#").filter(|name| is_name(name)).unwrap_or(rest);
        let length = match c {
            _ if is_name(rest) || c.is_numeric() => {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            ':' if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        let at = text.len() - rest.len();
        line += text[counted..at].matches('\n').count();
        counted = at;
        tokens.push(Token { text: rest[..length].to_owned(), line });
        rest = &rest[length..];
    }
    tokens
}

/// The length of a comment that a text begins with.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match text.get(at..at + 2) {
            Some("/*") => (depth, at) = (depth + 1, at + 2),
            Some("*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    Some(text.len())
}

/// The length of a string or character that a text begins with.
fn quoted(text: &str) -> Option<usize> {
    let body = text.trim_start_matches(['b', 'c']);
    let before = text.len() - body.len();
    if before > 1 {
        return None;
    }
    if let Some(raw) = body.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if !raw[hashes..].starts_with('"') {
            return None;
        }
        let end = format!("\"{}", &raw[..hashes]);
        let from = before + 1 + hashes + 1;
        return Some(text[from..].find(&end).map_or(text.len(), |at| from + at + end.len()));
    }
    let quote = body.chars().next().filter(|c| ['"', '\''].contains(c))?;
    if quote == '\'' {
        // A lifetime has no second quote after one character.
        let mut inside = body[1..].chars();
        let is_escape = inside.next() == Some('\\');
        if !is_escape && inside.next() != Some('\'') {
            return None;
        }
    }
    let mut is_escaped = false;
    for (at, c) in body.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return Some(before + at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

#[test]
fn paths_of_a_source() {
    let text = r##"
//! crate::not::this
use crate::{Mesh, mid::{self, tree::Walk as Step}, r#type::T};
use super::super::{Pair, pair::*};
pub(crate) use std::fmt;
pub(super) fn go<'a>(x: &'a str) -> crate::Pose { "crate::text"; '"'; r#"super::raw""#; super::f(x) }
struct Item { field: u8 }
mod inner { use super::deep; }
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests { use crate::never::seen; fn f() { let _ = [1; 2]; } }
#[cfg(test)]
use crate::only::here;
const LAST: crate::bounds::Bounds = crate::EMPTY;
"##;
    let source = Source::new(text);
    let module = ["a", "b", "c"].map(str::to_owned);
    let found: Vec<String> =
        source.uses.iter().filter_map(|used| Some(used.within(&module)?.join("::"))).collect();
    let expected = [
        "Mesh",
        "mid",
        "mid::tree::Walk",
        "type::T",
        "a::Pair",
        "a::pair::*",
        "Pose",
        "a::b::f",
        "a::b::c::deep",
        "bounds::Bounds",
        "EMPTY",
    ];
    assert_eq!(found, expected);
    assert_eq!(source.tests.into_iter().collect::<Vec<_>>(), ["samples"]);
    assert_eq!(source.items.into_iter().collect::<Vec<_>>(), ["Item", "LAST", "go"]);
    let walk = source.uses.iter().find(|used| used.alias.is_some()).unwrap();
    assert_eq!((walk.alias.as_deref(), walk.line), (Some("Step"), 3));
}
