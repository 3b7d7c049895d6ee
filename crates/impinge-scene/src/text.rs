//! The text of a scene file, and errors with the position in it.

use crate::error::Error;
use impinge_io::{Location, excerpt};
use serde::de::DeserializeOwned;
use std::{
    fmt::Display,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

/// The text of a scene file.
#[derive(Debug)]
pub(super) struct Text {
    path: PathBuf,
    content: String,
}

/// A larger file is certainly not a scene.
const MAX_BYTES: u64 = 64 << 20;

impl Text {
    pub(super) fn load(path: &Path) -> Result<Self, Error> {
        let about = |error: &dyn Display| {
            let message = format!("cannot be read: {error}");
            Error::from(impinge_io::Error { path: path.into(), location: Location::File, message })
        };
        let size = fs::metadata(path).map_err(|error| about(&error))?.len();
        if size > MAX_BYTES {
            return Err(about(&"the file is larger than 64 MB, which no scene is"));
        }
        let bytes = fs::read(path).map_err(|error| about(&error))?;
        let path = path.to_owned();
        match String::from_utf8(bytes) {
            Ok(content) => Ok(Self { path, content }),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let content = String::from_utf8_lossy(&bytes[..valid]).into_owned();
                let text = Self { path, content };
                Err(text.fault(&(valid..valid), "not UTF-8 text; a scene is a TOML file"))
            }
        }
    }

    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, Error> {
        toml::from_str(&self.content).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let message = excerpt(&error.message().replace('\n', ", "), 200);
            // Replace names of Rust types by words.
            let message = ["u64", "u32", "u16"]
                .iter()
                .fold(message, |text, kind| {
                    text.replace(
                        &format!("expected {kind}"),
                        "expected a whole number, 0 or greater",
                    )
                })
                .replace("expected f64", "expected a number");
            match self.key_of(span.start) {
                // Some messages name the key already.
                Some(key) if !message.contains(&format!("`{key}`")) => {
                    self.fault(&span, format!("`{key}`: {message}; docs/scenes.md lists all keys"))
                }
                _ => self.fault(&span, format!("{message}; docs/scenes.md lists all keys")),
            }
        })
    }

    /// Returns an error at a position of the file.
    pub(super) fn fault(&self, at: &Range<usize>, message: impl Display) -> Error {
        let (path, location) = (self.path.clone(), self.place(at));
        impinge_io::Error { path, location, message: message.to_string() }.into()
    }

    /// Returns the line and column of the start of a byte range.
    pub(super) fn place(&self, at: &Range<usize>) -> Location {
        let before = self.content.get(..at.start).unwrap_or(&self.content);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before[start..].chars().count() + 1;
        Location::Character { line, column }
    }

    /// Returns the key whose value is at a position, if the key is on the same line.
    fn key_of(&self, place: usize) -> Option<&str> {
        let before = self.content.get(..place)?;
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        let key = line[..line.rfind('=')?].trim_end();
        let start = key.rfind(|c: char| !(c.is_alphanumeric() || "_-.\"".contains(c)));
        let key = &key[start.map_or(0, |end| end + 1)..];
        (!key.is_empty()).then_some(key)
    }

    /// Returns the path of a file that the scene names, relative to the folder of the scene. Generator names
    /// stay unchanged.
    pub(super) fn source(&self, name: &str) -> String {
        if name.starts_with("gen:") || Path::new(name).is_absolute() {
            return name.to_owned();
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        folder.join(name).to_string_lossy().into_owned()
    }

    /// Returns the file name without its folder and extension.
    pub(super) fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
