//! How often extrapolated motions predict collisions of objects that hands move:
//! `cargo bench -p impinge-bench --bench extrapolation`
//!
//! Hands move shuttles among spheres, chairs and cubes, on generated paths: calm, with tremor, and with sudden changes
//! of direction. At each step the poses so far predict which pairs will collide within a horizon. The truth is the path
//! itself: the first impacts on the way from each pose to the next, none of which is missed. Only pairs that are apart
//! at a step count. Of the collisions that happen within the horizon, some are not predicted: *missed*. Of those that
//! are predicted, some do not happen: *false*. Nothing here depends on the machine, except for the last table.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::{
    Bounds, Mesh, Motion, Pose, Shape, World,
    generate::{self, HandOptions, Random},
    glam::DVec3,
    motion::ImpactOptions,
    world::{Body, BodyId, Forecast},
};
use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

const STEPS: u32 = 1500;
const HANDS: u64 = 3;
const OBSTACLES: usize = 24;
const HORIZONS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];
const FITS: [usize; 4] = [1, 2, 4, 8];
/// The first step at which predictions count: all fits know enough poses.
const FIRST: usize = 16;

fn main() {
    let kinds = [
        ("calm", HandOptions::default().tremor(0.0).changes(0.0)),
        ("tremor", HandOptions::default().changes(0.0)),
        ("strong tremor", HandOptions::default().tremor(0.01).changes(0.0)),
        ("sudden changes", HandOptions::default().tremor(0.0)),
        ("tremor and changes", HandOptions::default()),
    ];
    let mut costs: HashMap<usize, (Duration, u32)> = HashMap::new();
    println!("\n### Missed and false predictions, by horizon\n");
    print!("| hand | steps fitted |");
    for horizon in HORIZONS {
        print!(" within {horizon}: missed | false |");
    }
    println!(" error of the time, steps |");
    println!("|---|---|{}---|", "---|---|".repeat(HORIZONS.len()));
    for (name, options) in kinds {
        let truth = Truth::of(&options);
        for fit in FITS {
            let scores = truth.scores(fit, &mut costs);
            let label = if fit == 1 { "1 (constant velocity)".to_owned() } else { fit.to_string() };
            print!("| {name} | {label} |");
            for score in &scores.horizons {
                let [missed, wrong] = score.shares();
                print!(" {missed} | {wrong} |");
            }
            println!(" {:.2} |", scores.time_error());
        }
        let happen = truth.collisions();
        println!("| {name} | collisions | {} |", happen.map(|n| format!("{n} | |")).join(" "));
    }
    println!("\n### Time of a prediction over 16 steps, for 27 bodies on one thread\n");
    println!("| steps fitted | µs |");
    println!("|---|---|");
    for fit in FITS {
        let (time, count) = costs[&fit];
        println!("| {fit} | {:.0} |", time.as_secs_f64() * 1e6 / f64::from(count));
    }
}

/// The bodies: hands first, then obstacles.
fn world() -> (World, Vec<BodyId>) {
    let scaled = |mesh: &Mesh, size: f64| generate::scaled_to_cube(mesh, size).expect("a size");
    let shuttle = Shape::new(scaled(&generate::shuttle(), 0.3));
    let obstacles = [
        scaled(&generate::sphere(168).expect("an even number"), 0.25),
        scaled(&generate::chair(), 0.35),
        generate::cuboid(DVec3::new(0.3, 0.2, 0.1)).expect("sizes"),
    ]
    .map(Shape::new);
    let mut world = World::new();
    let mut ids = Vec::new();
    for _ in 0..HANDS {
        ids.push(world.add(Body::new(&shuttle)).expect("one method"));
    }
    let mut random = Random::new(7);
    for number in 0..OBSTACLES {
        let place = DVec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0)));
        let pose = Pose::new(random.rotation(), place).expect("a rotation");
        world.add(Body::new(&obstacles[number % 3]).at(pose).fixed()).expect("one method");
    }
    (world, ids)
}

/// What happens on the paths of all hands.
struct Truth {
    paths: Vec<Vec<Pose>>,
    /// The times of impacts of each pair, in steps.
    impacts: HashMap<[BodyId; 2], Vec<f64>>,
    /// The pairs that touch at each step.
    touching: Vec<HashSet<[BodyId; 2]>>,
}

impl Truth {
    fn of(options: &HandOptions) -> Self {
        let room = Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let path = |hand| generate::hand_path(hand, &options.room(room), STEPS).expect("valid");
        let paths: Vec<Vec<Pose>> = (0..HANDS).map(path).collect();
        let (mut world, hands) = world();
        let (mut impacts, mut touching) = (HashMap::<_, Vec<f64>>::new(), Vec::new());
        for step in 0..STEPS as usize {
            for (path, &hand) in paths.iter().zip(&hands) {
                match step {
                    0 => world.set_pose(hand, path[0]).expect("it exists"),
                    _ => {
                        let motion = Motion::between(path[step - 1], path[step]).expect("small");
                        world.set_motion(hand, motion).expect("it starts there");
                    }
                }
            }
            for hit in world.step_continuous(&ImpactOptions::default()).impacts() {
                let time = step as f64 - 1.0 + hit.impact.time;
                impacts.entry([hit.a, hit.b]).or_default().push(time);
            }
            touching.push(world.step().pairs().map(|touch| [touch.a, touch.b]).collect());
        }
        Self { paths, impacts, touching }
    }

    /// When a pair collides next after a step, if it does.
    fn next(&self, pair: [BodyId; 2], step: usize) -> Option<f64> {
        let times = self.impacts.get(&pair)?;
        let later = times.partition_point(|&time| time <= step as f64);
        times.get(later).map(|time| time - step as f64)
    }

    /// The number of pairs and steps with a collision within each horizon.
    fn collisions(&self) -> [u32; HORIZONS.len()] {
        let mut counts = [0; HORIZONS.len()];
        self.for_each(|pair, step| {
            if let Some(time) = self.next(pair, step) {
                for (count, horizon) in counts.iter_mut().zip(HORIZONS) {
                    *count += u32::from(time <= horizon);
                }
            }
        });
        counts
    }

    /// Visits each step at which a pair that ever collides is apart, if all fits are known and the last horizon ends
    /// before the path.
    fn for_each(&self, mut visit: impl FnMut([BodyId; 2], usize)) {
        for step in Self::steps() {
            for &pair in self.impacts.keys().filter(|&pair| !self.touching[step].contains(pair)) {
                visit(pair, step);
            }
        }
    }

    fn steps() -> std::ops::Range<usize> {
        FIRST..STEPS as usize - HORIZONS[HORIZONS.len() - 1] as usize
    }

    fn scores(&self, fit: usize, costs: &mut HashMap<usize, (Duration, u32)>) -> Scores {
        let (mut world, hands) = world();
        let mut forecast = Forecast::fitted(fit);
        let mut scores = Scores::default();
        let longest = HORIZONS[HORIZONS.len() - 1];
        for step in 0..STEPS as usize {
            for (path, &hand) in self.paths.iter().zip(&hands) {
                world.set_pose(hand, path[step]).expect("it exists");
            }
            forecast.observe(&world);
            if !Self::steps().contains(&step) {
                continue;
            }
            let start = Instant::now();
            let found = forecast.collisions(&mut world, longest, &ImpactOptions::default());
            let cost = costs.entry(fit).or_default();
            *cost = (cost.0 + start.elapsed(), cost.1 + 1);
            let found = found.expect("in range");
            let found: HashMap<[BodyId; 2], f64> =
                found.iter().map(|hit| ([hit.a, hit.b], hit.steps)).collect();
            let pairs: HashSet<_> = self.impacts.keys().chain(found.keys()).collect();
            for &pair in pairs {
                if !self.touching[step].contains(&pair) {
                    scores.add(found.get(&pair).copied(), self.next(pair, step));
                }
            }
        }
        scores
    }
}

#[derive(Default)]
struct Scores {
    horizons: [Score; HORIZONS.len()],
    /// The sum of the errors of the predicted time, and how many there are.
    errors: (f64, u32),
}

#[derive(Clone, Copy, Default)]
struct Score {
    happened: u32,
    predicted: u32,
    both: u32,
}

impl Scores {
    /// Adds a prediction for one pair at one step, and what happened: each a time in steps, if there is any.
    fn add(&mut self, predicted: Option<f64>, happened: Option<f64>) {
        for (score, horizon) in self.horizons.iter_mut().zip(HORIZONS) {
            let is_within = |time: Option<f64>| time.is_some_and(|time| time <= horizon);
            let (predicted, happened) = (is_within(predicted), is_within(happened));
            score.predicted += u32::from(predicted);
            score.happened += u32::from(happened);
            score.both += u32::from(predicted && happened);
        }
        let longest = HORIZONS[HORIZONS.len() - 1];
        if let (Some(predicted), Some(happened)) = (predicted, happened)
            && happened <= longest
        {
            self.errors = (self.errors.0 + (predicted - happened).abs(), self.errors.1 + 1);
        }
    }

    fn time_error(&self) -> f64 {
        self.errors.0 / f64::from(self.errors.1.max(1))
    }
}

impl Score {
    /// The shares of collisions that were missed, and of predictions that were false.
    fn shares(&self) -> [String; 2] {
        let share = |part: u32, all: u32| match all {
            0 => "–".to_owned(),
            _ => format!("{:.1} %", 100.0 * f64::from(part) / f64::from(all)),
        };
        let Self { happened, predicted, both } = *self;
        [share(happened - both, happened), share(predicted - both, predicted)]
    }
}
