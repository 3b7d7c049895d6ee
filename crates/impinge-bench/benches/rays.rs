//! Rays and points against one mesh, by two trees, by no tree and by parry3d: `cargo bench -p impinge-bench --bench rays`
//!
//! Meshes, rays and points have coordinates that single precision holds exactly, so that parry3d, which computes in
//! it, is asked the same. All take turns. Answers must be the same, but for those that single precision cannot tell:
//! at most one in a thousand, and none of ours that the exact test on all faces would contradict.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

use impinge::generate::{self, Random};
use impinge::glam::{DVec3, Vec3};
use impinge::narrow::ray_hit;
use impinge::{Mesh, Method, PointLocation, Pose, Ray, Shape, Threads};
use impinge_bench::{Contender, race};
use parry3d::query::{PointQuery, Ray as ParryRay, RayCast};
use parry3d::shape::{TriMesh, TriMeshFlags};
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: usize = 15;
const RAYS: usize = 4096;
/// Rays that are compared with the exact test on all faces.
const CHECKED: usize = 48;
const STILL: Pose = Pose::IDENTITY;

fn main() {
    println!("\n### First hit of a ray, ns a ray\n");
    println!(
        "| mesh | faces | rays | hits | parry hits | wide | batch, one thread | boxtree | brute | parry3d | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, mesh) in meshes() {
        let subject = Subject::new(mesh);
        for (kind, rays) in subject.rays() {
            subject.first_hits(name, kind, &rays);
        }
    }
    println!("\n### Nearest point of the surface, ns a point\n");
    println!("| mesh | faces | points | wide | boxtree | brute | parry3d | ratio |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, mesh) in meshes() {
        let subject = Subject::new(mesh);
        for (kind, reach) in [("near", 0.05), ("far", 2.0)] {
            subject.nearest(name, kind, reach);
        }
    }
    println!("\n### Inside or outside, ns a point\n");
    println!(
        "| mesh | faces | inside | parry says inside | wide | boxtree | parry3d, pseudo-normals | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, mesh) in meshes() {
        if mesh.check_solid().is_ok() {
            Subject::new(mesh).inside(name);
        }
    }
}

fn meshes() -> Vec<(&'static str, Mesh)> {
    let terrain =
        generate::terrain(224, 224, DVec3::splat(4.0).truncate(), generate::terrain_height(1));
    [
        ("sphere", generate::sphere(960)),
        ("sphere", generate::sphere(100_000)),
        ("torus", generate::torus(2.0, 1.0, [400, 125])),
        ("deformed torus", generate::deformed_torus(1, [400, 125])),
        ("terrain", terrain),
        ("tetrahedra", generate::bsp_tetrahedra(1, 25_000)),
    ]
    .map(|(name, mesh)| (name, narrowed(&mesh.expect("good parameters"))))
    .to_vec()
}

/// What single precision holds of a mesh of about unit size.
fn narrowed(mesh: &Mesh) -> Mesh {
    let mesh = generate::scaled_to_cube(mesh, 2.0).expect("it has an extent");
    let positions = mesh.positions().iter().map(|p| p.as_vec3().as_dvec3()).collect();
    Mesh::new(positions, mesh.faces().to_vec()).expect("still a mesh")
}

struct Subject {
    shape: Shape,
    boxtree: Shape,
    brute: Shape,
    parry: TriMesh,
    center: DVec3,
}

impl Subject {
    fn new(mesh: Mesh) -> Self {
        let positions: Vec<Vec3> = mesh.positions().iter().map(|p| p.as_vec3()).collect();
        let parry = TriMesh::new(positions, mesh.faces().to_vec()).expect("a mesh");
        let center = mesh.bounds().center();
        let mesh = Arc::new(mesh);
        let with = |method| Shape::with_method(method, mesh.clone());
        let [shape, boxtree, brute] = [Method::WIDE, Method::BOXTREE, Method::BRUTE].map(with);
        Self { shape, boxtree, brute, parry, center }
    }

    fn faces(&self) -> usize {
        self.shape.mesh().faces().len()
    }

    /// Rays from around the mesh through it, and from points within its box in all directions.
    fn rays(&self) -> [(&'static str, Vec<Ray>); 2] {
        let mut random = Random::new(1);
        let narrow = |v: DVec3| v.as_vec3().as_dvec3();
        let ray = |origin, direction| Ray::new(narrow(origin), narrow(direction)).expect("a ray");
        let mut inside = || DVec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0)));
        let through: Vec<Ray> = (0..RAYS)
            .map(|_| {
                let (from, target) = (inside().normalize() * 4.0, inside() * 0.8);
                ray(self.center + from, (target - from).normalize())
            })
            .collect();
        let within: Vec<Ray> =
            (0..RAYS).map(|_| ray(self.center + inside() * 0.8, inside().normalize())).collect();
        [("from outside", through), ("from within its box", within)]
    }

    fn first_hits(&self, name: &str, kind: &str, rays: &[Ray]) {
        let parry_rays: Vec<ParryRay> = rays
            .iter()
            .map(|ray| ParryRay::new(ray.origin().as_vec3(), ray.direction().as_vec3()))
            .collect();
        let parry_hit = |ray: &ParryRay| self.parry.cast_local_ray(ray, f32::MAX, true);
        let found = self.shape.cast_rays(&STILL, rays, Threads::One);
        for (ray, found) in rays.iter().zip(&found).take(CHECKED) {
            let all = self.shape.mesh().triangles().filter_map(|t| ray_hit(ray, &t));
            let first = all.min_by(f64::total_cmp);
            assert_eq!(found.map(|hit| hit.t), first, "{name}, {kind}: {ray:?}");
        }
        assert_eq!(self.boxtree.cast_rays(&STILL, rays, Threads::One), found, "{name}, {kind}");
        let differ =
            found.iter().zip(&parry_rays).filter(|(found, ray)| match (found, parry_hit(ray)) {
                (Some(hit), Some(t)) => (hit.t - f64::from(t)).abs() > 1e-4,
                (None, None) => false,
                _ => true,
            });
        let differ = differ.count();
        assert!(differ * 1000 <= RAYS, "{name}, {kind}: {differ} answers differ");
        let outcomes = race(
            ROUNDS,
            &mut [
                Contender {
                    name: "wide",
                    run: Box::new(|| {
                        rays.iter().filter(|ray| self.shape.cast_ray(&STILL, ray).is_some()).count()
                    }),
                },
                Contender {
                    name: "batch",
                    run: Box::new(|| {
                        let hits = self.shape.cast_rays(&STILL, rays, Threads::One);
                        hits.iter().flatten().count()
                    }),
                },
                Contender {
                    name: "parry3d",
                    run: Box::new(|| {
                        parry_rays.iter().filter(|ray| parry_hit(ray).is_some()).count()
                    }),
                },
                Contender {
                    name: "boxtree",
                    run: Box::new(|| {
                        let hit = |ray: &&Ray| self.boxtree.cast_ray(&STILL, ray).is_some();
                        rays.iter().filter(hit).count()
                    }),
                },
            ],
        );
        let brute = few(rays, |ray| self.brute.cast_ray(&STILL, ray).is_some());
        let [wide, batch, parry, boxtree] = [0, 1, 2, 3].map(|i| each(outcomes[i].best));
        println!(
            "| {name} | {} | {kind} | {} | {} | {wide:.0} | {batch:.0} | {boxtree:.0} | {brute:.0} | {parry:.0} | {:.2} |",
            self.faces(),
            outcomes[0].count,
            outcomes[2].count,
            parry / wide
        );
    }

    /// Points that are up to so far beside the surface.
    fn nearest(&self, name: &str, kind: &str, reach: f64) {
        let mut random = Random::new(2);
        let mesh = self.shape.mesh();
        let points: Vec<Vec3> = (0..RAYS)
            .map(|_| {
                let face = random.below(mesh.faces().len() as u64) as u32;
                (mesh.triangle(face)[0] + random.direction() * random.range(0.0, reach)).as_vec3()
            })
            .collect();
        let ours = |p: &Vec3| self.shape.nearest_point(&STILL, p.as_dvec3());
        let parry = |p: &Vec3| self.parry.project_local_point(*p, false).point;
        for point in &points {
            let found = ours(point);
            assert_eq!(self.boxtree.nearest_point(&STILL, point.as_dvec3()), found, "{name}");
            let ours = found.expect("faces").distance;
            let theirs = f64::from(parry(point).distance(*point));
            assert!((ours - theirs).abs() <= 1e-5, "{name}, {kind}: {ours} and {theirs}");
        }
        let outcomes = race(
            ROUNDS,
            &mut [
                Contender {
                    name: "wide",
                    run: Box::new(|| points.iter().filter(|p| ours(p).is_some()).count()),
                },
                Contender {
                    name: "parry3d",
                    run: Box::new(|| points.iter().filter(|p| parry(p).is_finite()).count()),
                },
                Contender {
                    name: "boxtree",
                    run: Box::new(|| {
                        let near = |p: &&Vec3| self.boxtree.nearest_point(&STILL, p.as_dvec3());
                        points.iter().filter(|p| near(p).is_some()).count()
                    }),
                },
            ],
        );
        let brute = few(&points, |p| self.brute.nearest_point(&STILL, p.as_dvec3()).is_some());
        let [wide, parry, boxtree] = [0, 1, 2].map(|i| each(outcomes[i].best));
        println!(
            "| {name} | {} | {kind} | {wide:.0} | {boxtree:.0} | {brute:.0} | {parry:.0} | {:.2} |",
            self.faces(),
            parry / wide
        );
    }

    fn inside(&self, name: &str) {
        let mut random = Random::new(3);
        let points: Vec<Vec3> = (0..RAYS)
            .map(|_| {
                let offset = DVec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0)));
                (self.center + offset).as_vec3()
            })
            .collect();
        let mut parry = self.parry.clone();
        // Pseudo-normals need a manifold; where there is none, parry has no answer.
        let is_told = parry.set_flags(TriMeshFlags::ORIENTED).is_ok();
        let is_inside = |shape: &Shape, p: &Vec3| {
            shape.contains_point(&STILL, p.as_dvec3()) == Ok(PointLocation::Inside)
        };
        let ours = |p: &&Vec3| is_inside(&self.shape, p);
        let boxtrees = |p: &&Vec3| is_inside(&self.boxtree, p);
        assert!(points.iter().all(|p| ours(&p) == boxtrees(&p)), "{name}");
        let theirs = |p: &&Vec3| parry.contains_local_point(**p);
        let outcomes = race(
            ROUNDS,
            &mut [
                Contender { name: "wide", run: Box::new(|| points.iter().filter(ours).count()) },
                Contender {
                    name: "parry3d",
                    run: Box::new(|| points.iter().filter(theirs).count()),
                },
                Contender {
                    name: "boxtree",
                    run: Box::new(|| points.iter().filter(boxtrees).count()),
                },
            ],
        );
        let differ = points.iter().filter(|p| ours(p) != theirs(p)).count();
        let [wide, parry, boxtree] = [0, 1, 2].map(|i| each(outcomes[i].best));
        let theirs = if is_told { outcomes[1].count.to_string() } else { "-".to_owned() };
        println!(
            "| {name} | {} | {} | {theirs} ({differ} differ) | {wide:.0} | {boxtree:.0} | {parry:.0} | {:.2} |",
            self.faces(),
            outcomes[0].count,
            parry / wide
        );
    }
}

/// Nanoseconds for one of many.
fn each(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e9 / RAYS as f64
}

/// Nanoseconds for one of a few, for a method that is too slow for all of them.
fn few<T>(items: &[T], mut ask: impl FnMut(&T) -> bool) -> f64 {
    const FEW: usize = 16;
    let start = Instant::now();
    let answers = items[..FEW].iter().filter(|item| ask(item)).count();
    let time = start.elapsed().as_secs_f64();
    std::hint::black_box(answers);
    time * 1e9 / FEW as f64
}
