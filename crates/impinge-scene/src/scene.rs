//! A scene file, loaded and parsed.

use crate::{
    document::{Document, Paper, PlotAxis},
    error::Error,
    text::Text,
};
use std::path::Path;

/// A parsed scene file. A [`Builder`](crate::Builder) checks its values when it builds a run.
#[derive(Debug)]
pub struct Scene {
    pub(crate) text: Text,
    pub(crate) document: Document,
}

impl Scene {
    /// Loads a scene file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a scene. The error names the line and the key.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let text = Text::load(path.as_ref())?;
        let document: Document = text.parse()?;
        if *document.cycles.get_ref() == 0 {
            let message = "`cycles`: 0; must be at least 1 (the first cycle checks the bodies where they start)";
            return Err(text.fault(&document.cycles.span(), message));
        }
        Ok(Self { text, document })
    }

    /// Returns the name of the scene: its `title`, or the name of its file without the extension.
    pub fn title(&self) -> String {
        self.document.title.clone().unwrap_or_else(|| self.text.stem())
    }

    /// Returns the number of runs, at least 1.
    pub fn run_count(&self) -> usize {
        self.document.run.len().max(1)
    }

    /// Returns whether the scene asks for impacts between cycles.
    pub fn is_continuous(&self) -> bool {
        self.document.continuous
    }

    /// Returns the figures of the paper whose experiment the scene repeats, if it states them.
    pub fn paper(&self) -> Option<&Paper> {
        self.document.paper.as_ref()
    }

    /// Returns the quantity on the x axis of a plot of its runs.
    pub fn plot_axis(&self) -> PlotAxis {
        self.document.against
    }
}
