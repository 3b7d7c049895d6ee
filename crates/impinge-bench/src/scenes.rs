//! The papers' kinds of scenes, made on the spot: two bodies, and where the second stands.

use impinge::generate::{self, PipesOptions};
use impinge::glam::DVec3;
use impinge::{Bounds, Mesh, Pose};
use std::sync::Arc;

/// Two bodies and a path: the first stays, the second is placed by each pose in turn.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What tables call it.
    pub name: String,
    /// The body that stays.
    pub a: Arc<Mesh>,
    /// The body that moves.
    pub b: Arc<Mesh>,
    /// Where it stands. Mostly a small step from one to the next, as in a simulation.
    pub poses: Vec<Pose>,
}

impl Scene {
    /// The heading of its table.
    pub fn heading(&self) -> String {
        let [a, b] = [&self.a, &self.b].map(|mesh| mesh.faces().len());
        format!("### {} ({a} and {b} faces, {} poses)", self.name, self.poses.len())
    }

    /// The same with every n-th pose only, for what is too slow to run on all.
    #[must_use]
    pub fn thinned(mut self, n: usize) -> Self {
        self.poses = self.poses.into_iter().step_by(n).collect();
        self
    }
}

/// Two equal bodies, one of which tumbles at a distance (Zachmann 2002, section 5): of the 5000
/// steps of a turn, five stretches of 40.
pub fn tumbling(distance: f64) -> Scene {
    let body = Arc::new(deformed_torus());
    Scene {
        name: format!("Deformed tori tumbling, {distance} apart"),
        a: body.clone(),
        b: body,
        poses: stretches(&generate::tumble(distance, 5000).expect("a distance")),
    }
}

/// A sphere within another that is hardly larger (Klosowski 1998, parallel close proximity): of
/// the 5000 steps of a turn, five stretches of 40.
pub fn nested(alpha: f64) -> Scene {
    let ball = generate::icosphere(5).expect("few enough");
    Scene {
        name: format!("Nested spheres, radii 1 and 1 − {alpha}"),
        b: scaled(&ball, 1.0 - alpha).into(),
        a: ball.into(),
        poses: stretches(&generate::tumble(0.0, 5000).expect("a distance")),
    }
}

/// A small body that flies through pipes (Klosowski 1998).
pub fn pipes() -> Scene {
    let room = Bounds { min: DVec3::splat(-0.4), max: DVec3::splat(0.4) };
    Scene {
        name: "A flight through pipes".to_owned(),
        a: generate::pipes(1, PipesOptions::default()).expect("the default").into(),
        b: scaled(&deformed_torus(), 0.02).into(),
        poses: generate::billiard(1, room, 0.01, 200).expect("a room"),
    }
}

/// All of them.
pub fn all() -> Vec<Scene> {
    let tumbling = [1.0, 1.6, 2.0].map(tumbling);
    tumbling.into_iter().chain([0.1, 0.01].map(nested)).chain([pipes()]).collect()
}

fn deformed_torus() -> Mesh {
    let torus = generate::deformed_torus(1, [200, 50]).expect("enough segments");
    generate::scaled_to_cube(&torus, 2.0).expect("it has an extent")
}

fn scaled(mesh: &Mesh, factor: f64) -> Mesh {
    let positions = mesh.positions().iter().map(|p| *p * factor).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("smaller than before")
}

/// Five stretches of 40 poses, so that all of a path is seen and steps are as small as they are.
fn stretches(poses: &[Pose]) -> Vec<Pose> {
    poses.chunks(poses.len() / 5).flat_map(|part| part.iter().take(40)).copied().collect()
}
