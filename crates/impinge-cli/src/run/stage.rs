//! From what a scene says to a world with bodies in it.

use super::{
    copies::Copies,
    motion::{Billiard, Mover, Path},
    place::Text,
    response::Dynamics,
    scene::{AtEnd, Broad, Entry, Run, Scene, Vector},
};
use crate::{failure::Failure, progress, source};
use impinge::{
    Mesh, Method, Pose, Shape, World, generate,
    generate::Random,
    glam::{DMat3, DQuat, DVec3},
    world::{Body, BodyId},
};
use std::{
    collections::HashMap,
    fmt::Display,
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};
use toml::Spanned;

/// More bodies, or pairs to ignore, take more memory than most machines have.
const MAX_BODIES: u64 = 1 << 24;
const MAX_IGNORED: u64 = 10_000_000;

/// One run of a scene, ready to begin.
pub(super) struct Stage {
    pub(super) name: String,
    pub(super) world: World,
    pub(super) bodies: Vec<BodyId>,
    /// By number of the body.
    pub(super) movers: Vec<Mover>,
    pub(super) names: Names,
    pub(super) dynamics: Dynamics,
    pub(super) broad: Broad,
    pub(super) method: Method,
    pub(super) threads: u16,
    /// Of all bodies.
    pub(super) faces: u64,
    pub(super) build: Duration,
}

/// What bodies are called: copies have a number after their common name.
#[derive(Default)]
pub(super) struct Names {
    entries: Vec<(String, bool)>,
    bodies: Vec<(u32, u32)>,
}

impl Names {
    pub(super) fn of(&self, body: usize) -> String {
        let (entry, copy) = self.bodies[body];
        let (name, is_one) = &self.entries[entry as usize];
        if *is_one { name.clone() } else { format!("{name}.{copy}") }
    }
}

/// What the command line says otherwise than the scene.
#[derive(Clone, Copy)]
pub(super) struct Overrides {
    pub(super) broad: Option<Broad>,
    pub(super) method: Option<Method>,
    pub(super) threads: Option<u16>,
}

/// Makes stages, and keeps meshes that several runs share.
pub(super) struct Builder<'s> {
    text: &'s Text,
    scene: &'s Scene,
    overrides: Overrides,
    meshes: HashMap<(String, [u64; 2]), Arc<Mesh>>,
    shapes: HashMap<(String, [u64; 2], Method), Shape>,
    paths: HashMap<String, Arc<[Pose]>>,
}

impl<'s> Builder<'s> {
    pub(super) fn new(text: &'s Text, scene: &'s Scene, overrides: Overrides) -> Self {
        let (meshes, shapes, paths) = Default::default();
        Self { text, scene, overrides, meshes, shapes, paths }
    }

    fn fault(&self, at: &Range<usize>, message: impl Display) -> Failure {
        self.text.fault(at, message)
    }

    /// Makes everything that a run needs.
    pub(super) fn stage(&mut self, run: Option<&Run>) -> Result<Stage, Failure> {
        let start = Instant::now();
        let (text, scene) = (self.text, self.scene);
        let default = Run::default();
        let run = run.unwrap_or(&default);
        let broad = self.overrides.broad.or(run.broad).or(scene.broad).unwrap_or_default();
        let method = self.method(run)?;
        let threads = match (self.overrides.threads, &run.threads, &scene.threads) {
            (Some(threads), _, _) => threads,
            (None, Some(threads), _) | (None, None, Some(threads)) => self.threads(threads)?,
            (None, None, None) => 1,
        };
        let name = match &run.name {
            Some(name) => self.text.name(name)?,
            None => text.stem(),
        };
        let limit = run.bodies.as_ref().map(|bodies| *bodies.get_ref());
        let mut stage = Stage {
            name,
            world: broad.world(),
            bodies: Vec::new(),
            movers: Vec::new(),
            names: Names::default(),
            dynamics: self.dynamics()?,
            broad,
            method,
            threads,
            faces: 0,
            build: Duration::ZERO,
        };
        if scene.body.is_empty() {
            return Err(self.fault(&(0..0), "no bodies; add a [[body]] with a mesh"));
        }
        let mut firsts = HashMap::new();
        for (number, entry) in scene.body.iter().enumerate() {
            let name = match &entry.get_ref().name {
                Some(name) => self.text.name(name)?,
                None => format!("body{}", number + 1),
            };
            if firsts.contains_key(&name) {
                let message = format!("`name`: another body is called {name} too");
                return Err(self.fault(&entry.span(), message));
            }
            let first = stage.bodies.len();
            self.add(&mut stage, number, &name, entry, run, limit)?;
            firsts.insert(name, first..stage.bodies.len());
        }
        if let Some(bodies) = &run.bodies {
            let (asked, found) = (*bodies.get_ref(), stage.bodies.len() as u64);
            if asked == 0 || asked > found {
                let message = format!("`bodies`: {asked}, but the scene has 1 to {found} of them");
                return Err(self.fault(&bodies.span(), message));
            }
        }
        self.ignore(&mut stage, &firsts)?;
        stage.build = start.elapsed();
        Ok(stage)
    }

    fn method(&self, run: &Run) -> Result<Method, Failure> {
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

    fn threads(&self, threads: &Spanned<u16>) -> Result<u16, Failure> {
        match *threads.get_ref() {
            count if i64::from(count) <= crate::query::MAX_THREADS => Ok(count),
            count => Err(self.fault(
                &threads.span(),
                format!(
                    "`threads`: {count}; at most {}, 0 for one per core",
                    crate::query::MAX_THREADS
                ),
            )),
        }
    }

    fn dynamics(&self) -> Result<Dynamics, Failure> {
        let Scene { dynamics, room, .. } = self.scene;
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
                    let message = format!("`restitution`: {value}; it is a share, from 0 to 1");
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
                    return Err(self.fault(&room.span(), "`room`: has no space in it"));
                }
                Some(bounds)
            }
        };
        let gravity = self.text.vector_or_zero("gravity", dynamics.gravity.as_ref())?;
        Ok(Dynamics { gravity, toward, restitution, room })
    }

    /// Adds a body, or all of its copies, up to the limit of bodies in all.
    fn add(
        &mut self,
        stage: &mut Stage,
        number: usize,
        name: &str,
        spanned: &Spanned<Entry>,
        run: &Run,
        limit: Option<u64>,
    ) -> Result<(), Failure> {
        let (entry, at) = (spanned.get_ref(), spanned.span());
        let motions = [
            entry.steady.is_some(),
            entry.billiard.is_some(),
            entry.path.is_some(),
            entry.flight.is_some(),
            entry.fixed,
        ];
        if motions.iter().filter(|&&is_there| is_there).count() > 1 {
            let message = format!(
                "body {name}: only one of `fixed`, `steady`, `billiard`, `path` and `flight` can be"
            );
            return Err(self.fault(&at, message));
        }
        let base = self.pose(entry)?;
        let seed = self.scene.seed.wrapping_add(number as u64);
        let mut copies = Copies::new(self.text, seed, name, &at, entry)?;
        let total = stage.bodies.len() as u64 + copies.count;
        if total > MAX_BODIES {
            let message = format!("body {name}: that makes {total} bodies; at most {MAX_BODIES}");
            return Err(self.fault(&at, message));
        }
        let [groups, mask] =
            [("groups", &entry.groups), ("mask", &entry.mask)].map(|(key, bits)| {
                let Some(bits) = bits else { return Ok(u32::MAX) };
                bits.get_ref().iter().try_fold(0, |sum, &bit| match bit {
                    0..32 => Ok(sum | 1 << bit),
                    _ => Err(self.fault(&bits.span(), format!("`{key}`: {bit}; they are 0 to 31"))),
                })
            });
        let (groups, mask) = (groups?, mask?);
        let shape = self.shape(entry, run, stage.method)?;
        let path = match &entry.path {
            None => None,
            Some(path) => Some(self.path(&path.get_ref().poses)?),
        };
        stage.names.entries.push((name.to_owned(), copies.count == 1));
        let label = format!("placing {name}");
        progress::waiting(&label, || {
            for copy in 0..copies.count {
                if limit.is_some_and(|limit| stage.bodies.len() as u64 >= limit) {
                    break;
                }
                let about = |error: &dyn Display| self.fault(&at, format!("body {name}: {error}"));
                let pose = copies.pose(copy, &base).map_err(|error| about(&error))?;
                let mover = Mover::new(shape.clone(), pose);
                let mover = self.moving(mover, entry, path.as_ref(), stage.bodies.len() as u64)?;
                let mover = mover.map_err(|error| about(&error))?;
                self.check_room(&stage.dynamics, &mover, entry, name, &at)?;
                let mut body = Body::new(&shape).at(mover.pose).groups(groups, mask);
                if entry.fixed {
                    body = body.fixed();
                }
                let id = stage.world.add(body).map_err(|error| about(&error))?;
                stage.bodies.push(id);
                stage.movers.push(mover);
                stage.names.bodies.push((number as u32, copy as u32));
                stage.faces += shape.mesh().faces().len() as u64;
            }
            Ok(())
        })
    }

    /// Where the entry, or its first copy, stands.
    fn pose(&self, entry: &Entry) -> Result<Pose, Failure> {
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
                        let message = "`turn_about`: needs an axis that is not zero, and degrees";
                        return Err(self.fault(&about.axis.span(), message));
                    }
                }
            }
            (Some(turn), Some(_)) => {
                let message = "`turn` and `turn_about`: only one of them can be";
                return Err(self.fault(&turn.span(), message));
            }
        };
        Pose::new(rotation, at).map_err(Failure::input)
    }

    /// The mesh of an entry, prepared: equal ones are shared.
    fn shape(&mut self, entry: &Entry, run: &Run, method: Method) -> Result<Shape, Failure> {
        let named = run.mesh.as_ref().unwrap_or(&entry.mesh);
        let source = self.text.source(named.get_ref());
        let scale = match (&entry.scale, &entry.size) {
            (None, None) => [1.0, 0.0],
            (Some(scale), None) => [self.text.number("scale", scale, true)?, 0.0],
            (None, Some(size)) => [0.0, self.text.number("size", size, true)?],
            (Some(scale), Some(_)) => {
                let message = "`scale` and `size`: only one of them can be";
                return Err(self.fault(&scale.span(), message));
            }
        };
        let key = (source.clone(), scale.map(f64::to_bits));
        if let Some(shape) = self.shapes.get(&(key.0.clone(), key.1, method)) {
            return Ok(shape.clone());
        }
        let about = |error: &dyn Display| self.fault(&named.span(), format!("`mesh`: {error}"));
        let mesh = match self.meshes.get(&key) {
            Some(mesh) => mesh.clone(),
            None => {
                let mesh = source::mesh(&source).map_err(|failure| match failure {
                    Failure::Input(message) => about(&message),
                    other => other,
                })?;
                let mesh = scaled(mesh, scale).map_err(|error| about(&error))?;
                let mesh = Arc::new(mesh);
                self.meshes.insert(key.clone(), mesh.clone());
                mesh
            }
        };
        let label = format!("preparing {source}");
        let shape = progress::waiting(&label, || Shape::with_method(method, mesh));
        self.shapes.insert((key.0, key.1, method), shape.clone());
        Ok(shape)
    }

    fn path(&mut self, named: &Spanned<String>) -> Result<Arc<[Pose]>, Failure> {
        let source = self.text.source(named.get_ref());
        if let Some(poses) = self.paths.get(&source) {
            return Ok(poses.clone());
        }
        let poses = source::poses(&source).map_err(|failure| match failure {
            Failure::Input(message) => self.fault(&named.span(), format!("`poses`: {message}")),
            other => other,
        })?;
        let poses: Arc<[Pose]> = poses.into();
        self.paths.insert(source, poses.clone());
        Ok(poses)
    }

    /// Gives a body the motion that its entry says.
    fn moving(
        &self,
        mover: Mover,
        entry: &Entry,
        path: Option<&Arc<[Pose]>>,
        number: u64,
    ) -> Result<Result<Mover, impinge::PoseError>, Failure> {
        // Each body draws its own numbers, so that one more does not change the others.
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
        if let Some(flight) = &entry.flight {
            let by = self.velocity(flight.by.as_ref(), flight.speed.as_ref(), &mut random)?;
            let turn = self.text.vector_or_zero("turn", flight.turn.as_ref())?;
            let mass = flight.mass.as_ref();
            let mass = mass.map_or(Ok(1.0), |mass| self.text.number("mass", mass, true))?;
            return Ok(Ok(mover.flying(by, radians(turn), mass)));
        }
        let (Some(poses), Some(path)) = (path, &entry.path) else { return Ok(Ok(mover)) };
        let end: AtEnd = path.get_ref().end;
        let base = Some(mover.pose).filter(|pose| *pose != Pose::IDENTITY);
        Ok(mover.on_path(Path { poses: poses.clone(), base, end }))
    }

    /// A move as given, or of some length in any direction.
    fn velocity(
        &self,
        by: Option<&Vector>,
        speed: Option<&Spanned<f64>>,
        random: &mut Random,
    ) -> Result<DVec3, Failure> {
        match (by, speed) {
            (by, None) => self.text.vector_or_zero("by", by),
            (None, Some(speed)) => {
                Ok(random.direction() * self.text.number("speed", speed, false)?)
            }
            (Some(by), Some(_)) => {
                Err(self.fault(&by.span(), "`by` and `speed`: only one of them can be"))
            }
        }
    }

    /// Bodies that walls hold have to be within them.
    fn check_room(
        &self,
        dynamics: &Dynamics,
        mover: &Mover,
        entry: &Entry,
        name: &str,
        at: &Range<usize>,
    ) -> Result<(), Failure> {
        let Some(room) = dynamics.room else { return Ok(()) };
        let bounds = mover.bounds();
        let is_held = entry.billiard.is_some() || entry.flight.is_some();
        let is_within = bounds.is_empty()
            || (bounds.min.cmpge(room.min).all() && bounds.max.cmple(room.max).all());
        match is_held && !is_within {
            false => Ok(()),
            true => {
                let message = format!(
                    "body {name}: starts from {} to {}, which is not within the room",
                    bounds.min, bounds.max
                );
                Err(self.fault(at, message))
            }
        }
    }

    fn ignore(
        &self,
        stage: &mut Stage,
        firsts: &HashMap<String, Range<usize>>,
    ) -> Result<(), Failure> {
        let mut count = 0;
        for (number, entry) in self.scene.body.iter().enumerate() {
            let entry = entry.get_ref();
            let own = entry.name.as_ref().map(|name| name.get_ref().clone());
            let own = own.unwrap_or_else(|| format!("body{}", number + 1));
            for other in &entry.ignore {
                let (Some(a), Some(b)) = (firsts.get(&own), firsts.get(other.get_ref())) else {
                    let message = format!("`ignore`: no body is called {}", other.get_ref());
                    return Err(self.fault(&other.span(), message));
                };
                count += a.len() as u64 * b.len() as u64;
                if count > MAX_IGNORED {
                    let message = format!(
                        "`ignore`: that makes over {MAX_IGNORED} pairs of bodies; use `groups` and \
                         `mask` instead"
                    );
                    return Err(self.fault(&other.span(), message));
                }
                for i in a.clone() {
                    for j in b.clone().filter(|&j| j != i) {
                        let (a, b) = (stage.bodies[i], stage.bodies[j]);
                        stage.world.ignore(a, b).map_err(Failure::input)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A mesh by a factor, or else of a size, with its middle at the origin.
fn scaled(mesh: Mesh, [scale, size]: [f64; 2]) -> Result<Mesh, Box<dyn std::error::Error>> {
    if scale == 1.0 {
        return Ok(mesh);
    }
    if scale == 0.0 {
        return Ok(generate::scaled_to_cube(&mesh, size)?);
    }
    let (mut positions, faces) = mesh.into_parts();
    positions.iter_mut().for_each(|position| *position *= scale);
    Ok(Mesh::new(positions, faces)?)
}

fn radians(degrees: DVec3) -> DVec3 {
    DVec3::from_array(degrees.to_array().map(f64::to_radians))
}

/// About x, then y, then z, all of them the world's.
fn euler(degrees: DVec3) -> DMat3 {
    let [x, y, z] = radians(degrees).to_array();
    axis_angle(DVec3::Z, z) * axis_angle(DVec3::Y, y) * axis_angle(DVec3::X, x)
}

fn axis_angle(axis: DVec3, angle: f64) -> DMat3 {
    // The platform's own sine may differ from machine to machine.
    let (sin, cos) = libm::sincos(angle / 2.0);
    let axis = axis * sin;
    DMat3::from_quat(DQuat::from_xyzw(axis.x, axis.y, axis.z, cos))
}
