//! Reading TOML files with messages that name file, line and column. The readers of machine files and of tool files
//! call it.

use impinge_io::{Error, Location, excerpt};
use serde::de::DeserializeOwned;
use std::{ops::Range, path::Path};

/// The text of a TOML file, and its path for messages.
pub(crate) struct TomlFile<'a> {
    path: &'a Path,
    text: &'a str,
}

impl<'a> TomlFile<'a> {
    /// A file with this text, which may start with a byte-order mark.
    pub(crate) fn new(path: &'a Path, text: &'a str) -> Self {
        Self { path, text: text.strip_prefix('\u{FEFF}').unwrap_or(text) }
    }

    /// Reads the whole file. `section` is the section of docs/nc-tools.md that describes the keys.
    pub(crate) fn parse<T: DeserializeOwned>(&self, section: &str) -> Result<T, Error> {
        toml::from_str(self.text).map_err(|error| {
            let message = excerpt(&error.message().replace('\n', ", "), 300)
                .replace("expected f64", "expected a number")
                .replace("expected u32", "expected a whole number, 0 or greater");
            let message = format!("{message}; docs/nc-tools.md lists the keys of {section}");
            match error.span() {
                Some(span) => self.at(&span, &message),
                None => self.whole(&message),
            }
        })
    }

    /// An error at a range of bytes of the text.
    pub(crate) fn at(&self, span: &Range<usize>, message: &str) -> Error {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or("").chars().count();
        self.error(Location::Character { line, column }, message)
    }

    /// An error about the whole file.
    pub(crate) fn whole(&self, message: &str) -> Error {
        self.error(Location::File, message)
    }

    fn error(&self, location: Location, message: &str) -> Error {
        Error { path: self.path.into(), location, message: message.into() }
    }
}
