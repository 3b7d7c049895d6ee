//! Writes pairs of bodies as files, and reads them back as assemblies in millimetres.

use super::body::Body;
use impinge::{
    Mesh,
    glam::{DAffine3, DMat3, DVec3},
};
use impinge_io::{
    Assembly, Format, Model, ModelPart,
    assembly::{LoadOptions, Unit, load, read},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

/// A way to store two parts in a file, or in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Obj,
    /// Two binary files.
    Stl,
    /// In metres, as glTF prescribes.
    GlbMetres,
    /// In millimetres, against the rule, but common.
    GlbMillimetres,
    /// In metres, the parts in nodes that move, scale and mirror.
    GlbNodes,
    Step,
}

impl Storage {
    pub(super) const WITHOUT_STEP: [Self; 5] =
        [Self::Obj, Self::Stl, Self::GlbMetres, Self::GlbMillimetres, Self::GlbNodes];

    /// How far rounding to the precision of the file may move a vertex, with a margin.
    pub(super) fn error(self, bodies: &[Body; 2]) -> f64 {
        let largest = bodies.iter().map(Body::largest_coordinate).fold(0.0, f64::max);
        match self {
            Self::Obj => 4e-16 * largest,
            Self::Step => 1e-14 * largest,
            Self::Stl | Self::GlbMetres | Self::GlbMillimetres => 3e-7 * largest,
            Self::GlbNodes => {
                let size = |body: &Body| {
                    let [min, max] = body.bounds();
                    (max - min).max_element()
                };
                3e-7 * bodies.iter().map(size).fold(0.0, f64::max) + 4e-16 * largest
            }
        }
    }

    /// Writes the bodies and reads them back.
    pub(super) fn assembly(self, bodies: &[Body; 2]) -> Assembly {
        let options = LoadOptions::default().units(Unit::Millimetre);
        match self {
            Self::Obj => {
                let bytes = written(&model(bodies, |_| DAffine3::IDENTITY), Format::Obj);
                read(&bytes, Path::new("pair.obj"), &options)
            }
            Self::Stl => {
                let folder = Folder::new();
                let paths = [0, 1].map(|number| {
                    let body = [bodies[number].clone(), Body::default()];
                    let bytes = written(&model(&body[..1], |_| DAffine3::IDENTITY), Format::Stl);
                    folder.write(["a.stl", "b.stl"][number], &bytes)
                });
                load(paths, &options)
            }
            Self::GlbMetres => {
                let metres = bodies.clone().map(|body| body.map(|p| p * 1e-3));
                let bytes = written(&model(&metres, |_| DAffine3::IDENTITY), Format::Glb);
                read(&bytes, Path::new("pair.glb"), &options)
            }
            Self::GlbMillimetres => {
                let bytes = written(&model(bodies, |_| DAffine3::IDENTITY), Format::Glb);
                let options = options.file_units(Unit::Millimetre);
                read(&bytes, Path::new("pair.glb"), &options)
            }
            Self::GlbNodes => {
                let nodes = [0, 1].map(|number: usize| {
                    let [min, max] = bodies[number].bounds();
                    let scale = [DVec3::new(-2.5e-3, 2.5e-3, 2.5e-3), DVec3::splat(3e-4)][number];
                    DAffine3 {
                        matrix3: DMat3::from_diagonal(scale),
                        translation: 0.5e-3 * (min + max),
                    }
                });
                let local = [0, 1].map(|number: usize| {
                    let inverse = nodes[number].inverse();
                    let body = bodies[number].clone().map(|p| inverse.transform_point3(p * 1e-3));
                    // A node that mirrors turns faces over.
                    if number == 0 { body.inside_out() } else { body }
                });
                let bytes = written(&model(&local, |number| nodes[number]), Format::Glb);
                read(&bytes, Path::new("pair.glb"), &options)
            }
            Self::Step => {
                read(super::step::written(bodies).as_bytes(), Path::new("pair.step"), &options)
            }
        }
        .unwrap_or_else(|error| panic!("{error}"))
    }
}

fn model(bodies: &[Body], transform: impl Fn(usize) -> DAffine3) -> Model {
    let mut model = Model::default();
    for (number, body) in bodies.iter().enumerate() {
        let mesh = Mesh::new(body.positions.clone(), body.faces.clone()).expect("a mesh");
        model.parts.push(ModelPart {
            name: ["a", "b"][number].to_owned(),
            mesh: number,
            faces: std::iter::once(0..mesh.faces().len() as u32).collect(),
            transform: transform(number),
        });
        model.meshes.push(Arc::new(mesh));
    }
    model
}

fn written(model: &Model, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    impinge_io::write(model, format, &mut bytes).expect("memory");
    bytes
}

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        let name = format!("impinge-truth-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
