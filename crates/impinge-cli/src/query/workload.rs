//! Runs the queries of `impinge query`, and measures each step.

use super::between::impact_row;
use crate::{
    failure::Failure,
    output,
    progress::{self, Progress},
    timing::{ROUNDS, ROUNDS_LIMIT},
    trees::{OrderArguments, TreeOptions},
};
use impinge::{
    Budget, Cache, FacePair, Impact, Mesh, MeshDistance, Method, Motion, Pair, Pose, Shape,
    Threads, TimedVerdict,
    method::{Recipe, face_octree::FaceOctreeOptions, hull::HullOptions, octree::OctreeOptions},
};
use rayon::ThreadPool;
use std::{
    borrow::Cow,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// The queries, for any method.
pub(super) struct Workload<'w> {
    pub(super) meshes: [Arc<Mesh>; 2],
    /// The pose of B at each step; empty if the steps are motions.
    pub(super) poses: &'w [Pose],
    /// The motion of B in each step; empty if the steps are poses.
    pub(super) motions: &'w [Motion],
    pub(super) ask: Ask,
    pub(super) cache: bool,
    pub(super) order: OrderArguments,
    pub(super) batch: bool,
    pub(super) pool: Option<ThreadPool>,
}

#[derive(Clone, Copy)]
pub(super) enum Ask {
    Touching {
        all: bool,
        tolerance: f64,
        budget: Option<u64>,
    },
    Distance,
    /// The faces whose swept spaces meet, between each pose and the next.
    Swept,
    /// The first impact between each pose and the next.
    FirstImpact,
}

/// Where the indices come from.
#[derive(Clone, Copy)]
pub(super) enum Prepare<'f> {
    /// Built by a method. The options, for each mesh, apply to binary trees.
    Build(Method, [TreeOptions; 2]),
    /// Searched by `face-octree`, which builds nothing.
    FaceOctree(FaceOctreeOptions),
    /// Built by `octree`.
    Octree(OctreeOptions),
    /// Built by `hull`.
    Hull(HullOptions),
    Load {
        a: &'f Path,
        b: &'f Path,
    },
}

/// The rows to write, to a file that is either complete or absent.
#[derive(Clone, Copy)]
pub(super) enum Rows<'f> {
    Pairs(&'f Path),
    Distances(&'f Path),
    Impacts(&'f Path),
}

/// Times and answers of one method.
pub(super) struct Outcome {
    pub(super) method: Method,
    pub(super) build: Duration,
    pub(super) bytes: usize,
    pub(super) times: Times,
    pub(super) answers: Vec<Answer>,
    /// Volume tests, face tests and placed volumes, over all steps of one round.
    pub(super) tests: [u64; 3],
}

/// The minimum times over all rounds.
pub(super) enum Times {
    /// Time of each step.
    Steps(Vec<Duration>),
    /// Time of all steps together.
    Batch(Duration),
}

/// The answer at one step: enough to compare methods without storing all pairs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Answer {
    Touching { count: usize, hash: u64 },
    Undecided { overlap: f64 },
    Distance(Option<MeshDistance>),
    Swept { count: usize, hash: u64, compared: usize },
    Impact(Option<Impact>),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Touching { count, .. } | Self::Swept { count, .. } => {
                f.write_str(&output::count(*count, "pair"))
            }
            Self::Impact(None) => f.write_str("no impact"),
            Self::Impact(Some(impact)) => {
                let FacePair { a, b } = impact.faces;
                write!(f, "impact at {} of faces {a} and {b}", impact.time)
            }
            Self::Undecided { .. } => f.write_str("undecided"),
            Self::Distance(None) => f.write_str("no distance"),
            Self::Distance(Some(least)) => {
                let FacePair { a, b } = least.faces;
                write!(f, "distance {} between faces {a} and {b}", least.distance)
            }
        }
    }
}

/// Receives the pairs and the answer of each step.
pub(super) type Sink<'s> = dyn FnMut(usize, &[FacePair], &Answer) -> io::Result<()> + 's;

/// Two meshes prepared in the same way.
fn built(recipe: &impl Recipe, meshes: [Arc<Mesh>; 2]) -> Result<Pair, Failure> {
    let label = format!("{}: building", recipe.method());
    let building = || {
        let [a, b] = meshes.map(|mesh| Shape::build(recipe.clone(), mesh));
        Pair::new(&a, &b)
    };
    progress::with_spinner(&label, building).map_err(Failure::input)
}

impl Workload<'_> {
    /// Prepares both meshes, and runs all queries for a few rounds.
    pub(super) fn run(&self, way: Prepare<'_>, rows: Option<Rows<'_>>) -> Result<Outcome, Failure> {
        match &self.pool {
            None => self.run_here(way, rows),
            // Entering the pool takes longer than many queries, so it is done once.
            Some(pool) => pool.install(|| self.run_here(way, rows)),
        }
    }

    /// Returns the number of threads for each query.
    pub(super) fn threads(&self) -> Threads {
        if self.pool.is_some() { Threads::Pool } else { Threads::One }
    }

    /// Returns the number of steps.
    pub(super) fn steps(&self) -> usize {
        self.poses.len() + self.motions.len()
    }

    fn run_here(&self, way: Prepare<'_>, rows: Option<Rows<'_>>) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let mut pair = self.prepared(way)?;
        let build = start.elapsed();
        let Some(rows) = rows else {
            return Ok(self.rounds(&mut pair, build, &mut |_, _, _| Ok(()))?);
        };
        let (Rows::Pairs(path) | Rows::Distances(path) | Rows::Impacts(path)) = rows;
        let mut outcome = None;
        impinge_io::write_atomically(path, |out| {
            writeln!(out, "{}", rows.header())?;
            outcome = Some(self.rounds(&mut pair, build, &mut |step, pairs, answer| {
                rows.write(out, step, pairs, answer)
            })?);
            Ok(())
        })?;
        outcome.ok_or_else(|| Failure::input("internal error: the rows were not written"))
    }

    fn prepared(&self, way: Prepare<'_>) -> Result<Pair, Failure> {
        let [a, b] = self.meshes.clone();
        match way {
            Prepare::Build(method, [for_a, for_b]) => {
                let building = || {
                    let a = for_a.build(method, a, Threads::One);
                    Pair::new(&a, &for_b.build(method, b, Threads::One))
                };
                progress::with_spinner(&format!("{method}: building"), building)
                    .map_err(Failure::input)
            }
            Prepare::FaceOctree(options) => built(&options, [a, b]),
            Prepare::Octree(options) => built(&options, [a, b]),
            Prepare::Hull(options) => built(&options, [a, b]),
            Prepare::Load { a: file_a, b: file_b } => {
                let load = |file: &Path, mesh| -> Result<Shape, Failure> {
                    let loading = || impinge_io::load_index(file, mesh);
                    Ok(progress::with_spinner(&format!("loading {}", file.display()), loading)?)
                };
                let (shape_a, shape_b) = (load(file_a, a)?, load(file_b, b)?);
                self.order.check(&[shape_a.method()])?;
                Pair::new(&shape_a, &shape_b).map_err(Failure::input)
            }
        }
    }

    /// Runs the steps one by one. The sink receives the pairs of each step in the first round.
    fn rounds(&self, pair: &mut Pair, build: Duration, sink: &mut Sink<'_>) -> io::Result<Outcome> {
        if let (true, Ask::Touching { all, tolerance, .. }) = (self.batch, self.ask) {
            return self.batches(pair, build, (all, tolerance), sink);
        }
        let method = pair.method();
        let steps = self.steps();
        let mut times = vec![Duration::MAX; steps];
        let mut answers = Vec::with_capacity(steps);
        let mut tests = [0; 3];
        let start = Instant::now();
        for round in 0..ROUNDS {
            let label = format!("{method}, round {} of up to {ROUNDS}", round + 1);
            let mut progress = Progress::new(&label, steps as u64);
            // Every round repeats the same path, so the cache is cleared, too.
            let mut cache = self.cache.then(Cache::new);
            for (step, least) in times.iter_mut().enumerate() {
                let (time, answer, pairs) = match self.motions.get(step) {
                    None => self.step(pair, cache.as_mut(), &self.poses[step]),
                    Some(motion) => {
                        let (time, answer, pairs) = self.step_between(pair, motion);
                        (time, answer, Cow::Owned(pairs))
                    }
                };
                *least = time.min(*least);
                if round == 0 {
                    sink(step, &pairs, &answer)?;
                    answers.push(answer);
                    let counts = pair.counts();
                    let counts = [counts.volume_tests, counts.face_tests, counts.placed];
                    tests = std::array::from_fn(|i| tests[i] + counts[i]);
                }
                progress.advance();
            }
            if start.elapsed() > ROUNDS_LIMIT {
                break;
            }
        }
        let (bytes, times) = (pair.index_bytes(), Times::Steps(times));
        Ok(Outcome { method, build, bytes, times, answers, tests })
    }

    fn step<'p>(
        &self,
        pair: &'p mut Pair,
        cache: Option<&'p mut Cache>,
        pose: &Pose,
    ) -> (Duration, Answer, Cow<'p, [FacePair]>) {
        let still = &Pose::IDENTITY;
        let start = Instant::now();
        let Ask::Touching { all, tolerance, budget } = self.ask else {
            let answer =
                Answer::Distance(pair.at(still, pose).order(self.order.order()).distance());
            return (start.elapsed(), answer, Cow::default());
        };
        let query = pair.at(still, pose).order(self.order.order());
        let query = query.within(tolerance).expect("checked with the arguments");
        let query = match cache {
            None => query,
            Some(cache) => query.cache(cache),
        };
        if let Some(tests) = budget {
            return timed(start, query.timed(), all, Budget::tests(tests));
        }
        let query = query.threads(self.threads());
        if all {
            let pairs = query.contacts();
            let time = start.elapsed();
            (time, touching(pairs), pairs.into())
        } else {
            let touches = query.intersects();
            (start.elapsed(), detected(touches), Cow::default())
        }
    }
}

fn timed<'p>(
    start: Instant,
    mut timed: impinge::query::Timed<'p>,
    all: bool,
    budget: Budget,
) -> (Duration, Answer, Cow<'p, [FacePair]>) {
    let verdict = if all { timed.all(budget) } else { timed.any(budget) };
    let time = start.elapsed();
    let answer = match verdict {
        TimedVerdict::Clear => touching(&[]),
        TimedVerdict::Undecided { overlap, .. } => Answer::Undecided { overlap },
        TimedVerdict::Touching { pairs, .. } if all => touching(pairs),
        TimedVerdict::Touching { .. } => detected(true),
    };
    (time, answer, if all { timed.into_pairs().into() } else { Cow::default() })
}

/// Returns the answer of a query that stops at the first pair.
pub(super) fn detected(touches: bool) -> Answer {
    Answer::Touching { count: usize::from(touches), hash: 0 }
}

pub(super) fn touching(pairs: &[FacePair]) -> Answer {
    Answer::Touching { count: pairs.len(), hash: hash(pairs) }
}

pub(super) fn hash(pairs: &[FacePair]) -> u64 {
    let mut hasher = DefaultHasher::new();
    pairs.hash(&mut hasher);
    hasher.finish()
}

impl Rows<'_> {
    pub(super) fn header(self) -> &'static str {
        match self {
            Self::Pairs(_) => "step,face_a,face_b",
            Self::Distances(_) => "step,distance,ax,ay,az,bx,by,bz,face_a,face_b",
            Self::Impacts(_) => "step,time,distance,ax,ay,az,bx,by,bz,nx,ny,nz,face_a,face_b",
        }
    }

    pub(super) fn write(
        self,
        out: &mut dyn Write,
        step: usize,
        pairs: &[FacePair],
        answer: &Answer,
    ) -> io::Result<()> {
        match (self, answer) {
            (Self::Pairs(_), _) => {
                pairs.iter().try_for_each(|pair| writeln!(out, "{step},{},{}", pair.a, pair.b))
            }
            (Self::Distances(_), Answer::Distance(Some(least))) => {
                let MeshDistance { distance, a, b, faces, .. } = least;
                let points = [a.x, a.y, a.z, b.x, b.y, b.z].map(|x| x.to_string()).join(",");
                writeln!(out, "{step},{distance},{points},{},{}", faces.a, faces.b)
            }
            (Self::Impacts(_), Answer::Impact(Some(impact))) => {
                writeln!(out, "{step},{}", impact_row(impact))
            }
            (Self::Distances(_) | Self::Impacts(_), _) => Ok(()),
        }
    }
}
