//! A search in shares, for assemblies that are checked on several machines.
//!
//! [`near_pairs`] finds the pairs to check from the [`Outline`]s of all parts, without their meshes. Any number of
//! [`Finder`](super::Finder)s, each with the parts that it needs, check some of the pairs
//! ([`Finder::check_pairs`](super::Finder::check_pairs)). [`merge`] makes of their shares the report that one finder
//! with all parts would have made, whatever the shares are and in whatever order they come. `find.rs` is written with
//! the same functions.

use super::{
    Clash, Gap, Options, Part, Progress, Report, Stage, Watch,
    band::{self, Band},
};
use crate::{
    Bounds, Pose,
    broad::{BroadPhase, Detail, Packed, Proxies},
    mesh::Extent,
};
use std::{collections::HashMap, ops::ControlFlow};

/// What the search for near pairs knows of a part: its placed box, and how exact its mesh is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// The number of the mesh. Parts that share a mesh have the same number.
    pub(super) mesh: u32,
    /// Encloses the placed mesh.
    pub(super) bounds: Bounds,
    /// How far rounding may have moved the surface.
    pub(super) rounding: f64,
    /// The largest distance of a face from the surface that it stands for.
    pub(super) deviation: f64,
}

impl Outline {
    /// The outline of a part whose mesh has the number `mesh`.
    pub fn of(mesh: u32, part: &Part) -> Self {
        let deviation = part.tessellation.largest();
        Self::new(mesh, &part.mesh.bounds(), &part.pose, part.rounding, deviation)
    }

    /// The outline of a part, from the [bounds](crate::Mesh::bounds) of its mesh. `rounding` is that of
    /// [`Part::rounding`], and `deviation` the largest distance of [`Part::tessellation`].
    pub fn new(
        mesh: u32,
        mesh_bounds: &Bounds,
        pose: &Pose,
        rounding: Option<f64>,
        deviation: f64,
    ) -> Self {
        let bounds = Extent::of_bounds(mesh_bounds).placed_bounds(pose);
        Self { mesh, bounds, rounding: band::rounding(rounding, mesh_bounds, &bounds), deviation }
    }

    /// The number of the mesh.
    pub fn mesh(&self) -> u32 {
        self.mesh
    }

    /// A box that encloses the placed mesh.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The box within which other parts are near: the placed box, grown by half of the clearance or by the part's share
    /// of the touch band, with a margin for rounding. Two parts are near if these boxes meet. Empty without faces.
    pub fn reach(&self, options: &Options) -> Bounds {
        if self.bounds.is_empty() {
            return self.bounds;
        }
        let own = match options.touch {
            Some(touch) => 0.5 * touch,
            None => self.rounding + self.deviation,
        };
        let near = (0.5 * options.clearance).max(own) * (1.0 + 1e-9);
        self.bounds.grown(near + f64::EPSILON * self.bounds.largest_coordinate())
    }

    /// The widest gap with which the part counts as closed.
    pub(super) fn closing_band(&self, options: &Options) -> f64 {
        options.touch.unwrap_or(2.0 * self.rounding)
    }
}

/// The pairs of parts that are near each other and that the watcher includes, sorted. `None` if the watcher stopped the
/// search.
pub fn near_pairs(
    outlines: &[Outline],
    options: &Options,
    watch: &impl Watch,
) -> Option<Vec<[u32; 2]>> {
    let mut proxies = Proxies::new(Detail::Boxes);
    let mut broad = Packed::new();
    for (number, outline) in (0..).zip(outlines) {
        if outline.bounds.is_empty() {
            continue;
        }
        proxies.set(number, outline.reach(options), true);
        broad.insert(&proxies, number);
    }
    let mut pairs = Vec::new();
    let (mut seen, mut is_stopped) = (0u64, false);
    let _ = broad.pairs(&proxies, options.threads, &mut |[a, b]| {
        if watch.includes(a as usize, b as usize) {
            pairs.push([a, b]);
        }
        seen += 1;
        let progress = Progress { stage: Stage::Pairs, done: 0, total: pairs.len() as u64 };
        is_stopped = seen.is_multiple_of(1 << 16) && !watch.proceed(progress);
        if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    pairs.sort_unstable();
    (!is_stopped).then_some(pairs)
}

/// The touch band for two parts.
pub(super) fn band(outlines: &[Outline], options: &Options, a: usize, b: usize) -> Band {
    if let Some(touch) = options.touch {
        return Band::Chosen(touch);
    }
    let (a, b) = (&outlines[a], &outlines[b]);
    let sizes = [a.bounds.size().length(), b.bounds.size().length()];
    Band::derived([a.rounding, b.rounding], sizes)
}

/// The result of checking some of the pairs.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Share {
    /// The number of pairs that were checked.
    pub pairs: u64,
    /// The clashes among them, sorted by the indices of their parts.
    pub clashes: Vec<Clash>,
    /// The meshes of these pairs that were examined for gaps, sorted by number.
    pub solids: Vec<KnownSolid>,
}

impl Share {
    /// Replaces the numbers of parts and meshes. The new numbers of parts must have the order of the old ones.
    pub fn renumber(&mut self, part: impl Fn(usize) -> usize, mesh: impl Fn(u32) -> u32) {
        for clash in &mut self.clashes {
            (clash.a, clash.b) = (part(clash.a), part(clash.b));
        }
        self.solids.iter_mut().for_each(|solid| solid.mesh = mesh(solid.mesh));
        self.solids.sort_unstable_by_key(|solid| solid.mesh);
    }
}

/// A mesh that was examined for gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownSolid {
    /// The number of the mesh: see [`Outline::mesh`].
    pub mesh: u32,
    /// Whether any faces enclose a solid.
    pub is_solid: bool,
    /// The width of the widest gap; 0 if there is none.
    pub gap: f64,
}

impl KnownSolid {
    /// Whether the faces enclose the solid without a gap that is wider than the band.
    fn is_closed(&self, band: f64) -> bool {
        self.is_solid && (self.gap == 0.0 || self.gap <= band)
    }
}

/// Shares that are not those of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShareError {
    /// The shares have more or fewer pairs than there are.
    #[error("{found} pairs were checked, not {expected}")]
    Count {
        /// The number of pairs.
        expected: u64,
        /// The number of pairs of all shares.
        found: u64,
    },
    /// Two shares have the same clash.
    #[error("parts {a} and {b} were checked twice")]
    Twice {
        /// The first part.
        a: usize,
        /// The second part.
        b: usize,
    },
    /// A clash is none of the pairs.
    #[error("parts {a} and {b} are not a pair to check")]
    Unknown {
        /// The first part.
        a: usize,
        /// The second part.
        b: usize,
    },
}

/// The report of all shares together: the same as if one [`Finder`](super::Finder) had checked all pairs.
///
/// `pairs` are those of [`near_pairs`], with the same outlines and options.
///
/// # Errors
/// If the shares are not those of the pairs: each pair in exactly one share.
pub fn merge(
    outlines: &[Outline],
    options: &Options,
    pairs: &[[u32; 2]],
    shares: impl IntoIterator<Item = Share>,
) -> Result<Report, ShareError> {
    let (mut clashes, mut solids, mut found) = (Vec::new(), Vec::new(), 0);
    for share in shares {
        found += share.pairs;
        clashes.extend(share.clashes);
        solids.extend(share.solids);
    }
    let expected = pairs.len() as u64;
    if found != expected {
        return Err(ShareError::Count { expected, found });
    }
    clashes.sort_by_key(|clash| [clash.a, clash.b]);
    if let Some(two) = clashes.windows(2).find(|two| (two[0].a, two[0].b) == (two[1].a, two[1].b)) {
        return Err(ShareError::Twice { a: two[0].a, b: two[0].b });
    }
    let is_pair = |clash: &&Clash| {
        let pair = [clash.a, clash.b].map(|part| u32::try_from(part).unwrap_or(u32::MAX));
        pairs.binary_search(&pair).is_ok()
    };
    if let Some(&Clash { a, b, .. }) = clashes.iter().find(|clash| !is_pair(clash)) {
        return Err(ShareError::Unknown { a, b });
    }
    Ok(report(outlines, options, pairs, clashes, &solids))
}

/// The report of all clashes of the pairs, sorted.
pub(super) fn report(
    outlines: &[Outline],
    options: &Options,
    pairs: &[[u32; 2]],
    clashes: Vec<Clash>,
    solids: &[KnownSolid],
) -> Report {
    let gaps = gaps(outlines, options, pairs, solids);
    let touch = widest_band(outlines, options, pairs);
    Report { clashes, pairs_checked: pairs.len() as u64, gaps, touch }
}

/// The parts with gaps among these pairs, as far as the solids of their meshes are known.
fn gaps(
    outlines: &[Outline],
    options: &Options,
    pairs: &[[u32; 2]],
    solids: &[KnownSolid],
) -> Vec<Gap> {
    let with_gaps = solids.iter().filter(|solid| solid.gap > 0.0 || !solid.is_solid);
    let with_gaps: HashMap<u32, &KnownSolid> = with_gaps.map(|solid| (solid.mesh, solid)).collect();
    let gap = |part: u32| {
        let outline = &outlines[part as usize];
        let solid = with_gaps.get(&outline.mesh)?;
        let is_closed = solid.is_closed(outline.closing_band(options));
        Some(Gap::new(part as usize, solid.gap, is_closed))
    };
    parts_of(pairs).into_iter().filter_map(gap).collect()
}

/// The parts of these pairs, sorted.
pub(super) fn parts_of(pairs: &[[u32; 2]]) -> Vec<u32> {
    let mut parts: Vec<u32> = pairs.iter().copied().flatten().collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// The widest touch band of these pairs.
fn widest_band(outlines: &[Outline], options: &Options, pairs: &[[u32; 2]]) -> f64 {
    let widest = |&[a, b]: &[u32; 2]| {
        let (a, b) = (a as usize, b as usize);
        band(outlines, options, a, b).with(outlines[a].deviation + outlines[b].deviation)
    };
    match options.touch {
        Some(touch) => touch,
        None => pairs.iter().map(widest).fold(0.0, f64::max),
    }
}
