//! The kinds of scenes that the papers use, generated: two bodies, and the poses of the second.

use impinge::generate::{self, PipesOptions};
use impinge::glam::DVec3;
use impinge::{Bounds, Mesh, Method, Pose};
use std::sync::Arc;

/// Two bodies and a path: the first stays in place, each pose places the second.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name in tables.
    pub name: String,
    /// The body that stays in place.
    pub a: Arc<Mesh>,
    /// The body that moves.
    pub b: Arc<Mesh>,
    /// The poses of the moving body, mostly a small step apart, as in a simulation.
    pub poses: Vec<Pose>,
}

impl Scene {
    /// Returns the heading of the table.
    pub fn heading(&self) -> String {
        let [a, b] = [&self.a, &self.b].map(|mesh| mesh.faces().len());
        format!("### {} ({a} and {b} faces, {} poses)", self.name, self.poses.len())
    }

    /// Returns the scene with every n-th pose only, for methods that are too slow for all.
    #[must_use]
    pub fn thinned(mut self, n: usize) -> Self {
        self.poses = self.poses.into_iter().step_by(n).collect();
        self
    }

    /// Returns the scene with its first n poses only, which are small steps apart.
    #[must_use]
    pub fn shortened(mut self, n: usize) -> Self {
        self.poses.truncate(n);
        self
    }
}

/// Two equal bodies, one of which tumbles at a distance (Zachmann 2002, section 5): five runs of 40 steps out of
/// the 5000 steps of a turn.
pub fn tumbling(distance: f64) -> Scene {
    let body = Arc::new(deformed_torus());
    Scene {
        name: format!("Deformed tori tumbling, {distance} apart"),
        a: body.clone(),
        b: body,
        poses: stretches(&generate::tumble(distance, 5000).expect("a distance")),
    }
}

/// A sphere inside another that is slightly larger (Klosowski 1998, parallel close proximity): five runs of 40
/// steps out of the 5000 steps of a turn.
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

/// Returns all scenes.
pub fn all() -> Vec<Scene> {
    let tumbling = [1.0, 1.6, 2.0].map(tumbling);
    tumbling.into_iter().chain([0.1, 0.01].map(nested)).chain([pipes()]).collect()
}

/// Returns the scenes and methods that the arguments of the program name. Words that are not methods select scenes
/// whose names contain one of them; without such words, all scenes are selected.
pub fn selected() -> (Vec<Scene>, Vec<Method>) {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let methods: Vec<Method> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let names: Vec<&String> = words.iter().filter(|it| it.parse::<Method>().is_err()).collect();
    let is_wanted = |scene: &Scene| {
        names.is_empty() || names.iter().any(|word| scene.name.contains(word.as_str()))
    };
    (all().into_iter().filter(is_wanted).collect(), methods)
}

fn deformed_torus() -> Mesh {
    let torus = generate::deformed_torus(1, [200, 50]).expect("enough segments");
    generate::scaled_to_cube(&torus, 2.0).expect("it has an extent")
}

fn scaled(mesh: &Mesh, factor: f64) -> Mesh {
    let positions = mesh.positions().iter().map(|p| *p * factor).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("smaller than before")
}

/// Returns five runs of 40 consecutive poses: they cover the whole path and keep the small steps.
fn stretches(poses: &[Pose]) -> Vec<Pose> {
    poses.chunks(poses.len() / 5).flat_map(|part| part.iter().take(40)).copied().collect()
}
