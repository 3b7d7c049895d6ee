//! Draws pictures of the findings: the whole assembly, and each clash from the direction that shows it best.
//! The software renderer is in `renderer/`.

mod contact;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use crate::{
    error::Error,
    findings::Findings,
    renderer::{
        self, Camera, Color, DIRECTIONS, Focus, Item, Lens, Material, Ring, Scene, Shape, corners,
        direction,
    },
};
use impinge::{
    Bounds, FacePair, Pose,
    clash::{Clash, Side, Verdict},
    glam::DVec3,
};
use impinge_io::{
    DraftFolder,
    assembly::{Assembly, AssemblyPart, Up},
    commit_all,
};
use rayon::prelude::*;
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::OnceLock,
};

pub use crate::{colors::color_of, renderer::Image};

/// Default size of the picture of the whole assembly: width and height in pixels.
pub const SIZE: [usize; 2] = [1200, 800];

/// Size of the pictures of single clashes.
pub const CLASH_SIZE: [usize; 2] = [960, 640];

/// Fields of view, in degrees. An assembly is easier to recognise from further away. Readers of BCF 2.1 may
/// reject less than 45.
const OVERVIEW_FIELD: f64 = 28.0;
const CLASH_FIELD: f64 = 45.0;

/// Maximum number of faces in a picture; further parts are drawn as boxes, or not at all.
const MAX_FACES: usize = 1_000_000;

/// Maximum number of parts in the trial renderings that choose the direction of an overview: marked parts
/// first, then the largest.
const TRIAL_ITEMS: usize = 4000;

/// A part that is smaller than this in the picture, in pixels, is drawn as its bounding box.
const BOX_PIXELS: f64 = 3.0;

/// A part larger than this share of the assembly is drawn as glass in the overview, because others are
/// probably within it.
const SHELL_SHARE: f64 = 0.6;

/// If more than this share of the parts clash, the overview colours only their faces: colouring all parts
/// would show nothing.
const MANY_SHARE: f64 = 0.5;

/// In the overview, a face larger than this share of the assembly is marked only if the clash is as large.
const SMALL_FACE: f64 = 0.03;

/// The distance from the contact at which marked faces lose their colour, as a share of the picture's frame: for
/// surfaces that meet, and for the closest points of surfaces that do not meet.
const SOFTNESS: f64 = 0.03;
const POINT_SOFTNESS: f64 = 0.12;

/// The same in a picture of an assembly of two parts, which is often shown small.
const WHOLE_SOFTNESS: f64 = 0.045;

/// The radius of a ring, as a share of the picture's height, and its minimum in pixels.
const RING: f64 = 0.018;
const WHOLE_RING: f64 = 0.03;
const MIN_RING: f64 = 7.0;

/// Maximum number of clashes with rings: more rings would hide what they point at.
const MAX_RINGS: usize = 12;

/// The colours of the two parts of a clash, and of their clashing faces.
const PARTS: [Color; 2] = [[178, 202, 232], [238, 208, 178]];
const FACES: [Color; 2] = [[40, 126, 242], [242, 108, 16]];

/// The colour of all other parts.
const OTHER_PARTS: Color = [206, 210, 216];

/// A picture and its camera.
#[derive(Debug)]
#[non_exhaustive]
pub struct Shot {
    /// The picture.
    pub image: Image,
    pub(crate) camera: Camera,
}

/// Draws the whole assembly. Clashing parts have the colour of their worst verdict, other parts are light,
/// and parts that enclose others are glass.
pub fn overview(findings: &Findings, size: [usize; 2]) -> Image {
    Studio::new(findings).overview(size).image
}

/// Writes a picture of each of the first `limit` clashes into a folder: `0001-<a>--<b>.png` and so on.
/// Creates the folder if needed. Calls `done` after each picture, which may stop the work. Returns the number
/// of pictures.
///
/// # Errors
/// If a file cannot be written, or if `done` stops the work; the folder is then unchanged.
pub fn save_all(
    findings: &Findings,
    folder: &Path,
    limit: usize,
    done: impl FnMut() -> ControlFlow<()>,
) -> Result<usize, Error> {
    let mut draft = DraftFolder::create(folder)?;
    let count = draw_all(findings, limit, &mut draft, done)?;
    commit_all([], Some(draft))?;
    Ok(count)
}

/// Draws the pictures of [`save_all`] into a draft folder, which the caller commits.
///
/// # Errors
/// If a file cannot be written, or if `done` stops the work.
pub fn draw_all(
    findings: &Findings,
    limit: usize,
    folder: &mut DraftFolder,
    mut done: impl FnMut() -> ControlFlow<()>,
) -> Result<usize, Error> {
    let studio = Studio::new(findings);
    let count = findings.rows.len().min(limit);
    // Drawn in parallel, a few at a time, and written in order.
    let some = 2 * rayon::current_num_threads();
    for first in (0..count).step_by(some) {
        let rows: Vec<usize> = (first..count.min(first + some)).collect();
        let drawn = rows.par_iter().map(|&row| studio.of_clash(row, CLASH_SIZE).image.png());
        let drawn: Vec<_> = drawn.collect();
        for (row, png) in rows.into_iter().zip(drawn) {
            folder.file(file_name(findings, row), |out| out.write_all(&png?))?;
            if done().is_break() {
                return Err(Error::Stopped);
            }
        }
    }
    Ok(count)
}

/// Returns the file name that [`save_all`] gives to the picture of a clash.
///
/// # Panics
/// If there is no such row.
pub fn file_name(findings: &Findings, row: usize) -> PathBuf {
    let clash = &findings.rows[row].clash;
    let [a, b] = [clash.a, clash.b].map(|part| safe(&findings.assembly.parts[part].name));
    PathBuf::from(format!("{:04}-{a}--{b}.png", row + 1))
}

/// Replaces all characters that a file name cannot have on some system.
fn safe(name: &str) -> String {
    let mut safe = String::new();
    for c in name.chars() {
        let c = if c.is_alphanumeric() || c == '_' || c == '.' { c } else { '-' };
        if c == '-' && (safe.is_empty() || safe.ends_with('-')) {
            continue;
        }
        // File names have at most 255 bytes, and this one holds two names.
        if safe.len() + c.len_utf8() > 100 {
            break;
        }
        safe.push(c);
    }
    let safe = safe.trim_end_matches(['-', '.']);
    if safe.is_empty() { "part".to_owned() } else { safe.to_owned() }
}

/// Draws pictures of one assembly; what they share is prepared once.
#[derive(Debug)]
pub struct Studio<'a> {
    findings: &'a Findings,
    shapes: Vec<OnceLock<Shape<'a>>>,
    blocks: Vec<OnceLock<Shape<'static>>>,
    meshes: Vec<Bounds>,
    parts: Vec<Bounds>,
    whole: Bounds,
    up: DVec3,
}

impl<'a> Studio<'a> {
    /// Prepares pictures of the findings.
    pub fn new(findings: &'a Findings) -> Self {
        let assembly = &findings.assembly;
        let meshes: Vec<Bounds> = assembly.meshes.par_iter().map(|mesh| mesh.bounds()).collect();
        let placed = |part: &AssemblyPart| placed(&meshes[part.mesh], &part.placement);
        let parts: Vec<Bounds> = assembly.parts.iter().map(placed).collect();
        let mut whole = Bounds::EMPTY;
        parts.iter().for_each(|part| whole.merge(part));
        let shapes = meshes.iter().map(|_| OnceLock::new()).collect();
        let blocks = meshes.iter().map(|_| OnceLock::new()).collect();
        Self { findings, shapes, blocks, meshes, parts, whole, up: up(assembly) }
    }

    /// Draws the whole assembly: see [`overview`].
    pub fn overview(&self, size: [usize; 2]) -> Shot {
        let rows = &self.findings.rows;
        if let ([row], 2) = (&rows[..], self.parts.len()) {
            return self.of_two_parts(&row.clash, size);
        }
        let mut worst: BTreeMap<usize, Verdict> = BTreeMap::new();
        for Clash { a, b, verdict, .. } in rows.iter().map(|row| &row.clash) {
            for part in [*a, *b] {
                let entry = worst.entry(part).or_insert(*verdict);
                *entry = (*entry).min(*verdict);
            }
        }
        let mut marks = self.marks();
        let are_many = worst.len() as f64 > MANY_SHARE * self.parts.len() as f64 && worst.len() > 6;
        let all: Vec<PartStyle> = (0..self.parts.len())
            .map(|part| PartStyle {
                part,
                color: match worst.get(&part).filter(|_| !are_many) {
                    Some(verdict) => tint(color_of(*verdict)),
                    None => OTHER_PARTS,
                },
                material: if self.is_shell(part) { Material::Glass } else { Material::Solid },
                marks: marks.remove(&part).unwrap_or_default().into_iter().collect(),
            })
            .collect();

        let placed = |part: &AssemblyPart| {
            corners(&self.meshes[part.mesh]).map(|corner| part.placement.place(corner))
        };
        let parts = self.findings.assembly.parts.iter();
        let parts = parts.filter(|part| !self.meshes[part.mesh].is_empty());
        let points: Vec<DVec3> = parts.flat_map(placed).collect();
        let frame = |from| {
            let points = points.iter().copied();
            let lens = lens(size, OVERVIEW_FIELD);
            Camera::framing(points, direction(from, self.up), self.up, lens)
        };
        let palette = Verdict::ALL.map(color_of);
        // An overview is easiest to recognise from above at an angle, so only such directions are tried.
        let mut trial = self.scene(&all, &frame(DIRECTIONS[0]), size[1], &palette);
        trial.items.truncate(TRIAL_ITEMS);
        let camera = best(&trial, &DIRECTIONS[..8], DVec3::ZERO, frame).0;
        let mut scene = self.scene(&all, &camera, size[1], &palette);
        if rows.len() <= MAX_RINGS {
            // The worst verdicts are drawn last, in front of the others.
            let mut clashes: Vec<&Clash> = rows.iter().map(|row| &row.clash).collect();
            clashes.sort_by_key(|clash| Reverse(clash.verdict));
            scene.rings = clashes.into_iter().map(|clash| self.ring(clash, size, RING)).collect();
        } else {
            scene.through = 0.0;
        }
        let image = renderer::render(&scene, &camera, size[0], size[1]);
        Shot { image, camera }
    }

    /// Returns whether a part is so large that others are within it: at least half of their centres are in its
    /// bounds.
    fn is_shell(&self, part: usize) -> bool {
        let bounds = &self.parts[part];
        if diagonal(bounds) <= SHELL_SHARE * diagonal(&self.whole) || self.parts.len() < 2 {
            return false;
        }
        let centers = self.parts.iter().filter(|other| !other.is_empty()).map(Bounds::center);
        // The centre of the part itself counts, too.
        let within = centers.filter(|center| center.clamp(bounds.min, bounds.max) == *center);
        2 * (within.count() - 1) >= self.parts.len() - 1
    }

    /// Returns the faces to mark in the overview, by part, with the number of their worst verdict.
    fn marks(&self) -> BTreeMap<usize, BTreeMap<u32, u8>> {
        let mut marks: BTreeMap<usize, BTreeMap<u32, u8>> = BTreeMap::new();
        let whole = diagonal(&self.whole);
        for Clash { a, b, verdict, faces, extent, .. } in
            self.findings.rows.iter().map(|row| &row.clash)
        {
            let mut mark = |part: usize, face: u32| {
                let corners = self.findings.assembly.mesh(part).triangle(face);
                let clash = if self.is_shell(part) { 0.0 } else { diagonal(extent) };
                if diagonal(&Bounds::enclosing(corners)) > (SMALL_FACE * whole).max(1.5 * clash) {
                    return;
                }
                let entry = marks.entry(part).or_default().entry(face).or_insert(*verdict as u8);
                *entry = (*entry).min(*verdict as u8);
            };
            for pair in faces {
                mark(*a, pair.a);
                mark(*b, pair.b);
            }
        }
        marks
    }

    /// Draws a clash and its surroundings.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn of_clash(&self, row: usize, size: [usize; 2]) -> Shot {
        let clash = &self.findings.rows[row].clash;
        let frame = self.frame(clash);
        let camera = |from| self.camera_from(from, &frame, size);
        let softness = if clash.distance > 0.0 { POINT_SOFTNESS } else { SOFTNESS };
        let mut plan = self.plan(clash, size, softness * diagonal(&frame), &FACES, camera);

        // Other parts near the clash.
        let half = DVec3::splat(frame.size().max_element() * 1.5);
        let region = Bounds { min: frame.center() - half, max: frame.center() + half };
        let mut rest: Vec<(f64, usize)> = (0..self.parts.len())
            .filter(|part| *part != clash.a && *part != clash.b)
            .filter(|part| self.parts[*part].overlaps(&region))
            .map(|part| (distance(&self.parts[part], frame.center()), part))
            .collect();
        rest.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        plan.drawn.extend(rest.iter().map(|&(_, part)| PartStyle {
            part,
            color: OTHER_PARTS,
            material: Material::Faint,
            marks: Vec::new(),
        }));
        self.shot(plan, size, &FACES, self.ring(clash, size, RING))
    }

    /// Draws an assembly of two parts that clash: both parts as a whole, and the contact in the colour of the
    /// verdict.
    fn of_two_parts(&self, clash: &Clash, size: [usize; 2]) -> Shot {
        let camera = |from| {
            let lens = lens(size, OVERVIEW_FIELD);
            Camera::framing(corners(&self.whole), direction(from, self.up), self.up, lens)
        };
        let softness = if clash.distance > 0.0 { POINT_SOFTNESS } else { WHOLE_SOFTNESS };
        let palette = [color_of(clash.verdict); 2];
        let plan = self.plan(clash, size, softness * diagonal(&self.whole), &palette, camera);
        self.shot(plan, size, &palette, self.ring(clash, size, WHOLE_RING))
    }

    /// Chooses the direction that shows most of a clash. If too little can be seen, the larger part becomes
    /// glass, and then both.
    fn plan(
        &self,
        clash: &Clash,
        size: [usize; 2],
        softness: f64,
        palette: &[Color],
        camera: impl Fn((f64, f64, f64)) -> Camera,
    ) -> Plan {
        let mut drawn = self.two_parts(clash);
        let inner = self.inner(clash);
        let focus = match inner {
            Some(_) => None,
            None => Focus::new(&contact::contacts(&self.findings.assembly, clash), softness),
        };
        let gap = (clash.points[1] - clash.points[0]).normalize_or_zero();
        let gap = if inner.is_some() { DVec3::ZERO } else { gap };
        let sizes = [clash.a, clash.b].map(|part| diagonal(&self.parts[part]));
        let larger = usize::from(sizes[1] > sizes[0]);
        let outer = inner.map_or(larger, |inner| 1 - inner);
        let mut chosen = None;
        for to_glass in [None, Some(outer), Some(1 - outer)] {
            if let Some(part) = to_glass {
                drawn[part].material = Material::Glass;
            } else if inner.is_some() {
                continue;
            }
            let mut trial = self.scene(&drawn, &camera(DIRECTIONS[0]), size[1], palette);
            trial.focus.clone_from(&focus);
            let (camera, seen) = best(&trial, &DIRECTIONS, gap, &camera);
            chosen = Some(camera);
            if seen.open * 4 >= seen.all {
                break;
            }
        }
        let camera = chosen.unwrap_or_else(|| camera(DIRECTIONS[0]));
        Plan { camera, drawn, focus }
    }

    fn shot(&self, plan: Plan, size: [usize; 2], palette: &[Color], ring: Ring) -> Shot {
        let mut scene = self.scene(&plan.drawn, &plan.camera, size[1], palette);
        scene.focus = plan.focus;
        scene.rings = vec![ring];
        let image = renderer::render(&scene, &plan.camera, size[0], size[1]);
        Shot { image, camera: plan.camera }
    }

    /// Returns how the two parts of a clash are drawn, with the faces that clash marked. If one part is inside
    /// the other, all of its faces are marked.
    fn two_parts(&self, clash: &Clash) -> Vec<PartStyle> {
        let inner = self.inner(clash);
        let style = |side: usize, part: usize, of: fn(&FacePair) -> u32| {
            let mut faces: Vec<u32> = match inner {
                None => clash.faces.iter().map(of).collect(),
                Some(inner) if inner == side => {
                    (0..self.findings.assembly.mesh(part).faces().len() as u32).collect()
                }
                Some(_) => Vec::new(),
            };
            faces.sort_unstable();
            faces.dedup();
            let marks = faces.into_iter().map(|face| (face, side as u8)).collect();
            PartStyle { part, color: PARTS[side], material: Material::Solid, marks }
        };
        vec![style(0, clash.a, |pair| pair.a), style(1, clash.b, |pair| pair.b)]
    }

    /// Returns which of the two parts of a clash, 0 or 1, is or may be inside the other; `None` if the place
    /// where the surfaces meet tells more.
    fn inner(&self, clash: &Clash) -> Option<usize> {
        let has_inner = match clash.verdict {
            Verdict::Inside => true,
            Verdict::Undecided => clash.places.is_empty(),
            _ => false,
        };
        let [a, b] = [clash.a, clash.b].map(|part| diagonal(&self.parts[part]));
        has_inner.then(|| match clash.inner {
            Some(Side::A) => 0,
            Some(Side::B) => 1,
            None => usize::from(b < a),
        })
    }

    /// Returns the ring around the point that stands for a clash, in the colour of its verdict. Its radius is a
    /// share of the picture's height.
    fn ring(&self, clash: &Clash, size: [usize; 2], share: f64) -> Ring {
        let point = match self.inner(clash) {
            Some(side) => self.parts[[clash.a, clash.b][side]].center(),
            None => middle(clash),
        };
        let radius = (share * size[1] as f64).max(MIN_RING) as f32;
        Ring { point, radius, color: color_of(clash.verdict) }
    }

    /// Returns a camera that shows a clash, without a search for the best direction.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn camera(&self, row: usize, size: [usize; 2]) -> Camera {
        let frame = self.frame(&self.findings.rows[row].clash);
        self.camera_from(DIRECTIONS[0], &frame, size)
    }

    fn camera_from(&self, from: (f64, f64, f64), frame: &Bounds, size: [usize; 2]) -> Camera {
        let direction = direction(from, self.up);
        let lens = lens(size, CLASH_FIELD);
        let camera = Camera::framing(corners(frame), direction, self.up, lens);
        camera.centered(frame.center()).with_near(0.25)
    }

    /// Returns the bounds that the picture of a clash shows: large enough to recognise the parts.
    fn frame(&self, clash: &Clash) -> Bounds {
        let mut place = Bounds::enclosing(clash.points);
        if !clash.extent.is_empty() {
            place.merge(&clash.extent);
        }
        if let Some(side) = self.inner(clash) {
            place = self.parts[[clash.a, clash.b][side]];
        }
        let half = |bounds: &Bounds| diagonal(bounds) * 0.5;
        let [a, b] = [clash.a, clash.b].map(|part| half(&self.parts[part]));
        let around = (half(&place) * 1.5).max(0.9 * a.min(b)).min(a.max(b));
        let around = DVec3::splat(around / 3.0_f64.sqrt());
        let center = place.center();
        Bounds { min: center - around, max: center + around }
    }

    /// Returns the scene to draw. It has the visible parts: marked ones first, then the largest, up to
    /// [`MAX_FACES`] faces. Small parts are drawn as boxes.
    fn scene(
        &self,
        drawn: &[PartStyle],
        camera: &Camera,
        height: usize,
        palette: &[Color],
    ) -> Scene<'_> {
        let seen =
            drawn.iter().filter_map(|it| Some((camera.size_of(&self.parts[it.part], height)?, it)));
        let mut seen: Vec<(f64, &PartStyle)> = seen.collect();
        // Marked parts come first. The sort is stable, so parts of equal size keep their order.
        seen.sort_by(|x, y| {
            let marked = y.1.marks.is_empty().cmp(&x.1.marks.is_empty()).reverse();
            marked.then(y.0.total_cmp(&x.0))
        });
        let mut left = MAX_FACES;
        let mut whole = vec![false; seen.len()];
        for (at, (pixels, it)) in seen.iter().enumerate() {
            let mesh = self.findings.assembly.parts[it.part].mesh;
            let faces = self.findings.assembly.meshes[mesh].faces().len();
            let is_whole = !it.marks.is_empty() || (*pixels >= BOX_PIXELS && faces <= left);
            if is_whole {
                left = left.saturating_sub(faces);
                whole[at] = true;
            }
        }
        let shapes = seen.par_iter().zip(&whole).map(|((_, it), &is_whole)| {
            let mesh = self.findings.assembly.parts[it.part].mesh;
            match is_whole {
                true => self.shapes[mesh]
                    .get_or_init(|| Shape::new(&self.findings.assembly.meshes[mesh])),
                false => self.blocks[mesh].get_or_init(|| Shape::block(&self.meshes[mesh])),
            }
        });
        let shapes: Vec<&Shape<'_>> = shapes.collect();
        let items = seen.iter().zip(shapes).map(|((_, it), shape)| Item {
            shape,
            placement: self.findings.assembly.parts[it.part].placement,
            color: it.color,
            material: it.material,
            marks: it.marks.clone(),
        });
        let (items, palette) = (items.collect(), palette.to_vec());
        Scene { items, palette, rings: Vec::new(), up: self.up, focus: None, through: 0.25 }
    }
}

/// How to draw a clash.
struct Plan {
    camera: Camera,
    drawn: Vec<PartStyle>,
    focus: Option<Focus>,
}

/// A part and how to draw it.
struct PartStyle {
    part: usize,
    color: Color,
    material: Material,
    marks: Vec<(u32, u8)>,
}

/// Returns the camera that shows most of the marked faces, and the first one among equals. If there is a gap, given
/// by its direction, a camera that looks across it is preferred.
fn best(
    scene: &Scene<'_>,
    directions: &[(f64, f64, f64)],
    gap: DVec3,
    camera: impl Fn((f64, f64, f64)) -> Camera,
) -> (Camera, renderer::Visibility) {
    let mut best: Option<(f64, Camera, renderer::Visibility)> = None;
    for &from in directions {
        let camera = camera(from);
        let seen = renderer::visibility(scene, &camera);
        // The square root, because a direction from above at an angle is better than seeing a little more.
        let seen_share = (seen.open as f64 + 0.1 * seen.all as f64).sqrt();
        let across = 1.0 - 0.6 * camera.direction.dot(gap).abs();
        let worth = from.2 * across * seen_share;
        if best.as_ref().is_none_or(|best| worth > best.0) {
            best = Some((worth, camera, seen));
        }
    }
    let (_, camera, seen) = best.expect("there are directions");
    (camera, seen)
}

/// Returns the point that stands for a clash.
fn middle(clash: &Clash) -> DVec3 {
    clash.points[0].midpoint(clash.points[1])
}

fn lens([width, height]: [usize; 2], field_of_view: f64) -> Lens {
    Lens { field_of_view, aspect: width.max(1) as f64 / height.max(1) as f64 }
}

/// Returns the length of the diagonal of a box.
fn diagonal(bounds: &Bounds) -> f64 {
    if bounds.is_empty() { 0.0 } else { bounds.size().length() }
}

/// Returns a lighter colour.
fn tint(color: Color) -> Color {
    color.map(|value| ((u16::from(value) + 255) / 2) as u8)
}

/// Returns the distance of a point from a box.
fn distance(bounds: &Bounds, point: DVec3) -> f64 {
    point.distance(point.clamp(bounds.min, bounds.max))
}

/// Returns the bounds of a placed box.
fn placed(bounds: &Bounds, placement: &Pose) -> Bounds {
    if bounds.is_empty() {
        return Bounds::EMPTY;
    }
    Bounds::enclosing(corners(bounds).map(|corner| placement.place(corner)))
}

/// Returns the up direction: the one that the files define; otherwise z for formats of machines, and y for others.
fn up(assembly: &Assembly) -> DVec3 {
    match assembly.up {
        Some(Up::Z) => return DVec3::Z,
        Some(Up::Y) => return DVec3::Y,
        None => {}
    }
    let is_upright = |path: &PathBuf| {
        let extension =
            path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let extension = extension.to_ascii_lowercase();
        ["stl", "urdf", "step", "stp", "ifc", "ply", "off"].contains(&&*extension)
    };
    let is_upright = !assembly.files.is_empty() && assembly.files.iter().all(is_upright);
    if is_upright { DVec3::Z } else { DVec3::Y }
}
