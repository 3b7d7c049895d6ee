//! What the subcommands print about an octree, and the files that they write.

use crate::{
    failure::Failure,
    output::{self, count, short},
    progress,
};
use impinge::{
    Pose,
    octree::{ColorCounts, Octree},
};
use impinge_clash::{Findings, pictures};
use impinge_io::{
    Assembly, Draft,
    assembly::{AssemblyPart, Up},
    commit_all,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Figures of an octree.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    level: u8,
    /// The corner of the root cube with the least coordinates, its side, and the side of a voxel.
    min: [f64; 3],
    side: f64,
    voxel: f64,
    nodes: usize,
    black: usize,
    white: usize,
    gray: usize,
    bytes: usize,
    black_voxels: u64,
    volume: f64,
}

impl Figures {
    pub(super) fn new(octree: &Octree) -> Self {
        let grid = octree.grid();
        let ColorCounts { white, black, gray } = octree.color_counts();
        Self {
            level: grid.level(),
            min: grid.min().to_array(),
            side: grid.side(),
            voxel: grid.voxel(),
            nodes: octree.node_count(),
            black,
            white,
            gray,
            bytes: octree.bytes(),
            black_voxels: octree.black_voxels(),
            volume: octree.volume(),
        }
    }

    /// Returns the figures as one line of text.
    pub(super) fn line(&self) -> String {
        let Self { level, nodes, black, white, gray, bytes, .. } = self;
        format!(
            "level {level}, {} ({black} black, {white} white, {gray} gray, {bytes} bytes), \
             {}, volume {}",
            count(*nodes, "node"),
            count(self.black_voxels, "black voxel"),
            short(self.volume, 6)
        )
    }

    /// Returns the figures as rows of a table.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let [x, y, z] = self.min.map(|coordinate| short(coordinate, 12));
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        vec![
            row("level", self.level.to_string()),
            row("root cube", format!("from ({x}, {y}, {z}), side {}", short(self.side, 12))),
            row("voxel side", short(self.voxel, 12)),
            row("nodes", self.nodes.to_string()),
            row("black nodes", self.black.to_string()),
            row("white nodes", self.white.to_string()),
            row("gray nodes", self.gray.to_string()),
            row("bytes", self.bytes.to_string()),
            row("black voxels", self.black_voxels.to_string()),
            row("volume", short(self.volume, 12)),
        ]
    }
}

/// Files that hold an octree.
#[derive(Debug, clap::Args)]
pub(super) struct Files {
    /// Octree file to write
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// PNG picture to draw
    #[arg(long, value_name = "FILE")]
    pub(super) picture: Option<PathBuf>,
}

impl Files {
    /// Returns the files with the options that name them.
    pub(super) fn named(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--output", self.output.as_deref()), ("--picture", self.picture.as_deref())]
    }

    /// Writes all files and further drafts, or none of them.
    pub(super) fn write(&self, octree: &Octree, mut drafts: Vec<Draft>) -> Result<(), Failure> {
        if let Some(path) = &self.output {
            let mut draft = Draft::create(path)?;
            draft.fill(|out| impinge_io::write_octree(octree, out))?;
            drafts.push(draft);
        }
        if let Some(path) = &self.picture {
            drafts.push(drawn(path, octree)?);
        }
        Ok(commit_all(drafts, None)?)
    }
}

/// Draws the surface of an octree, with z up, and writes it to a draft file.
pub(super) fn drawn(path: &Path, octree: &Octree) -> Result<Draft, Failure> {
    progress::with_spinner("drawing", || {
        let about = |error| Failure::input(format!("--picture {}: {error}", path.display()));
        let mesh = octree.to_mesh().map_err(about)?;
        let mut assembly = Assembly::default();
        assembly.up = Some(Up::Z);
        assembly.meshes.push(mesh.into());
        assembly.parts.push(AssemblyPart::new("octree", 0, Pose::IDENTITY));
        let image = pictures::overview(&Findings::new(assembly, Vec::new()), pictures::SIZE);
        let mut draft = Draft::create(path)?;
        draft.fill(|out| image.write(out))?;
        Ok(draft)
    })
}

/// Loads an octree file.
pub(super) fn load(path: &Path) -> Result<Octree, Failure> {
    let label = format!("loading {}", path.display());
    Ok(progress::with_spinner(&label, || impinge_io::load_octree(path))?)
}

/// Prints the text of an octree.
pub(super) fn print_text(octree: &Octree) -> Result<(), Failure> {
    output::text(&format!("{}\n", octree.text()))
}
