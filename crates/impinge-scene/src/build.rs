//! Builds a [`Run`] from a scene file: reads meshes and poses, places the bodies and sets their motions.
//! Every value is checked here or in `values.rs`; errors name the line and the key.
//!
//! `build/shapes.rs` reads the meshes of bodies, and how they deform.

mod shapes;

use crate::{
    choices::{Broad, CoherenceKind, DeformedKind, FaceOctreeChoice, OctreeChoice},
    copies::Copies,
    deform::Deforming,
    document::{AtEnd, Document, Entry, RunEntry, Vector},
    dynamics::Dynamics,
    error::Error,
    flight::{Forces, Rigid},
    inertia::Inertia,
    motion::{Billiard, Mover, Path},
    response::{self, Response},
    rows::to_thousandths,
    run::{ContactLimit, Names, Run},
    scene::Scene,
    sources::Sources,
    summary::{End, Summary, SummaryImpacts, SummaryStats, SummarySteps, SummarySwept},
    swept::Sweeper,
    text::Text,
};
use impinge::{
    Distribution, Mesh, Method, Pose, Shape, Threads,
    broad::{BroadPhase, Detail, Packed, Proxies},
    convex::Hull,
    generate::Random,
    glam::{DMat3, DQuat, DVec3},
    method::{
        face_octree::{FaceOctreeOptions, SubdivisionDepth},
        hull::{HullOptions, Separation},
        octree::OctreeOptions,
    },
    world::Body,
};
use std::{
    collections::HashMap,
    fmt::{self, Display},
    ops::{ControlFlow, Range},
    sync::Arc,
    time::Instant,
};
use toml::Spanned;

/// Limits on bodies and ignored pairs: more would take more memory than most machines have.
const MAX_BODIES: u64 = 1 << 24;
const MAX_IGNORED: u64 = 10_000_000;

/// Random places that are tried for a copy that must be apart from all other bodies.
const MAX_TRIES: u32 = 1000;

/// The largest number of threads that a scene may set: more than any machine can use, and still quick to
/// start.
pub const MAX_THREADS: u16 = 1024;

/// Default limit on the contacts of one cycle: about half a gigabyte of memory.
const CONTACT_LIMIT: u64 = 50_000_000;
/// Limit on the pairs of bodies that a broad phase keeps in memory.
const PAIR_LIMIT: u64 = 100_000_000;

/// Values that replace those of the scene.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Overrides {
    /// The number of cycles, at least 1.
    pub cycles: Option<u64>,
    /// The broad phase, which finds bodies near each other.
    pub broad: Option<Broad>,
    /// The method that finds touching faces.
    pub method: Option<Method>,
    /// Options of the method `face-octree`, for runs with that method.
    pub face_octree: FaceOctreeChoice,
    /// Options of the method `octree`, for runs with that method.
    pub octree: OctreeChoice,
    /// How the method `hull` proves hulls apart, for runs with that method.
    pub separation: Option<Separation>,
    /// The number of threads; 0 for one per core.
    pub threads: Option<u16>,
    /// What is remembered from cycle to cycle.
    pub coherence: Option<CoherenceKind>,
    /// How bodies that have deformed are searched.
    pub deformed: Option<DeformedKind>,
    /// Whether to find faces whose swept spaces meet between cycles, too.
    pub swept: bool,
    /// Whether to find the impacts between cycles, also if the scene does not ask for them.
    pub continuous: bool,
    /// Whether rows and summaries also have the numbers of tests and hits, and energies.
    pub stats: bool,
}

/// Builds the runs of a scene. Meshes that several runs use are read once.
pub struct Builder<'s> {
    text: &'s Text,
    scene: &'s Document,
    overrides: Overrides,
    sources: &'s dyn Sources,
    meshes: HashMap<(String, [u64; 2]), Arc<Mesh>>,
    shapes: HashMap<(String, [u64; 2], Way), Shape>,
    paths: HashMap<String, Arc<[Pose]>>,
    /// The meshes of each sequence, by its name and scale.
    sequences: HashMap<(String, u64), Arc<[Arc<Mesh>]>>,
}

/// How meshes are prepared: the method, and the options of the methods that have some.
type Way = (Method, FaceOctreeOptions, OctreeOptions, HullOptions);

fn prepared((method, face_octree, octree, hull): Way, mesh: Arc<Mesh>) -> Shape {
    if method == Method::FACE_OCTREE {
        Shape::build(face_octree, mesh)
    } else if method == Method::OCTREE {
        Shape::build(octree, mesh)
    } else if method == Method::HULL {
        Shape::build(hull, mesh)
    } else {
        Shape::with_method(method, mesh)
    }
}

impl<'s> Builder<'s> {
    /// Creates a builder that reads meshes and poses from `sources`.
    pub fn new(scene: &'s Scene, overrides: Overrides, sources: &'s dyn Sources) -> Self {
        let (meshes, shapes, paths, sequences) = Default::default();
        let Scene { text, document: scene } = scene;
        Self { text, scene, overrides, sources, meshes, shapes, paths, sequences }
    }

    fn fault(&self, at: &Range<usize>, message: impl Display) -> Error {
        self.text.fault(at, message)
    }

    /// Builds run number `number`; a scene has [`Scene::run_count`] runs.
    ///
    /// # Errors
    /// If a value of the scene is wrong, if a mesh or poses cannot be read, or if the broad phase would need
    /// more memory than most machines have.
    ///
    /// # Panics
    /// If there is no such run.
    pub fn run(&mut self, number: usize) -> Result<Run, Error> {
        let start = Instant::now();
        let (text, scene) = (self.text, self.scene);
        let default = RunEntry::default();
        let run = match &scene.run[..] {
            [] if number == 0 => &default,
            runs => runs[number].get_ref(),
        };
        let broad = self.overrides.broad.or(run.broad).or(scene.broad).unwrap_or_default();
        let method = self.method(run)?;
        // The method `hull` keeps the closest features of hulls from cycle to cycle.
        let default = match method == Method::HULL {
            true => CoherenceKind::Fronts,
            false => CoherenceKind::default(),
        };
        let coherence =
            self.overrides.coherence.or(run.coherence).or(scene.coherence).unwrap_or(default);
        let way = (method, self.face_octree(run)?, self.octree(run)?, self.hull(run));
        if self.overrides.face_octree.distribution.is_some() && method != Method::FACE_OCTREE {
            let message = format!(
                "--distribution does not work with the method `{method}` of this scene; add --method face-octree"
            );
            return Err(self.fault(&(0..0), message));
        }
        let distribution = way.1.distribution.filter(|_| method == Method::FACE_OCTREE);
        self.check_tables(run, method)?;
        let threads = match (self.overrides.threads, &run.threads, &scene.threads) {
            (Some(threads), _, _) => threads,
            (None, Some(threads), _) | (None, None, Some(threads)) => self.threads(threads)?,
            (None, None, None) => 0,
        };
        let is_continuous = self.overrides.continuous || scene.continuous;
        let name = match &run.name {
            Some(name) => self.text.name(name)?,
            None => text.stem(),
        };
        let limit = run.bodies.as_ref().map(|bodies| *bodies.get_ref());
        let (limit_at, contacts) = match &scene.contact_limit {
            Some(limit) => (limit.span(), *limit.get_ref()),
            None => (0..0, CONTACT_LIMIT),
        };
        let wants_swept = self.overrides.swept || scene.swept;
        let mut made = Run {
            world: broad.world(),
            bodies: Vec::new(),
            movers: Vec::new(),
            deforming: Vec::new(),
            names: Names::default(),
            dynamics: self.dynamics()?,
            response: Response::default(),
            cycles: self.overrides.cycles.unwrap_or(*scene.cycles.get_ref()),
            stop_at_contact: scene.stop_at_contact,
            is_continuous,
            wants_stats: self.overrides.stats,
            sweeper: wants_swept.then(|| Sweeper::new(distribution.unwrap_or(Distribution::Steal))),
            contact_limit: ContactLimit {
                contacts,
                place: text.place(&limit_at),
                path: text.path().to_owned(),
            },
            summary: Summary {
                kind: "summary",
                version: env!("CARGO_PKG_VERSION"),
                scene: text.path().display().to_string(),
                run: name,
                method: method.name(),
                broad,
                coherence,
                threads,
                bodies: 0,
                faces: 0,
                cycles: 0,
                stopped: End::Cycles,
                build_ms: 0.0,
                mean_us: 0.0,
                max_us: 0.0,
                last_us: 0.0,
                near: 0,
                candidates: 0,
                skipped: 0,
                contacts: 0,
                touching_cycles: 0,
                first_contact: None,
                energy_before: None,
                energy_after: None,
                impacts: is_continuous.then(SummaryImpacts::default),
                stats: self.overrides.stats.then(SummaryStats::default),
                swept: wants_swept.then(SummarySwept::default),
                steps: distribution.map(SummarySteps::new),
            },
        };
        let deformed = self.overrides.deformed.or(run.deformed).or(scene.deformed);
        made.world.set_deformed_search(deformed.unwrap_or_default().search());
        made.world.set_coherence(coherence.options(scene.coherence_bytes));
        if threads != 1 {
            made.world.set_threads(Threads::Pool);
        }
        if scene.body.is_empty() {
            return Err(self.fault(&(0..0), "the scene has no bodies; add a [[body]] with a mesh"));
        }
        let mut firsts = HashMap::new();
        // Bodies of each entry, including those beyond the run's limit.
        let mut counts = Vec::new();
        for (number, entry) in scene.body.iter().enumerate() {
            let name = match &entry.get_ref().name {
                Some(name) => self.text.name(name)?,
                None => format!("body{}", number + 1),
            };
            if firsts.contains_key(&name) {
                let message = format!("`name`: another body has the name {name} already");
                return Err(self.fault(&entry.span(), message));
            }
            let first = made.bodies.len();
            counts.push(self.add(&mut made, number, &name, entry, (run, way), limit)?);
            firsts.insert(name, first..made.bodies.len());
        }
        self.check_names(&made.names, &counts)?;
        if let Some(bodies) = &run.bodies {
            let (asked, found) = (*bodies.get_ref(), counts.iter().sum::<u64>());
            if asked == 0 || asked > found {
                let message = match found {
                    1 => format!("`bodies`: {asked}, but the scene has 1 body; leave `bodies` out"),
                    _ => format!("`bodies`: {asked}; the scene has {found}, so give 1 to {found}"),
                };
                return Err(self.fault(&bodies.span(), message));
            }
        }
        self.ignore(&mut made, &firsts)?;
        made.summary.bodies = made.bodies.len();
        made.summary.build_ms = to_thousandths(start.elapsed().as_secs_f64() * 1e3);
        let energy = response::energy(&made.movers, &made.dynamics.forces);
        made.summary.energy_before = energy.map(|energy| energy.kinetic);
        self.check_pairs(&made)?;
        Ok(made)
    }

    /// Rejects a body that has the name of a copy of another body, such as `a.1` next to copies of `a`.
    fn check_names(&self, names: &Names, counts: &[u64]) -> Result<(), Error> {
        let copies: HashMap<&str, u64> = names
            .entries
            .iter()
            .zip(counts)
            .filter(|((_, is_one), _)| !is_one)
            .map(|((name, _), &count)| (&**name, count))
            .collect();
        for ((name, _), entry) in
            names.entries.iter().zip(&self.scene.body).filter(|((_, is_one), _)| *is_one)
        {
            let Some((of, number)) = name.rsplit_once('.') else { continue };
            // The number of a copy has no sign and no leading zero.
            let number = number.parse().ok().filter(|it: &u64| it.to_string() == number);
            if number.zip(copies.get(of)).is_some_and(|(number, &count)| number < count) {
                let at = match &entry.get_ref().name {
                    Some(name) => name.span(),
                    None => entry.span(),
                };
                let message = format!(
                    "`name`: a copy of body {of} has the name {name}, too; give this body another name"
                );
                return Err(self.fault(&at, message));
            }
        }
        Ok(())
    }

    fn method(&self, run: &RunEntry) -> Result<Method, Error> {
        let named = run.method.as_ref().or(self.scene.method.as_ref());
        match (self.overrides.method, named) {
            (Some(method), _) => Ok(method),
            (None, None) => Ok(Method::default()),
            (None, Some(name)) => name
                .get_ref()
                .parse()
                .map_err(|error| self.fault(&name.span(), format!("`method`: {error}"))),
        }
    }

    /// Fails if the scene has a table of options for a method that none of its runs has, or if a run has one for another
    /// method than its own. A method of the [`Overrides`] is chosen for the moment and makes no table wrong.
    fn check_tables(&self, run: &RunEntry, method: Method) -> Result<(), Error> {
        if self.overrides.method.is_some() {
            return Ok(());
        }
        let has = |wanted: Method| {
            let default = self.scene.method.as_ref();
            let runs = self.scene.run.iter().map(|run| run.get_ref().method.as_ref().or(default));
            let is_wanted = |name: &Spanned<String>| name.get_ref() == wanted.name();
            runs.chain(self.scene.run.is_empty().then_some(default)).flatten().any(is_wanted)
        };
        fn span<T>(table: &Option<Spanned<T>>) -> Option<Range<usize>> {
            table.as_ref().map(Spanned::span)
        }
        let (of_scene, faces, cubes) = (self.scene, Method::FACE_OCTREE, Method::OCTREE);
        let hulls = Method::HULL;
        let tables = [
            ("face_octree", faces, span(&run.face_octree), method == faces),
            ("octree", cubes, span(&run.octree), method == cubes),
            ("hull", hulls, span(&run.hull), method == hulls),
            ("hull", hulls, span(&of_scene.hull), has(hulls)),
            ("face_octree", faces, span(&of_scene.face_octree), has(faces)),
            ("octree", cubes, span(&of_scene.octree), has(cubes)),
        ];
        for (table, wanted, at, is_used) in tables {
            let Some(at) = at.filter(|_| !is_used) else { continue };
            let wanted = wanted.name();
            let message = format!(
                "`{table}`: options of the method `{wanted}`, but the method is `{method}`: add `method = \
                 \"{wanted}\"`, or leave out the table"
            );
            return Err(self.fault(&at, message));
        }
        Ok(())
    }

    /// The options for `face-octree`; the table of a run replaces that of the scene.
    fn face_octree(&self, run: &RunEntry) -> Result<FaceOctreeOptions, Error> {
        let mut choice = FaceOctreeChoice::default();
        if let Some(given) = run.face_octree.as_ref().or(self.scene.face_octree.as_ref()) {
            let given = given.get_ref();
            choice.depth = self.level(given.level.as_ref(), SubdivisionDepth::MAX_LEVEL)?;
            choice.division = given.division.map(Into::into);
            choice.cell_test = given.cell_test.map(Into::into);
            choice.distribution = given.distribution.map(Into::into);
        }
        Ok(self.overrides.face_octree.options(choice.options(FaceOctreeOptions::default())))
    }

    /// The options for `octree`; the table of a run replaces that of the scene.
    fn octree(&self, run: &RunEntry) -> Result<OctreeOptions, Error> {
        let mut choice = OctreeChoice::default();
        if let Some(given) = run.octree.as_ref().or(self.scene.octree.as_ref()) {
            let given = given.get_ref();
            choice.level = self.level(given.level.as_ref(), OctreeOptions::MAX_LEVEL)?;
            choice.bounding = given.bounding.map(Into::into);
            choice = given.without.iter().fold(choice, |choice, &one| choice.without(one));
        }
        Ok(self.overrides.octree.options(choice.options(OctreeOptions::default())))
    }

    /// The options for `hull`; the table of a run replaces that of the scene.
    fn hull(&self, run: &RunEntry) -> HullOptions {
        let given = run.hull.as_ref().or(self.scene.hull.as_ref());
        let given = given.and_then(|given| given.get_ref().separation).map(Into::into);
        let separation = self.overrides.separation.or(given);
        separation.map_or(HullOptions::default(), |one| HullOptions::default().separation(one))
    }

    /// A level of an octree, if one is given.
    fn level(
        &self,
        level: Option<&Spanned<u64>>,
        most: u8,
    ) -> Result<Option<SubdivisionDepth>, Error> {
        let Some(level) = level else { return Ok(None) };
        match u8::try_from(*level.get_ref()) {
            Ok(known) if known <= most => Ok(Some(SubdivisionDepth::Level(known))),
            _ => {
                let message = format!("`level`: {}; must be from 0 to {most}", level.get_ref());
                Err(self.fault(&level.span(), message))
            }
        }
    }

    fn threads(&self, threads: &Spanned<u16>) -> Result<u16, Error> {
        match *threads.get_ref() {
            count if count <= MAX_THREADS => Ok(count),
            count => {
                let message = format!(
                    "`threads`: {count}; must be at most {MAX_THREADS}; 0 for one per core"
                );
                Err(self.fault(&threads.span(), message))
            }
        }
    }

    fn dynamics(&self) -> Result<Dynamics, Error> {
        let Document { dynamics, room, .. } = self.scene;
        let toward = match &dynamics.toward {
            None => None,
            Some(toward) => {
                let point = self.text.vector("point", &toward.point)?;
                Some((point, self.text.number("pull", &toward.pull, false)?))
            }
        };
        let restitution = match &dynamics.restitution {
            None => 1.0,
            Some(share) => match self.text.number("restitution", share, false)? {
                value if value <= 1.0 => value,
                value => {
                    let message = format!("`restitution`: {value}; must be from 0 to 1");
                    return Err(self.fault(&share.span(), message));
                }
            },
        };
        let room = match room {
            None => None,
            Some(room) => {
                let walls = room.get_ref();
                let bounds = self.text.bounds(&room.span(), "room", &walls.min, &walls.max)?;
                if bounds.size().min_element() <= 0.0 {
                    return Err(self.fault(
                        &room.span(),
                        "`room`: `max` must be greater than `min` along every axis",
                    ));
                }
                Some(bounds)
            }
        };
        let gravity = self.text.vector_or_zero("gravity", dynamics.gravity.as_ref())?;
        Ok(Dynamics { forces: Forces { gravity, toward }, restitution, room })
    }

    /// Adds the body of an entry, or all of its copies, until the run has `limit` bodies. Returns the number
    /// of bodies of the entry without that limit.
    fn add(
        &mut self,
        made: &mut Run,
        number: usize,
        name: &str,
        spanned: &Spanned<Entry>,
        (run, way): (&RunEntry, Way),
        limit: Option<u64>,
    ) -> Result<u64, Error> {
        let (entry, at) = (spanned.get_ref(), spanned.span());
        let motions = [
            entry.steady.is_some(),
            entry.billiard.is_some(),
            entry.path.is_some(),
            entry.vibrate.is_some(),
            entry.flight.is_some(),
            entry.fixed,
        ];
        if motions.iter().filter(|&&is_there| is_there).count() > 1 {
            let message = format!(
                "body {name}: give only one of `fixed`, `steady`, `billiard`, `path`, `vibrate` and \
                 `flight`"
            );
            return Err(self.fault(&at, message));
        }
        let is_deforming = entry.sequence.is_some() || entry.deform.is_some();
        if is_deforming && entry.flight.is_some() {
            let message = format!(
                "body {name}: a body with `flight` is rigid; it cannot have `sequence` or `deform`"
            );
            return Err(self.fault(&at, message));
        }
        let base = self.pose(entry)?;
        let seed = self.scene.seed.wrapping_add(number as u64);
        let mut copies = Copies::new(self.text, seed, name, &at, entry)?;
        let total = made.bodies.len() as u64 + copies.count;
        if total > MAX_BODIES {
            let message = format!(
                "body {name}: the scene would have {total} bodies; at most {MAX_BODIES} are allowed"
            );
            return Err(self.fault(&at, message));
        }
        let [groups, mask] =
            [("groups", &entry.groups), ("mask", &entry.mask)].map(|(key, bits)| {
                let Some(bits) = bits else { return Ok(u32::MAX) };
                bits.get_ref().iter().try_fold(0, |sum, &bit| match bit {
                    0..32 => Ok(sum | 1 << bit),
                    _ => Err(self.fault(&bits.span(), format!("`{key}`: {bit}; must be 0 to 31"))),
                })
            });
        let (groups, mask) = (groups?, mask?);
        let (shape, deformation) = self.deforming_shape(name, spanned, run, way)?;
        let path = match &entry.path {
            None => None,
            Some(path) => Some(self.path(&path.get_ref().poses)?),
        };
        let solid =
            entry.flight.as_ref().map(|_| Solid::of(shape.mesh(), made.dynamics.room.is_some()));
        let count = copies.count;
        made.names.entries.push((name.to_owned(), count == 1));
        let mut place = || -> Result<(), Error> {
            for copy in 0..count {
                if limit.is_some_and(|limit| made.bodies.len() as u64 >= limit) {
                    break;
                }
                let about = |error: &dyn Display| self.fault(&at, format!("body {name}: {error}"));
                let mut pose = copies.pose(copy, &base).map_err(|error| about(&error))?;
                let mut tries = 1;
                while copies.is_apart
                    && !made.world.bodies_near(&shape.placed_bounds(&pose)).is_empty()
                {
                    if tries == MAX_TRIES {
                        let message = format!(
                            "`scatter`: after {MAX_TRIES} tries no place for copy {copy} is apart from all \
                             other bodies; use fewer copies or a larger box"
                        );
                        return Err(about(&message));
                    }
                    pose = copies.pose(copy, &base).map_err(|error| about(&error))?;
                    tries += 1;
                }
                let mover = Mover::new(shape.clone(), pose);
                let of_entry = (path.as_ref(), solid.as_ref());
                let mover = self.moving(mover, entry, of_entry, made.bodies.len() as u64)?;
                let mover = mover.map_err(|error| about(&error))?;
                self.check_room(&made.dynamics, &mover, entry, name, &at)?;
                let body = Body::new(&shape).at(mover.pose).groups(groups, mask);
                let mut body = body.self_collision(entry.self_collision);
                if entry.fixed {
                    body = body.fixed();
                }
                let id = made.world.add(body).map_err(|error| about(&error))?;
                if let Some(deformation) = &deformation {
                    let (number, deformation) = (made.bodies.len(), Arc::clone(deformation));
                    made.deforming.push(Deforming::new(number, shape.clone(), deformation));
                }
                made.bodies.push(id);
                made.movers.push(mover);
                made.names.bodies.push((number as u32, copy as u32));
                made.summary.faces += shape.mesh().faces().len() as u64;
            }
            Ok(())
        };
        let mut placed = Ok(());
        self.sources.during(&format!("placing {name}"), &mut || placed = place());
        placed.map(|()| count)
    }

    /// Returns the pose of the entry, or of its first copy.
    fn pose(&self, entry: &Entry) -> Result<Pose, Error> {
        let at = self.text.vector_or_zero("at", entry.at.as_ref())?;
        let rotation = match (&entry.turn, &entry.turn_about) {
            (None, None) => DMat3::IDENTITY,
            (Some(turn), None) => euler(self.text.vector("turn", turn)?),
            (None, Some(about)) => {
                let about = about.get_ref();
                let axis = self.text.vector("axis", &about.axis)?;
                let degrees = *about.degrees.get_ref();
                match axis.try_normalize() {
                    Some(axis) if degrees.is_finite() => axis_angle(axis, degrees.to_radians()),
                    _ => {
                        let message =
                            "`turn_about`: `axis` must not be zero, and `degrees` must be finite";
                        return Err(self.fault(&about.axis.span(), message));
                    }
                }
            }
            (Some(turn), Some(_)) => {
                let message = "`turn` and `turn_about`: give only one of them";
                return Err(self.fault(&turn.span(), message));
            }
        };
        Ok(Pose::new(rotation, at)?)
    }

    fn path(&mut self, named: &Spanned<String>) -> Result<Arc<[Pose]>, Error> {
        let source = self.text.source(named.get_ref());
        if let Some(poses) = self.paths.get(&source) {
            return Ok(poses.clone());
        }
        let about = |error: &dyn Display| self.fault(&named.span(), format!("`poses`: {error}"));
        let poses = self.sources.poses(&source).map_err(|error| about(&error))?;
        let poses: Arc<[Pose]> = poses.into();
        self.paths.insert(source, poses.clone());
        Ok(poses)
    }

    /// Sets the motion of a body.
    fn moving(
        &self,
        mover: Mover,
        entry: &Entry,
        (path, solid): (Option<&Arc<[Pose]>>, Option<&Solid>),
        number: u64,
    ) -> Result<Result<Mover, impinge::PoseError>, Error> {
        // Each body has its own random numbers, so that adding a body does not change the others.
        let seed = self.scene.seed ^ (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = Random::new(seed);
        if let Some(steady) = &entry.steady {
            let by = self.text.vector_or_zero("by", steady.by.as_ref())?;
            let turn = self.text.vector_or_zero("turn", steady.turn.as_ref())?;
            return Ok(Ok(mover.steady(by, radians(turn))));
        }
        if let Some(billiard) = &entry.billiard {
            let by = self.velocity(billiard.by.as_ref(), billiard.speed.as_ref(), &mut random)?;
            let turn = self.text.vector_or_zero("turn", billiard.turn.as_ref())?;
            let wander = billiard.wander.as_ref();
            let wander =
                wander.map_or(Ok(0.0), |wander| self.text.number("wander", wander, false))?;
            let billiard = Billiard { wander, random, is_returning: false };
            return Ok(Ok(mover.billiard(by, radians(turn), billiard)));
        }
        if let Some(vibrate) = &entry.vibrate {
            let by = self.text.vector_or_zero("by", vibrate.by.as_ref())?;
            let turn = self.text.vector_or_zero("turn", vibrate.turn.as_ref())?;
            let period = self.text.number("period", &vibrate.period, true)?;
            let phase = vibrate.phase.as_ref();
            let phase = match phase.map(|phase| (phase.get_ref(), phase.span())) {
                None => 0.0,
                Some((degrees, _)) if degrees.is_finite() => degrees.to_radians(),
                Some((_, at)) => {
                    return Err(self.fault(&at, "`phase`: must be a finite number of degrees"));
                }
            };
            return Ok(mover.vibrating([by, radians(turn)], period, phase));
        }
        if let (Some(flight), Some(solid)) = (&entry.flight, solid) {
            let by = self.velocity(flight.by.as_ref(), flight.speed.as_ref(), &mut random)?;
            let turn = self.text.vector_or_zero("turn", flight.turn.as_ref())?;
            let mass = flight.mass.as_ref();
            let mass = mass.map_or(Ok(1.0), |mass| self.text.number("mass", mass, true))?;
            let (rigid, outline) = (Rigid { mass, inertia: solid.inertia }, solid.outline.clone());
            return Ok(Ok(mover.flying(by, radians(turn), rigid, outline)));
        }
        let (Some(poses), Some(path)) = (path, &entry.path) else { return Ok(Ok(mover)) };
        let end: AtEnd = path.get_ref().end;
        let base = Some(mover.pose).filter(|pose| *pose != Pose::IDENTITY);
        Ok(mover.on_path(Path { poses: poses.clone(), base, end }))
    }

    /// Returns the velocity per cycle: `by`, or a random direction with length `speed`.
    fn velocity(
        &self,
        by: Option<&Vector>,
        speed: Option<&Spanned<f64>>,
        random: &mut Random,
    ) -> Result<DVec3, Error> {
        match (by, speed) {
            (by, None) => self.text.vector_or_zero("by", by),
            (None, Some(speed)) => {
                Ok(random.direction() * self.text.number("speed", speed, false)?)
            }
            (Some(by), Some(_)) => {
                Err(self.fault(&by.span(), "`by` and `speed`: give only one of them"))
            }
        }
    }

    /// Rejects a body that bounces off walls but does not start within the room.
    fn check_room(
        &self,
        dynamics: &Dynamics,
        mover: &Mover,
        entry: &Entry,
        name: &str,
        at: &Range<usize>,
    ) -> Result<(), Error> {
        let Some(room) = dynamics.room else { return Ok(()) };
        let bounds = mover.bounds();
        let is_held = entry.billiard.is_some() || entry.flight.is_some();
        let is_within = bounds.is_empty()
            || (bounds.min.cmpge(room.min).all() && bounds.max.cmple(room.max).all());
        match is_held && !is_within {
            false => Ok(()),
            true => {
                let message = format!(
                    "body {name}: its bounds at the start, {} to {}, are not within the room",
                    bounds.min, bounds.max
                );
                Err(self.fault(at, message))
            }
        }
    }

    fn ignore(&self, made: &mut Run, firsts: &HashMap<String, Range<usize>>) -> Result<(), Error> {
        let mut count = 0;
        for (number, entry) in self.scene.body.iter().enumerate() {
            let entry = entry.get_ref();
            let own = entry.name.as_ref().map(|name| name.get_ref().clone());
            let own = own.unwrap_or_else(|| format!("body{}", number + 1));
            for other in &entry.ignore {
                let (Some(a), Some(b)) = (firsts.get(&own), firsts.get(other.get_ref())) else {
                    let message = format!("`ignore`: no body has the name {}", other.get_ref());
                    return Err(self.fault(&other.span(), message));
                };
                count += a.len() as u64 * b.len() as u64;
                if count > MAX_IGNORED {
                    let message = format!(
                        "`ignore`: more than {MAX_IGNORED} pairs of bodies; use `groups` and \
                         `mask` instead"
                    );
                    return Err(self.fault(&other.span(), message));
                }
                for i in a.clone() {
                    for j in b.clone().filter(|&j| j != i) {
                        let (a, b) = (made.bodies[i], made.bodies[j]);
                        made.world.ignore(a, b)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Properties of a mesh that bodies in free flight need.
struct Solid {
    inertia: Inertia,
    /// The corners of the convex hull; empty without walls.
    outline: Arc<[DVec3]>,
}

impl Solid {
    fn of(mesh: &Mesh, has_walls: bool) -> Self {
        let corners = || mesh.faces().iter().flatten().map(|&v| mesh.positions()[v as usize]);
        let outline: Vec<DVec3> = match has_walls {
            false => Vec::new(),
            true => {
                let corners: Vec<DVec3> = corners().collect();
                Hull::new(&corners).map_or(corners, |hull| hull.positions().to_vec())
            }
        };
        Self { inertia: Inertia::of(mesh), outline: outline.into() }
    }
}

impl Builder<'_> {
    /// Rejects a scene for which the broad phase would keep more than [`PAIR_LIMIT`] pairs.
    fn check_pairs(&self, run: &Run) -> Result<(), Error> {
        let count = run.bodies.len() as u64;
        if !run.broad().keeps_pairs() || count * count.saturating_sub(1) / 2 <= PAIR_LIMIT {
            return Ok(());
        }
        let mut proxies = Proxies::new(Detail::Boxes);
        let mut packed = Packed::new();
        for (proxy, mover) in (0..).zip(&run.movers) {
            proxies.set(proxy, mover.bounds(), true);
            packed.insert(&proxies, proxy);
        }
        let mut found = 0;
        let mut visit = |_| {
            found += 1;
            if found > PAIR_LIMIT { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut counted = ControlFlow::Continue(());
        self.sources.during("counting pairs of bodies", &mut || {
            counted = packed.pairs(&proxies, Threads::One, &mut visit);
        });
        match counted {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(self.fault(
                &(0..0),
                format!(
                    "`broad`: sweep and directions keep all pairs of near bodies in memory; there are over \
                     {PAIR_LIMIT} here; use packed or tree"
                ),
            )),
        }
    }
}

impl fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("overrides", &self.overrides).finish_non_exhaustive()
    }
}

fn radians(degrees: DVec3) -> DVec3 {
    DVec3::from_array(degrees.to_array().map(f64::to_radians))
}

/// Returns the rotation about x, then y, then z, all of them axes of the world.
fn euler(degrees: DVec3) -> DMat3 {
    let [x, y, z] = radians(degrees).to_array();
    axis_angle(DVec3::Z, z) * axis_angle(DVec3::Y, y) * axis_angle(DVec3::X, x)
}

fn axis_angle(axis: DVec3, angle: f64) -> DMat3 {
    // The platform's sine may differ between machines; `libm` does not.
    let (sin, cos) = libm::sincos(angle / 2.0);
    let axis = axis * sin;
    DMat3::from_quat(DQuat::from_xyzw(axis.x, axis.y, axis.z, cos))
}
