//! Pictures of the findings: the whole assembly, and each clash from where it is seen best.

use crate::{
    error::Error,
    findings::Findings,
    renderer::{
        self, Camera, Color, DIRECTIONS, Focus, Item, Lens, Look, Ring, Scene, Shape, corners,
        direction,
    },
};
use impinge::{
    Bounds, Pose,
    clash::{Clash, Verdict},
    glam::DVec3,
};
use impinge_io::{
    DraftFolder,
    assembly::{Assembly, AssemblyPart},
    commit_all,
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::OnceLock,
};

pub use crate::renderer::Image;

/// How large pictures are, unless something else is asked for: width and height in pixels.
pub const SIZE: [usize; 2] = [1200, 800];

/// The fields of view, in degrees. A whole is easier to grasp from further away; readers of BCF 2.1 may refuse
/// less than 45.
const OVERVIEW_FIELD: f64 = 28.0;
const CLASH_FIELD: f64 = 45.0;

/// The faces that a picture is made of at most; what is beyond is drawn as boxes, or left out.
const MAX_FACES: usize = 1_000_000;

/// Of so many parts it is tried how an overview is best taken: those with marks, and the largest.
const TRIAL_ITEMS: usize = 4000;

/// A part whose box is smaller than this in the picture, in pixels, is drawn as that box.
const BOX_PIXELS: f64 = 3.0;

/// A part larger than this share of the whole is glass in the overview: others are within it.
const SHELL: f64 = 0.6;

/// Where more than this share of the parts clash, colouring them all would say nothing: only faces are.
const MANY: f64 = 0.5;

/// In the overview, faces larger than this share of the whole stand for themselves only where the clash is
/// as large.
const SMALL_FACE: f64 = 0.03;

/// Rings are drawn around so many clashes at most: more would hide what they point at.
const MAX_RINGS: usize = 12;

/// The two parts of a clash, and their faces that do.
const PARTS: [Color; 2] = [[178, 202, 232], [238, 208, 178]];
const FACES: [Color; 2] = [[40, 126, 242], [242, 108, 16]];

/// What has no part in a clash.
const REST: Color = [206, 210, 216];
const RING: Color = [20, 24, 32];

/// The colour of a verdict, the same in all outputs: red, green and blue (sRGB).
pub fn color_of(verdict: Verdict) -> [u8; 3] {
    match verdict {
        Verdict::Duplicate => [137, 87, 229],
        Verdict::Inside => [214, 58, 140],
        Verdict::Penetrating => [222, 45, 38],
        Verdict::Clearance => [240, 160, 20],
        Verdict::Touching => [17, 155, 135],
        _ => [90, 90, 90],
    }
}

/// A picture, and where it was taken from.
#[derive(Debug)]
#[non_exhaustive]
pub struct Shot {
    /// The picture.
    pub image: Image,
    pub(crate) camera: Camera,
}

/// A picture of the whole assembly: what clashes in the colour of its worst verdict, the rest light, and
/// glass what others are within.
pub fn overview(findings: &Findings, size: [usize; 2]) -> Image {
    Studio::new(findings).overview(size).image
}

/// Writes a picture of each of the first `limit` clashes into a folder, which is made if it is not
/// there: `0001-<a>--<b>.png` and so on. Returns how many it wrote; `done` is called after each, and may
/// end it.
///
/// # Errors
/// If a file cannot be written, or `done` ends it: then the folder is as it was before.
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

/// Draws the pictures of [`save_all`] into a folder that has not taken its name yet.
///
/// # Errors
/// If a file cannot be written, or `done` ends it.
pub fn draw_all(
    findings: &Findings,
    limit: usize,
    folder: &mut DraftFolder,
    mut done: impl FnMut() -> ControlFlow<()>,
) -> Result<usize, Error> {
    let studio = Studio::new(findings);
    let count = findings.rows.len().min(limit);
    for row in 0..count {
        let image = studio.of_clash(row, SIZE).image;
        folder.file(file_name(findings, row), |out| image.write(out))?;
        if done().is_break() {
            return Err(Error::Stopped);
        }
    }
    Ok(count)
}

/// The name that [`save_all`] gives to the picture of a clash.
///
/// # Panics
/// If there is no such row.
pub fn file_name(findings: &Findings, row: usize) -> PathBuf {
    let clash = &findings.rows[row].clash;
    let [a, b] = [clash.a, clash.b].map(|part| safe(&findings.assembly.parts[part].name));
    PathBuf::from(format!("{:04}-{a}--{b}.png", row + 1))
}

/// A name with nothing in it that any system would not have in the name of a file.
fn safe(name: &str) -> String {
    let mut safe = String::new();
    for c in name.chars() {
        let c = if c.is_alphanumeric() || c == '_' || c == '.' { c } else { '-' };
        if c == '-' && (safe.is_empty() || safe.ends_with('-')) {
            continue;
        }
        // Names end at 255 bytes, and this one holds two.
        if safe.len() + c.len_utf8() > 100 {
            break;
        }
        safe.push(c);
    }
    let safe = safe.trim_end_matches(['-', '.']);
    if safe.is_empty() { "part".to_owned() } else { safe.to_owned() }
}

/// Takes pictures of one assembly: what they have in common is prepared once.
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
    /// Prepares pictures of these findings.
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

    /// The whole assembly: see [`overview`].
    pub fn overview(&self, size: [usize; 2]) -> Shot {
        let rows = &self.findings.rows;
        let mut worst: BTreeMap<usize, Verdict> = BTreeMap::new();
        for Clash { a, b, verdict, .. } in rows.iter().map(|row| &row.clash) {
            for part in [*a, *b] {
                let entry = worst.entry(part).or_insert(*verdict);
                *entry = (*entry).min(*verdict);
            }
        }
        let mut marks = self.marks();
        let are_many = worst.len() as f64 > MANY * self.parts.len() as f64 && worst.len() > 6;
        let all: Vec<Drawn> = (0..self.parts.len())
            .map(|part| Drawn {
                part,
                color: match worst.get(&part).filter(|_| !are_many) {
                    Some(verdict) => tint(color_of(*verdict)),
                    None => REST,
                },
                look: if self.is_shell(part) { Look::Glass } else { Look::Solid },
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
        // From half above, whatever is below: an overview is to be recognised.
        let mut trial = self.scene(&all, &frame(DIRECTIONS[0]), size[1], &palette);
        trial.items.truncate(TRIAL_ITEMS);
        let camera = best(&trial, &DIRECTIONS[..8], frame).0;
        let mut scene = self.scene(&all, &camera, size[1], &palette);
        if rows.len() <= MAX_RINGS {
            let ring = |clash: &Clash| Ring { point: middle(clash), radius: 13.0, color: RING };
            scene.rings = rows.iter().map(|row| ring(&row.clash)).collect();
        } else {
            scene.through = 0.0;
        }
        let image = renderer::render(&scene, &camera, size[0], size[1]);
        Shot { image, camera }
    }

    /// Whether a part is so large that others are probably within it.
    fn is_shell(&self, part: usize) -> bool {
        diagonal(&self.parts[part]) > SHELL * diagonal(&self.whole) && self.parts.len() > 1
    }

    /// The faces that are marked in the overview, by part, in the colour of their worst verdict.
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

    /// A clash and what is around it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn of_clash(&self, row: usize, size: [usize; 2]) -> Shot {
        let clash = &self.findings.rows[row].clash;
        let (place, frame) = self.frame(clash);
        let camera = |from| self.camera_from(from, &frame, size);
        let softness = diagonal(&frame) * 0.07;
        let focus = Some(Focus { bounds: place, softness });
        let faces = |of: fn(&impinge::FacePair) -> u32, color: u8| {
            let mut faces: Vec<u32> = clash.faces.iter().map(of).collect();
            faces.sort_unstable();
            faces.dedup();
            faces.into_iter().map(|face| (face, color)).collect::<Vec<_>>()
        };
        let part = |part, color, look, marks| Drawn { part, color, look, marks };
        let mut drawn = vec![
            part(clash.a, PARTS[0], Look::Solid, faces(|pair| pair.a, 0)),
            part(clash.b, PARTS[1], Look::Solid, faces(|pair| pair.b, 1)),
        ];

        // Where little can be seen, the larger of the two becomes glass, and then both.
        let sizes = [clash.a, clash.b].map(|part| diagonal(&self.parts[part]));
        let larger = usize::from(sizes[1] > sizes[0]);
        let mut chosen = None;
        for to_glass in [None, Some(larger), Some(1 - larger)] {
            if let Some(part) = to_glass {
                drawn[part].look = Look::Glass;
            } else if clash.verdict == Verdict::Inside {
                continue;
            }
            let mut trial = self.scene(&drawn, &camera(DIRECTIONS[0]), size[1], &FACES);
            trial.focus = focus;
            let (camera, seen) = best(&trial, &DIRECTIONS, camera);
            chosen = Some(camera);
            if seen.open * 4 >= seen.all {
                break;
            }
        }
        let camera = chosen.unwrap_or_else(|| camera(DIRECTIONS[0]));

        // The rest, as far as it is near.
        let half = DVec3::splat(frame.size().max_element() * 1.5);
        let region = Bounds { min: frame.center() - half, max: frame.center() + half };
        let mut rest: Vec<(f64, usize)> = (0..self.parts.len())
            .filter(|part| *part != clash.a && *part != clash.b)
            .filter(|part| self.parts[*part].overlaps(&region))
            .map(|part| (distance(&self.parts[part], frame.center()), part))
            .collect();
        rest.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        drawn.extend(rest.iter().map(|&(_, number)| part(number, REST, Look::Faint, Vec::new())));
        let mut scene = self.scene(&drawn, &camera, size[1], &FACES);
        scene.focus = focus;
        let ring = |point| Ring { point, radius: 15.0, color: RING };
        scene.rings = match clash.verdict {
            Verdict::Clearance => vec![ring(middle(clash))],
            _ => vec![ring(clash.points[0])],
        };
        let image = renderer::render(&scene, &camera, size[0], size[1]);
        Shot { image, camera }
    }

    /// Where a clash can be looked at from, without a search for the best place.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn camera(&self, row: usize, size: [usize; 2]) -> Camera {
        let (_, frame) = self.frame(&self.findings.rows[row].clash);
        self.camera_from(DIRECTIONS[0], &frame, size)
    }

    fn camera_from(&self, from: (f64, f64, f64), frame: &Bounds, size: [usize; 2]) -> Camera {
        let direction = direction(from, self.up);
        let lens = lens(size, CLASH_FIELD);
        let camera = Camera::framing(corners(frame), direction, self.up, lens);
        camera.centered(frame.center()).with_near(0.25)
    }

    /// Where a clash is, and what its picture shows: as much around it as it takes to recognise the parts.
    fn frame(&self, clash: &Clash) -> (Bounds, Bounds) {
        let mut place = Bounds::enclosing(clash.points);
        if !clash.extent.is_empty() {
            place.merge(&clash.extent);
        }
        let half = |bounds: &Bounds| diagonal(bounds) * 0.5;
        let [a, b] = [clash.a, clash.b].map(|part| half(&self.parts[part]));
        let around = (half(&place) * 1.5).max(0.9 * a.min(b)).min(a.max(b));
        let around = DVec3::splat(around / 3.0_f64.sqrt());
        let center = place.center();
        (place, Bounds { min: center - around, max: center + around })
    }

    /// Parts as things to draw: those that can be seen, the first in the list and the largest first,
    /// until there are enough; what is small is a box.
    fn scene(
        &self,
        drawn: &[Drawn],
        camera: &Camera,
        height: usize,
        palette: &[Color],
    ) -> Scene<'_> {
        let seen =
            drawn.iter().filter_map(|it| Some((camera.size_of(&self.parts[it.part], height)?, it)));
        let mut seen: Vec<(f64, &Drawn)> = seen.collect();
        // What has marks comes first; the sort is stable, so the rest keeps its order where sizes are equal.
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
            look: it.look,
            marks: it.marks.clone(),
        });
        let (items, palette) = (items.collect(), palette.to_vec());
        Scene { items, palette, rings: Vec::new(), up: self.up, focus: None, through: 0.25 }
    }
}

/// How a part is to be drawn.
struct Drawn {
    part: usize,
    color: Color,
    look: Look,
    marks: Vec<(u32, u8)>,
}

/// The view of a scene that shows most of what is marked, the first of several.
fn best(
    scene: &Scene<'_>,
    directions: &[(f64, f64, f64)],
    camera: impl Fn((f64, f64, f64)) -> Camera,
) -> (Camera, renderer::Visibility) {
    let mut best: Option<(f64, Camera, renderer::Visibility)> = None;
    for &from in directions {
        let camera = camera(from);
        let seen = renderer::visibility(scene, &camera);
        // Twice as much to see is not twice as good: a view from half above tells more.
        let worth = from.2 * (seen.open as f64 + 0.1 * seen.all as f64).sqrt();
        if best.as_ref().is_none_or(|best| worth > best.0) {
            best = Some((worth, camera, seen));
        }
    }
    let (_, camera, seen) = best.expect("there are directions");
    (camera, seen)
}

/// The point that stands for a clash.
fn middle(clash: &Clash) -> DVec3 {
    clash.points[0].midpoint(clash.points[1])
}

fn lens([width, height]: [usize; 2], field_of_view: f64) -> Lens {
    Lens { field_of_view, aspect: width.max(1) as f64 / height.max(1) as f64 }
}

/// The length of a box from corner to corner.
fn diagonal(bounds: &Bounds) -> f64 {
    if bounds.is_empty() { 0.0 } else { bounds.size().length() }
}

/// A lighter kind of a colour.
fn tint(color: Color) -> Color {
    color.map(|value| ((u16::from(value) + 255) / 2) as u8)
}

/// How far a point is from a box.
fn distance(bounds: &Bounds, point: DVec3) -> f64 {
    point.distance(point.clamp(bounds.min, bounds.max))
}

/// The bounds of a placed box.
fn placed(bounds: &Bounds, placement: &Pose) -> Bounds {
    if bounds.is_empty() {
        return Bounds::EMPTY;
    }
    Bounds::enclosing(corners(bounds).map(|corner| placement.place(corner)))
}

/// What is up: z in files of machines, robots and buildings, else y as in glTF.
fn up(assembly: &Assembly) -> DVec3 {
    let is_upright = |path: &PathBuf| {
        let extension =
            path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let extension = extension.to_ascii_lowercase();
        ["stl", "urdf", "step", "stp", "ifc", "ply", "off"].contains(&&*extension)
    };
    let is_upright = !assembly.files.is_empty() && assembly.files.iter().all(is_upright);
    if is_upright { DVec3::Z } else { DVec3::Y }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
