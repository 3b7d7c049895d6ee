//! Computes the allowed-collision matrix of a robot: the pairs of links that need no collision check.

use crate::{error::Error, inside::Body};
use impinge::{
    Mesh, Pair, Pose, Shape, Threads,
    clash::{self, Effort, Finder, Verdict},
    method::PointScratch,
};
use impinge_io::assembly::{Assembly, JointKind, Motion};
use rayon::prelude::*;
use std::{
    f64::consts::PI,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
    },
};

/// How [`allowed_collisions`] finds pairs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MatrixOptions {
    /// The number of random configurations. With 0, only adjacent links, links that no joint moves relative to each
    /// other, and the default pose are considered.
    pub samples: u64,
    /// The same seed gives the same configurations, on any number of threads.
    pub seed: u64,
    /// Which pairs are allowed to collide because of the default pose, even if they do not in other configurations.
    pub default_pose: DefaultPose,
    /// One thread, or the rayon pool in which the function is called.
    pub threads: Threads,
}

impl Default for MatrixOptions {
    fn default() -> Self {
        Self {
            samples: 10_000,
            seed: 0,
            default_pose: DefaultPose::default(),
            threads: Threads::default(),
        }
    }
}

/// Which pairs are allowed to collide because of the default pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultPose {
    /// Pairs that touch: they are probably meant to. Pairs that penetrate each other probably are not.
    #[default]
    Touching,
    /// Pairs that touch or penetrate each other, as in MoveIt.
    Colliding,
    /// None.
    Ignored,
}

/// Why a pair of links needs no check. The names are those of MoveIt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AllowedReason {
    /// A joint connects the links, so they touch by design.
    Adjacent,
    /// The links collide in every configuration that was examined.
    Always,
    /// The links touch in the default pose, or collide in it: see [`DefaultPose`].
    Default,
    /// The links collide in no configuration that was examined.
    Never,
}

impl AllowedReason {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Adjacent, Self::Always, Self::Default, Self::Never];

    /// Returns the reason as SRDF files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adjacent => "Adjacent",
            Self::Always => "Always",
            Self::Default => "Default",
            Self::Never => "Never",
        }
    }
}

/// The pairs of a robot's links that need no collision check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Matrix {
    /// The pairs, sorted. Links are indices into [`Assembly::links`].
    pub allowed: Vec<([u32; 2], AllowedReason)>,
    /// The number of pairs that need a check.
    pub checked: usize,
    /// The number of pairs among `allowed` that no joint moves relative to each other. Their reason is proven.
    pub rigid: usize,
    /// The joints that stayed in their default position because they have no limits: indices into
    /// [`Assembly::joints`].
    pub unlimited: Vec<u32>,
}

impl Matrix {
    /// Returns the number of pairs that are allowed for a reason.
    pub fn count(&self, reason: AllowedReason) -> usize {
        self.allowed.iter().filter(|(_, why)| *why == reason).count()
    }
}

/// Samples that a thread examines before it takes others.
const PER_TASK: u64 = 64;

/// Flags of a pair: seen in collision, seen apart.
const HIT: u8 = 1;
const APART: u8 = 2;

/// Computes which pairs of the links of a robot need no collision check, as planners list them in SRDF files.
///
/// Links that no joint moves relative to each other are examined once, which proves the result. All others are
/// examined in random configurations within the joint limits; joints that turn without limits take angles within ±π,
/// and mimic joints follow. *Never* is then a statement of probability: a pair that was never seen to collide in n
/// samples collides, with 95 % confidence, in less than 3/n of all configurations.
///
/// Two links collide if their surfaces meet, or if a part of one lies inside a part of the other. `proceed` is called
/// now and then with the number of samples that are done, and returns whether to continue.
///
/// # Errors
/// If `proceed` stops the computation.
pub fn allowed_collisions(
    assembly: &Assembly,
    options: &MatrixOptions,
    proceed: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Matrix, Error> {
    let sampler = Sampler::new(assembly, options.seed);
    let mut matrix = Matrix { unlimited: sampler.unlimited.clone(), ..Matrix::default() };
    let adjacent = assembly.adjacent_links();
    matrix.allowed.extend(adjacent.iter().map(|&links| (links, AllowedReason::Adjacent)));

    let with_parts: Vec<u32> = sampler.links_with_parts();
    let mut pairs = Vec::new();
    for (at, &a) in with_parts.iter().enumerate() {
        let others = with_parts[at + 1..].iter().map(|&b| [a, b]);
        pairs.extend(others.filter(|links| adjacent.binary_search(links).is_err()));
    }
    let flags: Vec<AtomicU8> = pairs.iter().map(|_| AtomicU8::new(0)).collect();
    let mut first = Worker::new(&sampler, pairs.len());
    let default: Vec<f64> = assembly.joints.iter().map(|joint| joint.value).collect();
    first.examine(&default, &pairs, &flags, false);
    let in_default: Vec<bool> =
        flags.iter().map(|flags| flags.load(Ordering::Relaxed) == HIT).collect();
    let is_default = default_pairs(&sampler, options.default_pose, &pairs, &in_default);
    let is_movable: Vec<bool> = pairs.iter().map(|&[a, b]| assembly.is_movable(a, b)).collect();
    for (flags, &is_movable) in flags.iter().zip(&is_movable) {
        // Only the samples count for pairs that move; pairs that do not move are decided.
        flags.store(if is_movable { 0 } else { HIT | APART }, Ordering::Relaxed);
    }

    let (done, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let sample = |worker: &mut Worker<'_>, number: u64| {
        if is_stopped.load(Ordering::Relaxed) {
            return;
        }
        worker.sample(number, &pairs, &flags);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(16) && !proceed(done) {
            is_stopped.store(true, Ordering::Relaxed);
        }
    };
    // A worker keeps a search for each pair, so there are only as many as threads.
    let workers = Mutex::new(vec![first]);
    let sample_some = |task: u64| {
        let idle = || workers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut worker = idle().pop().unwrap_or_else(|| Worker::new(&sampler, pairs.len()));
        let numbers = task * PER_TASK..options.samples.min((task + 1) * PER_TASK);
        numbers.for_each(|number| sample(&mut worker, number));
        idle().push(worker);
    };
    let tasks = options.samples.div_ceil(PER_TASK);
    match options.threads {
        Threads::One => (0..tasks).for_each(sample_some),
        Threads::Pool => (0..tasks).into_par_iter().for_each(sample_some),
    }
    if is_stopped.load(Ordering::Relaxed) || !proceed(options.samples) {
        return Err(Error::Stopped);
    }

    for (number, &links) in pairs.iter().enumerate() {
        let seen = match (is_movable[number], in_default[number]) {
            (false, true) => HIT,
            (false, false) => APART,
            (true, _) => flags[number].load(Ordering::Relaxed),
        };
        let reason = match seen {
            HIT => Some(AllowedReason::Always),
            // A pair that collides in the default pose does collide.
            APART if !in_default[number] => Some(AllowedReason::Never),
            _ => is_default[number].then_some(AllowedReason::Default),
        };
        match reason {
            Some(reason) => matrix.allowed.push((links, reason)),
            None => matrix.checked += 1,
        }
        matrix.rigid += usize::from(!is_movable[number]);
    }
    matrix.allowed.sort_unstable();
    Ok(matrix)
}

/// Returns which pairs are allowed because of the default pose, in which `in_default` pairs collide.
fn default_pairs(
    sampler: &Sampler<'_>,
    wanted: DefaultPose,
    pairs: &[[u32; 2]],
    in_default: &[bool],
) -> Vec<bool> {
    let assembly = sampler.assembly;
    match wanted {
        DefaultPose::Colliding => return in_default.to_vec(),
        DefaultPose::Ignored => return vec![false; pairs.len()],
        DefaultPose::Touching => {}
    }
    let options = clash::Options::new().effort(Effort::Quick);
    let mut finder = Finder::new(assembly.clash_parts(), &options);
    let clashes = finder.find_watched(&Between { assembly, pairs, in_default });
    let mut is_default = in_default.to_vec();
    for clash in clashes.iter().flat_map(|report| &report.clashes) {
        if clash.verdict != Verdict::Touching
            && let Some(pair) = number_of(assembly, pairs, [clash.a, clash.b])
        {
            is_default[pair] = false;
        }
    }
    is_default
}

/// Returns the index of the pair of links to which two parts belong.
fn number_of(assembly: &Assembly, pairs: &[[u32; 2]], parts: [usize; 2]) -> Option<usize> {
    let [Some(a), Some(b)] = parts.map(|part| assembly.parts[part].link) else { return None };
    pairs.binary_search(&[a.min(b), a.max(b)]).ok()
}

/// Limits a search to pairs of links that collide.
struct Between<'b> {
    assembly: &'b Assembly,
    pairs: &'b [[u32; 2]],
    in_default: &'b [bool],
}

impl clash::Watch for Between<'_> {
    fn includes(&self, a: usize, b: usize) -> bool {
        number_of(self.assembly, self.pairs, [a, b]).is_some_and(|pair| self.in_default[pair])
    }
}

/// The robot, and the ranges of its joints.
struct Sampler<'a> {
    assembly: &'a Assembly,
    /// One for each distinct mesh.
    bodies: Vec<Body>,
    /// The parts of each link.
    parts: Vec<Vec<u32>>,
    /// The joints that are sampled, each with its smallest and largest value.
    ranges: Vec<(usize, [f64; 2])>,
    unlimited: Vec<u32>,
    seed: u64,
}

impl<'a> Sampler<'a> {
    fn new(assembly: &'a Assembly, seed: u64) -> Self {
        let mut parts = vec![Vec::new(); assembly.links.len()];
        for (number, part) in (0..).zip(&assembly.parts) {
            if let Some(link) = part.link {
                parts[link as usize].push(number);
            }
        }
        let (mut ranges, mut unlimited) = (Vec::new(), Vec::new());
        for (number, joint) in assembly.joints.iter().enumerate() {
            if joint.mimics.is_some() || !joint.kind.is_free() {
                continue;
            }
            match (joint.limits, joint.kind) {
                (Some(limits), _) => ranges.push((number, limits)),
                (None, JointKind::Prismatic) => unlimited.push(number as u32),
                (None, _) => ranges.push((number, [-PI, PI])),
            }
        }
        let body = |mesh: &Arc<Mesh>| Body::new(Shape::new(mesh.clone()));
        let bodies = assembly.meshes.iter().map(body).collect();
        Self { assembly, bodies, parts, ranges, unlimited, seed }
    }

    fn links_with_parts(&self) -> Vec<u32> {
        let with_parts = (0..).zip(&self.parts).filter(|(_, parts)| !parts.is_empty());
        with_parts.map(|(link, _)| link).collect()
    }

    fn body(&self, part: u32) -> &Body {
        &self.bodies[self.assembly.parts[part as usize].mesh]
    }

    /// Returns a number in 0 ..= 1 that depends on nothing but the seed, the sample and the joint.
    fn random(&self, sample: u64, joint: usize) -> f64 {
        let joint = (joint as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
        let word = mixed(mixed(mixed(self.seed) ^ sample) ^ joint);
        (word >> 11) as f64 / ((1_u64 << 53) - 1) as f64
    }
}

/// The output function of SplitMix64.
fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// The memory of one thread.
struct Worker<'s> {
    sampler: &'s Sampler<'s>,
    motion: Motion<'s>,
    values: Vec<f64>,
    poses: Vec<Pose>,
    /// The searches of the parts of each pair of links, made when they are first needed.
    searches: Vec<Vec<Pair>>,
    scratch: PointScratch,
}

impl<'s> Worker<'s> {
    fn new(sampler: &'s Sampler<'s>, pairs: usize) -> Self {
        let motion = sampler.assembly.motion();
        let values = sampler.assembly.joints.iter().map(|joint| joint.value).collect();
        let searches = (0..pairs).map(|_| Vec::new()).collect();
        Self {
            sampler,
            motion,
            values,
            poses: Vec::new(),
            searches,
            scratch: PointScratch::default(),
        }
    }

    fn sample(&mut self, number: u64, pairs: &[[u32; 2]], flags: &[AtomicU8]) {
        let mut values = std::mem::take(&mut self.values);
        for &(joint, [lower, upper]) in &self.sampler.ranges {
            // Rounding must not lead beyond the limits.
            let random = self.sampler.random(number, joint);
            values[joint] = (lower + random * (upper - lower)).clamp(lower, upper);
        }
        self.examine(&values, pairs, flags, true);
        self.values = values;
    }

    /// Sets a flag of each pair: whether its links collide. A pair that has both flags already is not examined: this
    /// does not change the result, whichever thread comes first.
    fn examine(&mut self, values: &[f64], pairs: &[[u32; 2]], flags: &[AtomicU8], only_open: bool) {
        // Values that place a part beyond the range of numbers are no configuration of a real robot.
        let Ok(poses) = self.motion.poses(values) else { return };
        self.poses.clear();
        self.poses.extend_from_slice(poses);
        for (number, (&links, flags)) in pairs.iter().zip(flags).enumerate() {
            if only_open && flags.load(Ordering::Relaxed) == HIT | APART {
                continue;
            }
            let flag = if self.collide(number, links) { HIT } else { APART };
            flags.fetch_or(flag, Ordering::Relaxed);
        }
    }

    /// Returns whether a part of one link collides with a part of the other.
    fn collide(&mut self, number: usize, [a, b]: [u32; 2]) -> bool {
        let Self { sampler, poses, searches, scratch, .. } = self;
        let (first, second) = (&sampler.parts[a as usize], &sampler.parts[b as usize]);
        let mut at = 0;
        for &p in first {
            for &q in second {
                let [one, other] = [p, q].map(|part| sampler.body(part));
                let [pose, beside] = [p, q].map(|part| &poses[part as usize]);
                at += 1;
                let spheres = (one.shape.placed_sphere(pose), other.shape.placed_sphere(beside));
                let (Some((c, r)), Some((d, s))) = spheres else { continue };
                if c.distance(d) > (r + s) * (1.0 + 1e-9) {
                    continue;
                }
                let search = &mut searches[number];
                while search.len() < at {
                    let [p, q] = [(search.len() / second.len()), (search.len() % second.len())];
                    let [p, q] = [first[p], second[q]].map(|part| &sampler.body(part).shape);
                    // All shapes are prepared by the default method.
                    let Ok(pair) = Pair::new(p, q) else { return false };
                    search.push(pair);
                }
                if search[at - 1].intersects(pose, beside)
                    || one.has_inside(pose, (other, beside), scratch)
                    || other.has_inside(beside, (one, pose), scratch)
                {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_io::assembly::{LoadOptions, read};

    /// A base, an arm that turns about z above it, a tip that is fixed to the arm, a ball inside of both, a post
    /// beside the base that they hit after half a turn, and a flag on the post that nothing reaches.
    const ROBOT: &str = r#"<robot name="r">
      <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
      <link name="arm"><collision><origin xyz="1 0 0.8"/><geometry><box size="2 0.2 0.2"/></geometry></collision></link>
      <link name="tip"><collision><geometry><box size="0.4 0.4 0.4"/></geometry></collision></link>
      <link name="ball"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
      <link name="post"><collision><geometry><box size="0.2 0.2 2"/></geometry></collision></link>
      <link name="flag"><collision><geometry><box size="0.5 0.1 0.1"/></geometry></collision></link>
      <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
        <limit lower="-3.125" upper="3.125"/></joint>
      <joint name="grip" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="2 0 0.8"/></joint>
      <joint name="roll" type="continuous"><parent link="tip"/><child link="bare"/><axis xyz="1 0 0"/></joint>
      <link name="bare"/>
      <joint name="held" type="fixed"><parent link="bare"/><child link="ball"/><origin xyz="-0.1 0 0"/></joint>
      <joint name="stand" type="fixed"><parent link="base"/><child link="post"/><origin xyz="-2 0 0.5"/></joint>
      <joint name="hoist" type="fixed"><parent link="post"/><child link="flag"/><origin xyz="0 0 0.9"/></joint>
    </robot>"#;

    fn robot(options: &LoadOptions) -> Assembly {
        read(ROBOT.as_bytes(), "r.urdf".as_ref(), options).unwrap_or_else(|error| panic!("{error}"))
    }

    fn listed(assembly: &Assembly, options: &MatrixOptions) -> Vec<String> {
        let matrix = allowed_collisions(assembly, options, &|_| true).unwrap();
        assert_eq!(
            matrix.allowed.len() + matrix.checked,
            15,
            "every pair of the six links with geometry"
        );
        let name = |link: u32| &*assembly.links[link as usize].name;
        let pairs = matrix.allowed.iter();
        pairs.map(|&([a, b], why)| format!("{} {} {}", name(a), name(b), why.name())).collect()
    }

    #[test]
    fn pairs_are_always_never_or_sometimes_in_collision() {
        let assembly = robot(&LoadOptions::default());
        let options = MatrixOptions { samples: 500, ..MatrixOptions::default() };
        let expected = [
            "base arm Adjacent",
            "base tip Never",
            "base ball Never",
            "base post Adjacent",
            "base flag Never",
            "arm tip Adjacent",
            // Their surfaces do not meet.
            "arm ball Always",
            "arm flag Never",
            "tip ball Adjacent",
            "tip flag Never",
            "ball flag Never",
            "post flag Adjacent",
        ];
        // Arm, tip and ball hit the post in some configurations, so these three pairs are not listed.
        assert_eq!(listed(&assembly, &options), expected);
        // The threads of a pool do not change the list.
        let pool = MatrixOptions { threads: Threads::Pool, ..options };
        assert_eq!(listed(&assembly, &pool), expected);
    }

    #[test]
    fn without_samples_only_geometry_decides() {
        let options = MatrixOptions { samples: 0, ..MatrixOptions::default() };
        let bent = robot(&LoadOptions::default().joint("turn", 3.1));
        let list = listed(&bent, &options);
        assert!(!list.iter().any(|pair| pair.starts_with("tip post")), "they penetrate: {list:?}");
        let colliding = MatrixOptions { default_pose: DefaultPose::Colliding, ..options.clone() };
        let all = listed(&bent, &colliding);
        assert!(all.contains(&"tip post Default".to_owned()), "{all:?}");
        assert!(list.contains(&"base flag Never".to_owned()), "{list:?}");
        assert!(!list.iter().any(|pair| pair == "base tip Never"), "{list:?}");
        let touching = ROBOT.replace(r#"origin xyz="-2 0 0.5""#, r#"origin xyz="2.3 0 0.5""#);
        assert_ne!(touching, ROBOT);
        let touching =
            read(touching.as_bytes(), "r.urdf".as_ref(), &LoadOptions::default()).unwrap();
        let has = |options: &MatrixOptions| {
            listed(&touching, options).contains(&"tip post Default".to_owned())
        };
        assert!(has(&options) && has(&colliding));
        assert!(!has(&MatrixOptions { default_pose: DefaultPose::Ignored, ..options }));
    }

    #[test]
    fn samples_fill_the_range_and_depend_on_the_seed_only() {
        let assembly = robot(&LoadOptions::default());
        let [one, same, other] = [1, 1, 2].map(|seed| Sampler::new(&assembly, seed));
        let values = |sampler: &Sampler<'_>| -> Vec<f64> {
            (0..1000).map(|sample| sampler.random(sample, 0)).collect()
        };
        assert_eq!(values(&one), values(&same));
        assert_ne!(values(&one), values(&other));
        let mean = values(&one).iter().sum::<f64>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
        for tenth in 0..10 {
            let range = f64::from(tenth) / 10.0..f64::from(tenth + 1) / 10.0;
            let inside = values(&one).into_iter().filter(|value| range.contains(value)).count();
            assert!((60..150).contains(&inside), "{range:?}: {inside}");
        }
        assert_eq!(one.ranges, [(0, [-3.125, 3.125]), (2, [-PI, PI])]);
    }

    #[test]
    fn the_caller_can_stop() {
        let assembly = robot(&LoadOptions::default());
        let stopped = allowed_collisions(&assembly, &MatrixOptions::default(), &|_| false);
        assert!(matches!(stopped, Err(Error::Stopped)));
    }
}
