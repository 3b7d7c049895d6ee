//! The generators of meshes, poses, points and rays, as `impinge generate` and `gen:` names take them.

mod probes;

pub(crate) use probes::{Points, Rays};

use crate::failure::Failure;
use clap::{Subcommand, value_parser};
use impinge::{
    Bounds, Mesh, Pose, Shape as Body,
    generate::{self, HandOptions},
    glam::{DAffine3, DVec2, DVec3},
    scenario::{self, BounceOptions},
};
use impinge_io::{Model, assembly::Unit};
use std::{path::Path as FilePath, sync::Arc};

/// Loads a mesh that an option names: a file, or `gen:NAME`.
pub(crate) type Load<'a> = &'a dyn Fn(&str) -> Result<Mesh, Failure>;

/// A mesh to make.
#[derive(Debug, Subcommand)]
pub(crate) enum Shape {
    /// A unit sphere with an exact number of faces
    Sphere {
        /// Number of faces; must be even and at least 4
        #[arg(long, default_value_t = 960)]
        faces: u32,
    },
    /// A unit sphere of nearly equal triangles, with 20 × 4^subdivisions faces
    Icosphere {
        /// How often each face is split into four
        #[arg(long, default_value_t = 3)]
        subdivisions: u32,
    },
    /// A box of 12 faces
    Cuboid {
        /// Length along x
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        x: f64,
        /// Length along y
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        y: f64,
        /// Length along z
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        z: f64,
    },
    /// A box whose sides are divided into cells, so that it can bend
    Bar {
        /// Length along x
        #[arg(long, default_value_t = 4.0, allow_negative_numbers = true)]
        x: f64,
        /// Length along y
        #[arg(long, default_value_t = 0.4, allow_negative_numbers = true)]
        y: f64,
        /// Length along z
        #[arg(long, default_value_t = 0.2, allow_negative_numbers = true)]
        z: f64,
        /// Cells along x
        #[arg(long, default_value_t = 40)]
        cells: u32,
        /// Cells along y and z
        #[arg(long, default_value_t = 2)]
        across: u32,
    },
    /// A flat rectangle of cells in the plane z = 0, so that it can wave
    Sheet {
        /// Length along x
        #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
        x: f64,
        /// Length along y
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        y: f64,
        /// Cells along x; each cell has two faces
        #[arg(long, default_value_t = 40)]
        columns: u32,
        /// Cells along y
        #[arg(long, default_value_t = 20)]
        rows: u32,
    },
    /// A closed cylinder along z
    Cylinder {
        /// Radius
        #[arg(long, default_value_t = 0.5, allow_negative_numbers = true)]
        radius: f64,
        /// Height
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        height: f64,
        /// Number of sides
        #[arg(long, default_value_t = 32)]
        sides: u32,
    },
    /// A torus around z
    Torus {
        /// Radius of the ring
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        major: f64,
        /// Radius of the tube
        #[arg(long, default_value_t = 0.4, allow_negative_numbers = true)]
        minor: f64,
        /// Maximum number of faces
        #[arg(long, default_value_t = 5000)]
        faces: u32,
    },
    /// A torus with seeded bumps and bends
    DeformedTorus {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Cells around the ring
        #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(3..))]
        around: u32,
        /// Cells around the tube; each cell has two faces
        #[arg(long, default_value_t = 50, value_parser = value_parser!(u32).range(3..))]
        tube: u32,
    },
    /// Interweaving pipes of long thin triangles
    Pipes {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of pipe segments
        #[arg(long, default_value_t = generate::PipesOptions::default().count)]
        count: u32,
        /// Cells of the grid along each axis
        #[arg(long, default_value_t = generate::PipesOptions::default().cells)]
        cells: u32,
        /// Number of sides of a pipe
        #[arg(long, default_value_t = generate::PipesOptions::default().sides)]
        sides: u32,
    },
    /// A terrain of seeded hills over the unit square
    Terrain {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Cells along x
        #[arg(long, default_value_t = 224)]
        columns: u32,
        /// Cells along y
        #[arg(long, default_value_t = 224)]
        rows: u32,
    },
    /// Random tetrahedra in the cells of a random BSP of the unit cube
    Tetrahedra {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of tetrahedra
        #[arg(long, default_value_t = 1000)]
        count: u32,
    },
    /// Scaled copies of meshes in the cells of a random BSP of the unit cube; each copy is a part
    Bsp {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Mesh to copy: a file, or gen:NAME; may be repeated
        #[arg(long, value_name = "MESH", default_values = ["gen:chair", "gen:shuttle"])]
        of: Vec<String>,
        /// Number of copies
        #[arg(long, default_value_t = generate::BspOptions::default().count)]
        count: u32,
        /// Turn each copy at random
        #[arg(long)]
        turned: bool,
    },
    /// A shuttle-like concave body of 528 faces
    Shuttle,
    /// A chair-like body of 146 faces
    Chair,
    /// A spur gear with involute teeth
    Gear {
        /// Number of teeth
        #[arg(long, default_value_t = 24)]
        teeth: u32,
        /// Module: the pitch diameter divided by the number of teeth
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        module: f64,
        /// Width
        #[arg(long, default_value_t = 6.0, allow_negative_numbers = true)]
        width: f64,
        /// Radius of the bore
        #[arg(long, default_value_t = 4.0, allow_negative_numbers = true)]
        bore: f64,
    },
    /// A random convex polytope: the hull of points on an ellipsoid, with 2·points − 4 faces
    Convex {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of corners
        #[arg(long, default_value_t = 40)]
        points: u32,
    },
    /// A torpedo of 4780 faces, along x
    Torpedo,
    /// A bed of rollers, 44920 faces, for the torpedo
    RollerBed,
    /// A hexagon bolt of 164 faces
    Bolt {
        /// Diameter of the shank
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        diameter: f64,
        /// Length of the shank
        #[arg(long, default_value_t = 3.0, allow_negative_numbers = true)]
        length: f64,
    },
    /// A hexagon nut of 120 faces
    Nut {
        /// Diameter of the hole
        #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
        diameter: f64,
    },
    /// Two plates at a right angle with a hole in each: 220 faces
    Bracket {
        /// Length of a side
        #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
        size: f64,
    },
    /// A round bowl with a flat floor, open above
    Bowl {
        /// Radius of the rim; that of the floor is 0.8 of it
        #[arg(long, default_value_t = 10.0, allow_negative_numbers = true)]
        radius: f64,
        /// Height of the rim above the floor
        #[arg(long, default_value_t = 4.0, allow_negative_numbers = true)]
        height: f64,
        /// Thickness of floor and wall
        #[arg(long, default_value_t = 0.5, allow_negative_numbers = true)]
        thickness: f64,
        /// Number of sides; there are 20 faces for each
        #[arg(long, default_value_t = 48)]
        sides: u32,
    },
    /// A small assembly with one clash, one touching pair and one tight clearance, in millimetres
    Gearbox,
    /// A process plant of pipes, flanges and valves, in millimetres: 200 meshes of a thousand faces, at many
    /// places
    Plant {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of parts
        #[arg(long, default_value_t = 10_000)]
        parts: u32,
    },
}

impl Shape {
    /// The unit of the coordinates; `None` for shapes of arbitrary size.
    pub(crate) fn units(&self) -> Option<Unit> {
        matches!(self, Self::Gearbox | Self::Plant { .. }).then_some(Unit::Millimetre)
    }

    /// Makes the shape. `load` loads the meshes that it is made of.
    pub(crate) fn model(&self, load: Load<'_>) -> Result<Model, Failure> {
        let (name, mesh) = match *self {
            Self::Sphere { faces } => ("sphere", generate::sphere(faces)),
            Self::Icosphere { subdivisions } => ("icosphere", generate::icosphere(subdivisions)),
            Self::Cuboid { x, y, z } => ("cuboid", generate::cuboid(DVec3::new(x, y, z))),
            Self::Bar { x, y, z, cells, across } => {
                ("bar", generate::bar(DVec3::new(x, y, z), [cells, across, across]))
            }
            Self::Sheet { x, y, columns, rows } => {
                ("sheet", generate::terrain(columns, rows, DVec2::new(x, y), |_, _| 0.0))
            }
            Self::Cylinder { radius, height, sides } => {
                ("cylinder", generate::cylinder(radius, height, sides))
            }
            Self::Torus { major, minor, faces } => {
                let segments = generate::torus_segments(major, minor, faces);
                ("torus", segments.and_then(|segments| generate::torus(major, minor, segments)))
            }
            Self::DeformedTorus { seed, around, tube } => {
                ("deformed torus", generate::deformed_torus(seed, [around, tube]))
            }
            Self::Pipes { seed, count, cells, sides } => {
                let options = generate::PipesOptions { count, cells, sides };
                ("pipes", generate::pipes(seed, options))
            }
            Self::Terrain { seed, columns, rows } => {
                let height = generate::terrain_height(seed);
                ("terrain", generate::terrain(columns, rows, DVec2::ONE, height))
            }
            Self::Tetrahedra { seed, count } => {
                ("tetrahedra", generate::bsp_tetrahedra(seed, count))
            }
            Self::Bsp { seed, ref of, count, turned } => {
                let options = generate::BspOptions::default().count(count).turned(turned);
                return bsp(seed, of, options, load);
            }
            Self::Shuttle => ("shuttle", Ok(generate::shuttle())),
            Self::Chair => ("chair", Ok(generate::chair())),
            Self::Gear { teeth, module, width, bore } => {
                ("gear", generate::gear(teeth, module, width, bore))
            }
            Self::Convex { seed, points } => ("convex", generate::convex_body(seed, points)),
            Self::Torpedo => ("torpedo", Ok(generate::torpedo())),
            Self::RollerBed => ("roller bed", Ok(generate::roller_bed())),
            Self::Bolt { diameter, length } => ("bolt", generate::bolt(diameter, length)),
            Self::Nut { diameter } => ("nut", generate::nut(diameter)),
            Self::Bracket { size } => ("bracket", generate::bracket(size)),
            Self::Bowl { radius, height, thickness, sides } => {
                ("bowl", generate::bowl(radius, height, thickness, sides))
            }
            Self::Gearbox => return Ok(assembly(generate::gearbox())),
            Self::Plant { seed, parts } => {
                return Ok(plant(generate::plant(seed, parts).map_err(Failure::input)?));
            }
        };
        Ok(Model::from_mesh(name, mesh.map_err(Failure::input)?))
    }
}

/// Returns parts as a model; equal meshes are stored once.
fn assembly(parts: Vec<(String, Mesh, Pose)>) -> Model {
    let mut model = Model::default();
    for (name, mesh, pose) in parts {
        let known = model.meshes.iter().position(|known| **known == mesh);
        let mut single = Model::from_mesh(name, mesh);
        for mut part in single.parts {
            part.transform = DAffine3 { matrix3: pose.rotation(), translation: pose.translation() };
            part.mesh = known.unwrap_or(model.meshes.len());
            model.parts.push(part);
        }
        if known.is_none() {
            model.meshes.append(&mut single.meshes);
        }
    }
    model
}

/// The copies of a BSP scene as a model, each with the name of its source and a number.
fn bsp(
    seed: u64,
    of: &[String],
    options: generate::BspOptions,
    load: Load<'_>,
) -> Result<Model, Failure> {
    let meshes = of.iter().map(|source| load(source)).collect::<Result<Vec<Mesh>, _>>()?;
    let copies = generate::bsp_copies(seed, &meshes, options).map_err(Failure::input)?;
    let mut model = Model::default();
    for (number, copy) in copies.into_iter().enumerate() {
        let source = &*of[copy.source];
        let stem = match source.strip_prefix("gen:") {
            Some(generator) => generator.split(',').next().unwrap_or_default().into(),
            None => FilePath::new(source).file_stem().unwrap_or_default().to_string_lossy(),
        };
        let mut single = Model::from_mesh(format!("{stem} {}", number + 1), copy.mesh);
        single.parts.iter_mut().for_each(|part| part.mesh = number);
        model.parts.append(&mut single.parts);
        model.meshes.append(&mut single.meshes);
    }
    Ok(model)
}

/// A plant as a model.
fn plant(plant: generate::Plant) -> Model {
    let meshes: Vec<Arc<Mesh>> = plant.meshes.into_iter().map(Arc::new).collect();
    let part = |part: generate::PlantPart| {
        let (matrix3, translation) = (part.pose.rotation(), part.pose.translation());
        let whole = 0..meshes[part.mesh].faces().len() as u32;
        let transform = DAffine3 { matrix3, translation };
        impinge_io::ModelPart { name: part.name, mesh: part.mesh, faces: vec![whole], transform }
    };
    let mut model = Model { parts: plant.parts.into_iter().map(part).collect(), meshes };
    // A small plant does not use all of its meshes; unused meshes are left out of the model.
    let mut number_of = vec![usize::MAX; model.meshes.len()];
    let mut shown = Vec::new();
    for part in &mut model.parts {
        let number = &mut number_of[part.mesh];
        if *number == usize::MAX {
            *number = shown.len();
            shown.push(Arc::clone(&model.meshes[part.mesh]));
        }
        part.mesh = *number;
    }
    model.meshes = shown;
    model
}

/// Poses to make.
#[derive(Debug, Subcommand)]
pub(crate) enum Path {
    /// One full turn about z and one about x, at a fixed distance
    Tumble {
        /// Distance between the centres, along x
        #[arg(long, default_value_t = 1.5, allow_negative_numbers = true)]
        distance: f64,
        /// Number of poses
        #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..))]
        steps: u32,
    },
    /// A flight that bounces off the walls of a room while it turns slowly
    Billiard {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The room reaches from −size/2 to size/2 along each axis
        #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
        size: f64,
        /// Distance between consecutive poses
        #[arg(long, default_value_t = 0.01, allow_negative_numbers = true)]
        stride: f64,
        /// Number of poses
        #[arg(long, default_value_t = 1000, value_parser = value_parser!(u32).range(1..))]
        steps: u32,
    },
    /// An object that a hand moves to random targets, with tremor and sudden changes of direction
    Hand {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Targets are from −size/2 to size/2 along each axis
        #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
        size: f64,
        /// Amplitude of the tremor, a length
        #[arg(long, default_value_t = 0.002, allow_negative_numbers = true)]
        tremor: f64,
        /// Share of movements that are broken off, from 0 to 1
        #[arg(long, default_value_t = 0.3, allow_negative_numbers = true)]
        changes: f64,
        /// Number of poses
        #[arg(long, default_value_t = 1000, value_parser = value_parser!(u32).range(1..))]
        steps: u32,
    },
    /// A flight that bounces off the obstacles of an environment, from a random free start
    Bounce {
        /// Mesh of the obstacles: a file, or gen:NAME. As the poses of a query or scenario, by default mesh A
        #[arg(long, value_name = "MESH")]
        environment: Option<String>,
        /// Mesh of the moving body: a file, or gen:NAME. As the poses of a query or scenario, by default mesh B
        #[arg(long, value_name = "MESH")]
        body: Option<String>,
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Distance between consecutive poses [default: 0.05 of the longest side of the body]
        #[arg(long, allow_negative_numbers = true)]
        stride: Option<f64>,
        /// Rotation between consecutive poses, in degrees
        #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
        turn: f64,
        /// How far the centre of the body may leave the bounding box of the obstacles
        #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
        margin: f64,
        /// Number of random places that are tested for the start
        #[arg(long, default_value_t = 10_000, value_parser = value_parser!(u32).range(1..))]
        tries: u32,
        /// Leave out the poses at which the body touches an obstacle
        #[arg(long)]
        free: bool,
        /// Number of poses
        #[arg(long, default_value_t = 1000, value_parser = value_parser!(u32).range(1..))]
        steps: u32,
    },
    /// Random rotations about the origin
    Rotations {
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Number of poses
        #[arg(long, default_value_t = 50, value_parser = value_parser!(u32).range(1..))]
        steps: u32,
    },
    /// A figure of eight over the terrain with the same seed
    TerrainFlight {
        /// Seed of the terrain
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Height above the ground
        #[arg(long, default_value_t = 0.02, allow_negative_numbers = true)]
        clearance: f64,
        /// Number of poses
        #[arg(long, default_value_t = 1000, value_parser = value_parser!(u32).range(1..))]
        steps: u32,
    },
}

/// A cube about the origin.
fn cube(size: f64) -> Bounds {
    let corner = DVec3::splat(size / 2.0);
    Bounds { min: -corner, max: corner }
}

impl Path {
    /// Makes the poses. `pair` are the meshes A and B, if the poses are for a query or a scenario; `load` loads
    /// other meshes that the poses depend on.
    pub(crate) fn poses(
        &self,
        pair: Option<[&Mesh; 2]>,
        load: Load<'_>,
    ) -> Result<Vec<Pose>, Failure> {
        let poses = match *self {
            Self::Tumble { distance, steps } => generate::tumble(distance, steps),
            Self::Billiard { seed, size, stride, steps } => {
                generate::billiard(seed, cube(size), stride, steps)
            }
            Self::Hand { seed, size, tremor, changes, steps } => {
                let options = HandOptions::default().room(cube(size));
                generate::hand_path(seed, &options.tremor(tremor).changes(changes), steps)
            }
            Self::Bounce {
                ref environment,
                ref body,
                seed,
                stride,
                turn,
                margin,
                tries,
                free,
                steps,
            } => {
                let mesh =
                    |option: &str, source: &Option<String>, place: usize| match (source, pair) {
                        (Some(source), _) => load(source),
                        (None, Some(pair)) => Ok(pair[place].clone()),
                        (None, None) => Err(Failure::input(format!(
                            "no {option}: name the mesh with --{option} MESH"
                        ))),
                    };
                let environment = Body::new(mesh("environment", environment, 0)?);
                let body = Body::new(mesh("body", body, 1)?);
                let mut options = BounceOptions::for_pair(&environment, &body);
                options.stride = stride.unwrap_or(options.stride);
                options.room.min -= margin;
                options.room.max += margin;
                if options.room.is_empty() {
                    let size = environment.mesh().bounds().size().to_array();
                    return Err(Failure::input(format!(
                        "--margin {margin} leaves no room: the environment has the size {size:?}"
                    )));
                }
                (options.turn, options.tries, options.steps) = (turn, tries, steps);
                options.with_contacts = !free;
                scenario::bounce(seed, &environment, &body, options)
            }
            Self::Rotations { seed, steps } => Ok(generate::random_rotations(seed, steps)),
            Self::TerrainFlight { seed, clearance, steps } => {
                let height = generate::terrain_height(seed);
                generate::terrain_flight(DVec2::ONE, clearance, steps, height)
            }
        };
        poses.map_err(Failure::input)
    }
}
