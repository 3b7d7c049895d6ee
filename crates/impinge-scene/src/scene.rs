//! A scene: its file, read and parsed.

use crate::{
    document::{Document, PlotAxis},
    error::Error,
    text::Text,
};
use std::path::Path;

/// A scene file, parsed. What it says is checked further when a [`Builder`](crate::Builder) makes a run
/// of it.
#[derive(Debug)]
pub struct Scene {
    pub(crate) text: Text,
    pub(crate) document: Document,
}

impl Scene {
    /// Reads a scene file.
    ///
    /// # Errors
    /// If the file cannot be read, or is no scene: the error tells the line and the key.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let text = Text::load(path.as_ref())?;
        let document: Document = text.parse()?;
        if *document.cycles.get_ref() == 0 {
            let message = "`cycles`: 0; a run has at least 1, which is the bodies as they stand";
            return Err(text.fault(&document.cycles.span(), message));
        }
        Ok(Self { text, document })
    }

    /// What it is called: its `title`, or the name of its file without the extension.
    pub fn title(&self) -> String {
        self.document.title.clone().unwrap_or_else(|| self.text.stem())
    }

    /// How many runs it asks for, at least 1.
    pub fn run_count(&self) -> usize {
        self.document.run.len().max(1)
    }

    /// What a plot of its runs counts along its axis.
    pub fn plot_axis(&self) -> PlotAxis {
        self.document.against
    }
}
