//! Elevation grids: files that hold a height for each node of a regular grid. They are read as terrain meshes.
//!
//! Each format has a reader in a file of its own ([`esri`], [`usgs_dem`], [`dted`]), which returns a [`grid::Grid`].
//! `grid.rs` makes a mesh of it, `geographic.rs` converts degrees to metres. [`format`](crate::format) calls
//! [`read`]; [`GridOptions`] come from the caller.

mod dted;
mod esri;
mod geographic;
mod grid;
mod options;
mod usgs_dem;

pub(crate) use dted::is_dted;
pub(crate) use esri::is_header_word;
pub use options::{GridCoordinates, GridOptions};
pub(crate) use usgs_dem::is_dem;

use crate::{Format, Model, error::Fault};

/// Reads an elevation grid as a model with one part. `format` is one of the grid formats.
pub(crate) fn read(
    bytes: &[u8],
    format: Format,
    name: &str,
    options: &GridOptions,
) -> Result<Model, Fault> {
    options.check().map_err(Fault::file)?;
    let mut grid = match format {
        Format::UsgsDem => usgs_dem::read(bytes)?,
        Format::Dted => dted::read(bytes)?,
        _ => esri::read(bytes)?,
    };
    geographic::convert(&mut grid, options.coordinates)?;
    Ok(Model::from_mesh(name, grid.into_mesh(options)?))
}
