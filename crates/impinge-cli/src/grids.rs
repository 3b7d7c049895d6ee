//! The options that say how elevation grids are read, for every command that reads meshes.

use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    value_parser,
};
use impinge_io::{GridCoordinates, GridOptions};

const HEADING: &str = "Elevation grids (.asc, .dem, .dt0, .dt1, .dt2)";

/// How elevation grids become terrains.
#[derive(Debug, clap::Args)]
pub(crate) struct Grids {
    /// Height of missing samples, in the unit of the mesh. Without this option the terrain has holes there
    #[arg(long = "grid-missing", help_heading = HEADING, value_name = "HEIGHT", value_parser = height)]
    #[arg(allow_negative_numbers = true)]
    missing: Option<f64>,
    /// Read every Nth sample along each axis
    #[arg(long = "grid-every", help_heading = HEADING, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    every: u32,
    /// Meaning of x and y. auto: metres around the centre if the file says that its grid is in degrees,
    /// otherwise the file's own coordinates; file: the file's own, also in degrees; geographic: as auto, and
    /// .asc files are in degrees too
    #[arg(long = "grid-coordinates", help_heading = HEADING, value_name = "CHOICE")]
    #[arg(default_value_t = GridCoordinates::Auto, value_parser = coordinates())]
    coordinates: GridCoordinates,
}

impl Grids {
    /// The options of the reader.
    pub(crate) fn options(&self) -> GridOptions {
        let mut options = GridOptions::default().every(self.every).coordinates(self.coordinates);
        options.missing = self.missing;
        options
    }
}

fn height(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.abs() <= 1e100 => Ok(value),
        _ => Err("expected a number within ±1e100".into()),
    }
}

fn coordinates() -> impl TypedValueParser<Value = GridCoordinates> {
    PossibleValuesParser::new(GridCoordinates::ALL.map(GridCoordinates::name))
        .try_map(|name| name.parse::<GridCoordinates>())
}
