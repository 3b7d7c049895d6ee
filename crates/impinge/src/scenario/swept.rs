//! Swept-volume scenes: obstacles close to and in the way of a moving body.

use super::motion::{Motion, State};
use crate::generate::{
    GenerateError, Random, check_count, check_measure, check_positive, check_steps,
    tetrahedron_corners,
};
use crate::{Bounds, Mesh, Pair, PointLocation, Pose, Shape};
use glam::DVec3;

/// The number of random places that are tested for each obstacle.
const TRIES: u32 = 500;

/// The faces of a tetrahedron with the corners of [`tetrahedron_corners`].
const FACES: [[u32; 3]; 4] = [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]];

/// Options of [`swept`]. Lengths are in the unit of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SweptOptions {
    /// The number of poses of the path: at least 1. By default 500.
    pub steps: u32,
    /// The distance between consecutive poses. By default 0.05 of the longest side of the body.
    pub stride: f64,
    /// The rotation between consecutive poses, in degrees. By default 2.
    pub turn: f64,
    /// The number of obstacles: from 1 to 1,000,000. By default 1000.
    pub obstacles: u32,
    /// The number of obstacles that touch the body at one pose or more; at most all of them. By default 50.
    pub cutting: u32,
    /// The largest distance of all other obstacles from the body at its nearest pose. By default 0.05 of the
    /// longest side of the body.
    pub clearance: f64,
    /// The side of the cube that an obstacle fits into. By default 0.2 of the longest side of the body.
    pub obstacle_size: f64,
}

impl SweptOptions {
    /// The default options, with lengths that suit the size of a body.
    pub fn for_body(body: &Mesh) -> Self {
        let longest = body.bounds().size().max_element();
        let longest = if longest > 0.0 { longest } else { 1.0 };
        Self {
            steps: 500,
            stride: 0.05 * longest,
            turn: 2.0,
            obstacles: 1000,
            cutting: 50,
            clearance: 0.05 * longest,
            obstacle_size: 0.2 * longest,
        }
    }

    fn check(&self) -> Result<(), GenerateError> {
        check_count("steps", self.steps, self.steps >= 1, "at least 1")?;
        check_steps(self.steps)?;
        let allowed = (1..=1_000_000).contains(&self.obstacles);
        check_count("obstacles", self.obstacles, allowed, "from 1 to 1000000")?;
        let allowed = self.cutting <= self.obstacles;
        check_count("cutting", self.cutting, allowed, "at most the number of obstacles")?;
        check_measure("stride", self.stride, self.stride >= 0.0, "a finite number of at least 0")?;
        check_measure("turn", self.turn, true, "a finite number")?;
        check_positive("clearance", self.clearance)?;
        check_positive("obstacle_size", self.obstacle_size)
    }
}

/// A path of a body, and obstacles around it.
#[derive(Clone, Debug)]
pub struct Swept {
    /// All obstacles: random tetrahedra, four faces each, normals outward. Obstacle i has the faces 4·i to 4·i + 3.
    /// Obstacles may overlap each other.
    pub environment: Mesh,
    /// The path.
    pub poses: Vec<Pose>,
    /// Whether each obstacle touches the body at one pose or more.
    pub cuts: Vec<bool>,
}

/// Moves a body along a random path, and puts random tetrahedra close to and into the volume that it sweeps.
///
/// The hardest scenes of Klosowski (1998, chapter 5): a body that flies the same path again comes close to thousands
/// of obstacles and touches few. The body flies and turns by small steps, and its direction and axis of rotation
/// change a little at each step.
///
/// Each obstacle is verified with the exact query at every pose. A cutting obstacle touches the body at one pose or
/// more. All others touch it at no pose, are not inside of it at any pose (if the body is a closed solid), and have a
/// corner within `clearance` of its surface, up to rounding, at one pose.
///
/// ```
/// use impinge::{generate, scenario::{SweptOptions, swept}};
///
/// let body = generate::chair();
/// let mut options = SweptOptions::for_body(&body);
/// (options.obstacles, options.cutting) = (100, 10);
/// let scene = swept(1, &body, options)?;
/// assert_eq!(scene.environment.faces().len(), 400);
/// assert_eq!(scene.cuts.iter().filter(|&&cuts| cuts).count(), 10);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
///
/// # Errors
/// If a parameter is out of its range, or no place is found for an obstacle in 500 tries.
pub fn swept(seed: u64, body: &Mesh, options: SweptOptions) -> Result<Swept, GenerateError> {
    options.check()?;
    let surface = Samples::of(body)?;
    let mut random = Random::new(seed);
    let poses = path(&mut random, body.bounds().center(), &options)?;
    let shape = Shape::new(body.clone());
    let mut cuts: Vec<bool> = (0..options.obstacles).map(|i| i < options.cutting).collect();
    random.shuffle(&mut cuts);

    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for &cuts in &cuts {
        let scene = Scene { body: &shape, surface: &surface, poses: &poses, options: &options };
        let corners = scene.obstacle(&mut random, cuts)?;
        let first = positions.len() as u32;
        positions.extend(corners);
        faces.extend(FACES.map(|face| face.map(|corner| first + corner)));
    }
    Ok(Swept { environment: Mesh::new(positions, faces)?, poses, cuts })
}

/// A random path that starts at the origin.
fn path(
    random: &mut Random,
    own_centre: DVec3,
    options: &SweptOptions,
) -> Result<Vec<Pose>, GenerateError> {
    let mut motion = Motion::new(random, options.stride, options.turn);
    let mut state = State { centre: DVec3::ZERO, rotation: random.rotation() };
    let mut poses = Vec::with_capacity(options.steps as usize);
    for _ in 0..options.steps {
        poses.push(state.pose(own_centre)?);
        motion.perturb(random);
        state = motion.advance(&state);
    }
    Ok(poses)
}

struct Scene<'a> {
    body: &'a Shape,
    surface: &'a Samples<'a>,
    poses: &'a [Pose],
    options: &'a SweptOptions,
}

impl Scene<'_> {
    /// Finds a place for an obstacle. Returns its corners.
    fn obstacle(&self, random: &mut Random, cuts: bool) -> Result<[DVec3; 4], GenerateError> {
        let half = DVec3::splat(self.options.obstacle_size * 0.5);
        let cell = Bounds { min: -half, max: half };
        for _ in 0..TRIES {
            let step = random.below(self.poses.len() as u64) as usize;
            let pose = &self.poses[step];
            let (point, normal) = self.surface.sample(random);
            let (point, normal) = (pose.place(point), pose.rotation() * normal);
            let rotation = random.rotation();
            let corners = tetrahedron_corners(random, &cell).map(|corner| rotation * corner);
            // The corner that is lowest above the surface gets the wanted height above the sampled point. So its
            // distance from the body is at most that height.
            let lowest = corners.into_iter().fold(corners[0], |lowest, corner| {
                if normal.dot(corner) < normal.dot(lowest) { corner } else { lowest }
            });
            let height = match cuts {
                true => random.range(-0.5, 0.0) * self.options.obstacle_size,
                false => random.unit() * self.options.clearance,
            };
            let shift = point + normal * height - lowest;
            let corners = corners.map(|corner| corner + shift);
            if self.touches_as_wanted(corners, step, cuts)? {
                return Ok(corners);
            }
        }
        let (what, advice) = match cuts {
            true => ("place for an obstacle that touches the body", "change obstacle_size"),
            false => (
                "place for an obstacle beside the swept volume",
                "reduce obstacle_size, or change stride and turn",
            ),
        };
        Err(GenerateError::NoPlace { what, tries: TRIES, advice })
    }

    /// Whether the obstacle touches the body at `step`, or, if it must not cut, at no step.
    fn touches_as_wanted(
        &self,
        corners: [DVec3; 4],
        step: usize,
        cuts: bool,
    ) -> Result<bool, GenerateError> {
        let obstacle = Shape::new(Mesh::new(corners.to_vec(), FACES.to_vec())?);
        let mut pair = Pair::new(&obstacle, self.body).expect("both have the default method");
        let mut touches = |step: usize| pair.intersects(&Pose::IDENTITY, &self.poses[step]);
        if cuts {
            return Ok(touches(step));
        }
        // The poses near the chosen one come first: most obstacles that are hit at all are hit there.
        let count = self.poses.len();
        let outward = (0..count).flat_map(|away| {
            let after = Some(step + away).filter(|&step| step < count);
            let before = step.checked_sub(away).filter(|_| away > 0);
            [after, before].into_iter().flatten()
        });
        Ok(!outward.into_iter().any(|step| touches(step) || self.contains(corners[0], step)))
    }

    /// Whether a point is inside the body; `false` for a body that is not a closed solid.
    fn contains(&self, point: DVec3, step: usize) -> bool {
        let location = self.body.contains_point(&self.poses[step], point);
        location.is_ok_and(|location| location == PointLocation::Inside)
    }
}

/// Random points of the surface of a mesh, uniform by area.
struct Samples<'a> {
    mesh: &'a Mesh,
    /// The area of each face and all faces before it.
    areas: Vec<f64>,
}

impl<'a> Samples<'a> {
    fn of(mesh: &'a Mesh) -> Result<Self, GenerateError> {
        // Areas relative to the size of the mesh, so that they neither overflow nor underflow.
        let longest = mesh.bounds().size().max_element();
        let mut sum = 0.0;
        let add = |[a, b, c]: [DVec3; 3]| {
            sum += ((b - a) / longest).cross((c - a) / longest).length();
            sum
        };
        let areas: Vec<f64> = mesh.triangles().map(add).collect();
        match areas.last() {
            Some(&total) if total > 0.0 => Ok(Self { mesh, areas }),
            None => Err(GenerateError::NoFaces { parameter: "body" }),
            Some(_) => {
                let allowed = "above 0";
                Err(GenerateError::Measure { parameter: "the body's area", value: 0.0, allowed })
            }
        }
    }

    /// A random point and the unit normal of its face.
    fn sample(&self, random: &mut Random) -> (DVec3, DVec3) {
        let total = self.areas[self.areas.len() - 1];
        let chosen = random.unit() * total;
        let face = self.areas.partition_point(|&area| area <= chosen).min(self.areas.len() - 1);
        let [a, b, c] = self.mesh.triangle(face as u32);
        let (root, share) = (random.unit().sqrt(), random.unit());
        let point = a * (1.0 - root) + b * (root * (1.0 - share)) + c * (root * share);
        let longest = (b - a).abs().max((c - a).abs()).max_element();
        let normal = ((b - a) / longest).cross((c - a) / longest);
        (point, normal / normal.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use crate::generate::check::{assert_closed, hash, hash_poses, volume};
    use crate::generate::{chair, shuttle, torus};

    fn options(body: &Mesh, obstacles: u32, cutting: u32) -> SweptOptions {
        SweptOptions { obstacles, cutting, steps: 120, ..SweptOptions::for_body(body) }
    }

    #[test]
    fn obstacles_cut_or_stay_clear_as_they_say() {
        let (mut close, mut hits) = (0, 0);
        for (seed, body) in [(1, chair()), (2, shuttle()), (3, torus(1.0, 0.4, [20, 12]).unwrap())]
        {
            let options = options(&body, 60, 20);
            let scene = swept(seed, &body, options).unwrap();
            assert_eq!(scene.cuts.iter().filter(|&&cuts| cuts).count(), 20, "seed {seed}");
            assert_closed(&scene.environment);
            assert!(volume(&scene.environment) > 0.0);
            // The reference method, face by face.
            let shape = |mesh: Mesh| Shape::build(Method::BRUTE, mesh);
            let [environment, body] = [scene.environment.clone(), body].map(shape);
            let mut pair = Pair::new(&environment, &body).unwrap();
            let mut touched = [false; 60];
            for pose in &scene.poses {
                for contact in pair.contacts(&Pose::IDENTITY, pose) {
                    touched[contact.a as usize / 4] = true;
                    hits += 1;
                }
            }
            assert_eq!(touched[..], scene.cuts[..], "seed {seed}");
            for (number, _) in scene.cuts.iter().enumerate().filter(|(_, cuts)| !**cuts) {
                let corners = scene.environment.positions()[4 * number..4 * number + 4].to_vec();
                let obstacle = shape(Mesh::new(corners, FACES.to_vec()).unwrap());
                let mut pair = Pair::new(&obstacle, &body).unwrap();
                let distance = |pose: &Pose| pair.distance(&Pose::IDENTITY, pose).unwrap().distance;
                let least = scene.poses.iter().map(distance).fold(f64::INFINITY, f64::min);
                let allowed = options.clearance * (1.0 + 1e-9);
                assert!(least > 0.0 && least <= allowed, "seed {seed}, obstacle {number}: {least}");
                close += usize::from(least > 0.1 * options.clearance);
            }
        }
        assert!(close > 50 && hits > 500, "{close} obstacles apart, {hits} contacts");
    }

    #[test]
    fn a_body_that_stands_still_is_a_scene_too() {
        let body = chair();
        let mut options = options(&body, 30, 0);
        (options.steps, options.stride, options.turn) = (1, 0.0, 0.0);
        let scene = swept(9, &body, options).unwrap();
        assert_eq!((scene.poses.len(), scene.cuts.len()), (1, 30));
        options.cutting = 30;
        assert!(swept(9, &body, options).unwrap().cuts.iter().all(|&cuts| cuts));
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let body = chair();
        let good = options(&body, 10, 2);
        let refused = |edit: &dyn Fn(&mut SweptOptions)| {
            let mut options = good;
            edit(&mut options);
            swept(1, &body, options).unwrap_err().to_string()
        };
        assert!(refused(&|o| o.steps = 0).starts_with("steps is 0"));
        assert!(refused(&|o| o.obstacles = 0).starts_with("obstacles is 0"));
        assert!(refused(&|o| o.cutting = 11).starts_with("cutting is 11"));
        assert!(refused(&|o| o.stride = -1.0).starts_with("stride is -1"));
        assert!(refused(&|o| o.turn = f64::NAN).starts_with("turn is NaN"));
        assert!(refused(&|o| o.clearance = 0.0).starts_with("clearance is 0"));
        assert!(refused(&|o| o.obstacle_size = 1e200).starts_with("vertex"));
        // The body is within the obstacle, which its faces do not touch.
        assert!(
            refused(&|o| o.obstacle_size = 1e9).contains("500 random tries; change obstacle_size")
        );
        let error = swept(1, &Mesh::default(), good).unwrap_err();
        assert!(error.to_string().starts_with("body"), "{error}");
        let dot = Mesh::new(vec![DVec3::ZERO], vec![[0, 0, 0]]).unwrap();
        assert!(swept(1, &dot, good).unwrap_err().to_string().contains("area"));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        let body = chair();
        let scene = swept(1, &body, options(&body, 20, 5)).unwrap();
        assert_eq!(hash(&scene.environment), 0xA8DD_1A1C_D2B0_F0EA);
        assert_eq!(hash_poses(&scene.poses), 0x80C4_74F9_9905_8DE4);
    }
}
