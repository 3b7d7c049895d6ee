//! Billiard paths: flights that bounce off the obstacles of an environment.

use super::motion::{Motion, State};
use crate::generate::{GenerateError, Random, check_count, check_measure, check_steps};
use crate::{Bounds, Pair, PointLocation, Pose, Shape};
use glam::DVec3;

/// The number of random directions that are tried after a bounce, before the body flies back on its own path.
const DIRECTIONS: u32 = 16;

/// Options of [`bounce`]. Lengths are in the unit of the meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BounceOptions {
    /// The number of poses: at least 1. By default 1000.
    pub steps: u32,
    /// The distance between consecutive poses. By default 0.05 of the longest side of the body.
    pub stride: f64,
    /// The rotation between consecutive poses, in degrees. By default 2.
    pub turn: f64,
    /// The centre of the body's bounding box stays in this box. By default the bounding box of the environment.
    pub room: Bounds,
    /// The number of random places that are tested for the start: at least 1. By default 10,000.
    pub tries: u32,
    /// Whether the poses at which the body touches an obstacle are part of the path. By default they are.
    pub with_contacts: bool,
}

impl BounceOptions {
    /// The default options, with a room and a stride that suit the two meshes.
    pub fn for_pair(environment: &Shape, body: &Shape) -> Self {
        let longest = body.mesh().bounds().size().max_element();
        Self {
            steps: 1000,
            stride: if longest > 0.0 { 0.05 * longest } else { 0.0 },
            turn: 2.0,
            room: environment.mesh().bounds(),
            tries: 10_000,
            with_contacts: true,
        }
    }

    fn check(&self) -> Result<(), GenerateError> {
        check_count("steps", self.steps, self.steps >= 1, "at least 1")?;
        check_steps(self.steps)?;
        check_count("tries", self.tries, self.tries >= 1, "at least 1")?;
        check_measure("stride", self.stride, self.stride >= 0.0, "a finite number of at least 0")?;
        check_measure("turn", self.turn, true, "a finite number")?;
        let names = ["room's x", "room's y", "room's z"];
        for (name, size) in names.into_iter().zip(self.room.size().to_array()) {
            check_measure(name, size, size >= 0.0, "a finite number of at least 0")?;
        }
        Ok(())
    }
}

/// A flight of a body through an environment: from a random free start, straight on with small random changes of
/// direction, and back from each obstacle that it hits.
///
/// The billiard paths of Klosowski (1998, chapter 2). They do not simulate a bounce: the body turns around at a
/// contact, and its direction and axis of rotation change a little at each step. The walls of the room reflect it.
///
/// The start is free: the body touches no face of the environment, it is not inside a solid of the environment, and
/// no vertex of the environment is inside of it (the last two only if the mesh in question is a closed solid). After
/// each pose that touches the environment comes one that does not. A body that is so confined that no tested
/// direction is free flies back the way it came, or stays.
///
/// ```
/// use impinge::{Shape, generate::{bsp_tetrahedra, scaled_to_cube, chair}, scenario::{BounceOptions, bounce}};
///
/// let environment = Shape::new(bsp_tetrahedra(1, 100)?);
/// let body = Shape::new(scaled_to_cube(&chair(), 0.1)?);
/// let options = BounceOptions::for_pair(&environment, &body);
/// let poses = bounce(1, &environment, &body, options)?;
/// assert_eq!(poses.len(), 1000);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
///
/// # Errors
/// If a parameter is out of its range, if a mesh has no faces, or if no free start is found.
///
/// # Panics
/// If the two shapes are prepared with different methods.
pub fn bounce(
    seed: u64,
    environment: &Shape,
    body: &Shape,
    options: BounceOptions,
) -> Result<Vec<Pose>, GenerateError> {
    for (parameter, shape) in [("environment", environment), ("body", body)] {
        if shape.mesh().faces().is_empty() {
            return Err(GenerateError::NoFaces { parameter });
        }
    }
    options.check()?;
    let mut flight = Flight {
        pair: Pair::new(environment, body).expect("both shapes must have the same method"),
        own_centre: body.mesh().bounds().center(),
        options,
        random: Random::new(seed),
    };
    let start = flight.start(environment, body)?;
    flight.path(start)
}

struct Flight {
    pair: Pair,
    /// The centre of the body's bounding box, in its own coordinates.
    own_centre: DVec3,
    options: BounceOptions,
    random: Random,
}

impl Flight {
    /// Finds a random free position.
    fn start(&mut self, environment: &Shape, body: &Shape) -> Result<State, GenerateError> {
        let room = self.options.room;
        for _ in 0..self.options.tries {
            let share = DVec3::from_array([(); 3].map(|()| self.random.unit()));
            let centre = room.min + share * room.size();
            let state = State { centre, rotation: self.random.rotation() };
            if self.is_free(&state)? && is_outside(environment, body, &state.pose(self.own_centre)?)
            {
                return Ok(state);
            }
        }
        let advice = "use a smaller body or a larger margin";
        Err(GenerateError::NoPlace { what: "free start", tries: self.options.tries, advice })
    }

    fn is_free(&mut self, state: &State) -> Result<bool, GenerateError> {
        let pose = state.pose(self.own_centre)?;
        Ok(!self.pair.intersects(&Pose::IDENTITY, &pose))
    }

    fn path(mut self, start: State) -> Result<Vec<Pose>, GenerateError> {
        let BounceOptions { steps, stride, turn, with_contacts, .. } = self.options;
        let mut motion = Motion::new(&mut self.random, stride, turn);
        // The last two free positions.
        let (mut before, mut state) = (start, start);
        let mut poses = vec![state.pose(self.own_centre)?];
        while poses.len() < steps as usize {
            motion.perturb(&mut self.random);
            let mut next = self.step(&mut motion, &state);
            if !self.is_free(&next)? {
                if with_contacts {
                    poses.push(next.pose(self.own_centre)?);
                    if poses.len() == steps as usize {
                        break;
                    }
                }
                (motion, next) = self.turn_around(&motion, &before, &state)?;
            }
            (before, state) = (state, next);
            poses.push(state.pose(self.own_centre)?);
        }
        Ok(poses)
    }

    /// Finds a free way from `state` after a contact: nearly backwards, otherwise in a random direction, otherwise
    /// back to the position before.
    fn turn_around(
        &mut self,
        motion: &Motion,
        before: &State,
        state: &State,
    ) -> Result<(Motion, State), GenerateError> {
        let BounceOptions { stride, turn, .. } = self.options;
        let mut motion = motion.reversed();
        motion.perturb(&mut self.random);
        for _ in 0..DIRECTIONS {
            let next = self.step(&mut motion, state);
            if self.is_free(&next)? {
                return Ok((motion, next));
            }
            motion = Motion::new(&mut self.random, stride, turn);
        }
        Ok((motion, *before))
    }

    /// Moves by one step. A direction that leads out of the room is reflected.
    fn step(&self, motion: &mut Motion, from: &State) -> State {
        let Bounds { min, max } = self.options.room;
        let mut next = motion.advance(from);
        for axis in 0..3 {
            if !(min[axis]..=max[axis]).contains(&next.centre[axis]) {
                motion.direction[axis] = -motion.direction[axis];
            }
        }
        next.centre = motion.advance(from).centre.clamp(min, max);
        next
    }
}

/// Whether neither mesh has a vertex inside the solid of the other, for meshes that do not touch. A mesh that is not
/// closed encloses nothing.
fn is_outside(environment: &Shape, body: &Shape, pose: &Pose) -> bool {
    let is_inside = |shape: &Shape, pose: &Pose, point: DVec3| {
        shape.contains_point(pose, point).is_ok_and(|location| location == PointLocation::Inside)
    };
    let placed: Vec<DVec3> =
        body.mesh().triangles().flatten().map(|corner| pose.place(corner)).collect();
    let bounds = Bounds::enclosing(placed.iter().copied());
    let within = |point: &DVec3| point.cmpge(bounds.min).all() && point.cmple(bounds.max).all();
    let mut near = environment.mesh().triangles().flatten().filter(within);
    !near.any(|point| is_inside(body, pose, point))
        && !placed.iter().any(|&point| is_inside(environment, &Pose::IDENTITY, point))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::check::hash_poses;
    use crate::generate::{bsp_tetrahedra, chair, cuboid, icosphere, merged, scaled_to_cube};
    use crate::{Mesh, Method};

    fn shapes(method: Method) -> [Shape; 2] {
        let body = scaled_to_cube(&chair(), 0.08).unwrap();
        [bsp_tetrahedra(3, 150).unwrap(), body].map(|mesh| Shape::build(method, mesh))
    }

    #[test]
    fn a_flight_bounces_off_obstacles() {
        let mut contacts = 0;
        for seed in 0..6 {
            let [environment, body] = shapes(Method::default());
            let mut options = BounceOptions::for_pair(&environment, &body);
            options.steps = 600;
            let poses = bounce(seed, &environment, &body, options).unwrap();
            assert_eq!(poses.len(), 600);
            let [environment, body] = shapes(Method::BRUTE);
            let mut pair = Pair::new(&environment, &body).unwrap();
            let touches: Vec<bool> =
                poses.iter().map(|pose| pair.intersects(&Pose::IDENTITY, pose)).collect();
            assert!(!touches[0], "seed {seed}: the start is not free");
            let twice = touches.windows(2).position(|pair| pair[0] && pair[1]);
            assert_eq!(twice, None, "seed {seed}: two contacts in a row");
            contacts += touches.iter().filter(|&&touches| touches).count();
            let centre = body.mesh().bounds().center();
            let room = environment.mesh().bounds();
            for (step, pair) in poses.windows(2).enumerate() {
                let [a, b] = [&pair[0], &pair[1]].map(|pose| pose.place(centre));
                // After a contact, the body starts from the position before the contact.
                let most = options.stride * if touches[step] { 2.0 } else { 1.0 };
                assert!((b - a).length() < most + 1e-9, "seed {seed}, step {step}");
                let slack = DVec3::splat(1e-9);
                assert!(b.cmpge(room.min - slack).all() && b.cmple(room.max + slack).all());
            }
            options.with_contacts = false;
            let free = bounce(seed, &environment, &body, options).unwrap();
            assert!(free.iter().all(|pose| !pair.intersects(&Pose::IDENTITY, pose)), "seed {seed}");
        }
        assert!(contacts > 30, "only {contacts} contacts in 3600 steps");
    }

    #[test]
    fn a_start_inside_a_solid_is_not_free() {
        // A ball of radius 1 in a cube, and a tiny body: most places are inside the ball.
        let ball = Shape::new(icosphere(3).unwrap());
        let body = Shape::new(cuboid(DVec3::splat(0.01)).unwrap());
        let mut options = BounceOptions::for_pair(&ball, &body);
        options.steps = 1;
        for seed in 0..50 {
            let start = bounce(seed, &ball, &body, options).unwrap()[0];
            let distance = start.place(DVec3::ZERO).length();
            assert!(distance > 0.97, "seed {seed}: {distance} from the centre of the ball");
        }
        // A shell of size 2 around the only obstacle: places that surround it are not free.
        let dust = Shape::new(cuboid(DVec3::splat(0.001)).unwrap());
        let shell = Shape::new(icosphere(1).unwrap());
        let error = bounce(1, &dust, &shell, BounceOptions::for_pair(&dust, &shell)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no free start was found in 10000 random tries; use a smaller body or a larger margin"
        );
    }

    #[test]
    fn a_confined_body_keeps_flying() {
        // A room that is hardly larger than the body.
        let wall =
            |at: DVec3| (cuboid(DVec3::splat(2.0)).unwrap(), Pose::from_translation(at).unwrap());
        let walls: Vec<(Mesh, Pose)> = [DVec3::X, DVec3::Y, DVec3::Z]
            .into_iter()
            .flat_map(|axis| [wall(axis * 2.12), wall(axis * -2.12)])
            .collect();
        let walls = merged(walls.iter().map(|(mesh, pose)| (mesh, pose))).unwrap();
        let [environment, body] = [walls, cuboid(DVec3::splat(2.0)).unwrap()].map(Shape::new);
        let mut options = BounceOptions::for_pair(&environment, &body);
        options.room = Bounds { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) };
        (options.stride, options.steps, options.tries) = (0.3, 200, 1_000_000);
        let poses = bounce(1, &environment, &body, options).unwrap();
        let mut pair = Pair::new(&environment, &body).unwrap();
        let touches: Vec<bool> =
            poses.iter().map(|pose| pair.intersects(&Pose::IDENTITY, pose)).collect();
        assert!(!touches[0] && !touches.windows(2).any(|pair| pair[0] && pair[1]));
        assert!(touches.iter().filter(|&&touches| touches).count() > 50);
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let [environment, body] = shapes(Method::default());
        let good = BounceOptions::for_pair(&environment, &body);
        let refused = |edit: &dyn Fn(&mut BounceOptions)| {
            let mut options = good;
            edit(&mut options);
            bounce(1, &environment, &body, options).unwrap_err().to_string()
        };
        assert!(refused(&|o| o.steps = 0).starts_with("steps is 0"));
        assert!(refused(&|o| o.tries = 0).starts_with("tries is 0"));
        assert!(refused(&|o| o.stride = f64::NAN).starts_with("stride is NaN"));
        assert!(refused(&|o| o.turn = f64::INFINITY).starts_with("turn is inf"));
        assert!(refused(&|o| o.room = Bounds::EMPTY).starts_with("room's x is -inf"));
        let none = Shape::new(Mesh::default());
        assert!(bounce(1, &none, &body, good).unwrap_err().to_string().starts_with("environment"));
        assert!(bounce(1, &environment, &none, good).unwrap_err().to_string().starts_with("body"));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        let [environment, body] = shapes(Method::default());
        let mut options = BounceOptions::for_pair(&environment, &body);
        options.steps = 300;
        let poses = bounce(1, &environment, &body, options).unwrap();
        assert_eq!(hash_poses(&poses), 0x9490_DE30_A67D_5797);
    }
}
