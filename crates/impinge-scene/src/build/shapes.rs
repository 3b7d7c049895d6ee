//! Reads and prepares the meshes of bodies: one mesh, a mesh with a built-in deformation, or a sequence of meshes.
//! The builder calls it for each entry of a scene.

use super::{Builder, Way, prepared};
use crate::{
    deform::{Built, Deformation, Frames},
    document::{Axis, Deform, DeformKind, Entry, RunEntry, Sequence},
    error::Error,
};
use impinge::{Mesh, Shape, generate};
use std::{fmt::Display, sync::Arc};
use toml::Spanned;

impl Builder<'_> {
    /// Returns the prepared mesh of an entry, and how it deforms, if it does.
    pub(super) fn deforming_shape(
        &mut self,
        name: &str,
        spanned: &Spanned<Entry>,
        run: &RunEntry,
        way: Way,
    ) -> Result<(Shape, Option<Arc<Deformation>>), Error> {
        let (entry, at) = (spanned.get_ref(), spanned.span());
        let only_one =
            |keys: &str| self.fault(&at, format!("body {name}: give only one of {keys}"));
        match (&entry.mesh, &entry.sequence, &entry.deform) {
            (_, Some(_), Some(_)) => Err(only_one("`sequence` and `deform`")),
            (Some(_), Some(_), None) => Err(only_one("`mesh` and `sequence`")),
            (None, None, _) => {
                let message = format!(
                    "body {name}: `mesh` is missing: a file, or gen:NAME; or give `sequence`"
                );
                Err(self.fault(&at, message))
            }
            (None, Some(sequence), None) => self.sequence(entry, sequence.get_ref(), way),
            (Some(mesh), None, None) => {
                Ok((self.shape(entry, run.mesh.as_ref().unwrap_or(mesh), way)?, None))
            }
            (Some(mesh), None, Some(deform)) => {
                let shape = self.shape(entry, run.mesh.as_ref().unwrap_or(mesh), way)?;
                let built = self.built_deformation(deform, &shape)?;
                Ok((shape, Some(Arc::new(Deformation::Built(built)))))
            }
        }
    }

    /// Returns a built-in deformation of a shape.
    fn built_deformation(&self, spanned: &Spanned<Deform>, shape: &Shape) -> Result<Built, Error> {
        let deform = spanned.get_ref();
        let bounds = shape.mesh().bounds();
        let axes = Axis::by_length(bounds.size());
        let along = deform.along.unwrap_or(axes[0]);
        let shortest = if along == axes[2] { axes[1] } else { axes[2] };
        let toward = deform.toward.unwrap_or(shortest);
        if along == toward {
            let message = "`deform`: `along` and `toward` must be different axes";
            return Err(self.fault(&spanned.span(), message));
        }
        let is_flag = deform.kind == DeformKind::Flag;
        let foreign = [
            ("degrees", deform.degrees.as_ref(), is_flag),
            ("amplitude", deform.amplitude.as_ref(), !is_flag),
            ("waves", deform.waves.as_ref(), !is_flag),
        ];
        if let Some((key, Some(value), _)) =
            foreign.into_iter().find(|(_, value, is_foreign)| value.is_some() && *is_foreign)
        {
            let message = format!(
                "`deform`: `{key}` has no meaning for this kind; bend and twist take `degrees`, \
                         flag takes `amplitude` and `waves`"
            );
            return Err(self.fault(&value.span(), message));
        }
        let number = |key, value: Option<&Spanned<f64>>, default: f64| {
            value.map_or(Ok(default), |value| self.text.number(key, value, true))
        };
        let length = bounds.size()[along.index()].max(0.0);
        Ok(Built {
            kind: deform.kind,
            bounds,
            along,
            toward,
            angle: number("degrees", deform.degrees.as_ref(), 90.0)?.to_radians(),
            amplitude: number("amplitude", deform.amplitude.as_ref(), 0.1 * length)?,
            waves: number("waves", deform.waves.as_ref(), 1.5)?,
            period: number("period", deform.period.as_ref(), 100.0)?,
        })
    }

    /// Returns the first mesh of a sequence, prepared, and the positions of all.
    fn sequence(
        &mut self,
        entry: &Entry,
        sequence: &Sequence,
        way: Way,
    ) -> Result<(Shape, Option<Arc<Deformation>>), Error> {
        if let Some(size) = &entry.size {
            let message = "`size`: cannot be given with `sequence`; use `scale`";
            return Err(self.fault(&size.span(), message));
        }
        let scale = match &entry.scale {
            None => 1.0,
            Some(scale) => self.text.number("scale", scale, true)?,
        };
        let every = match &sequence.every {
            None => 1,
            Some(every) if *every.get_ref() > 0 => *every.get_ref(),
            Some(every) => return Err(self.fault(&every.span(), "`every`: 0; must be at least 1")),
        };
        let meshes = self.frames(&sequence.files, scale)?;
        let key = (self.text.source(sequence.files.get_ref()), [scale.to_bits(), 1], way);
        let shape = match self.shapes.get(&key) {
            Some(shape) => shape.clone(),
            None => {
                let shape = self.prepared(&key.0, way, &meshes[0]);
                self.shapes.insert(key, shape.clone());
                shape
            }
        };
        let positions = meshes.iter().map(|mesh| mesh.positions().to_vec()).collect();
        let Sequence { interpolate, end, .. } = *sequence;
        let frames = Frames { positions, every, interpolate, end };
        Ok((shape, Some(Arc::new(Deformation::Sequence(frames)))))
    }

    /// Returns the meshes of a sequence, which have the same faces.
    fn frames(&mut self, files: &Spanned<String>, scale: f64) -> Result<Arc<[Arc<Mesh>]>, Error> {
        let source = self.text.source(files.get_ref());
        let key = (source, scale.to_bits());
        if let Some(meshes) = self.sequences.get(&key) {
            return Ok(meshes.clone());
        }
        let about = |error: &dyn Display| self.fault(&files.span(), format!("`sequence`: {error}"));
        let names = self.sources.frames(&key.0).map_err(|error| about(&error))?;
        let mut meshes: Vec<Arc<Mesh>> = Vec::new();
        for name in &names {
            let mesh = self.sources.mesh(name).map_err(|error| about(&error))?;
            let mesh = scaled(mesh, [scale, 0.0]).map_err(|error| about(&error))?;
            if let Some(first) = meshes.first() {
                check_frame((names[0].as_str(), first), (name.as_str(), &mesh))
                    .map_err(|error| about(&error))?;
            }
            meshes.push(Arc::new(mesh));
        }
        let meshes: Arc<[Arc<Mesh>]> = meshes.into();
        self.sequences.insert(key, meshes.clone());
        Ok(meshes)
    }

    /// Returns the prepared mesh of an entry. Equal meshes are prepared once.
    fn shape(&mut self, entry: &Entry, named: &Spanned<String>, way: Way) -> Result<Shape, Error> {
        let source = self.text.source(named.get_ref());
        let scale = match (&entry.scale, &entry.size) {
            (None, None) => [1.0, 0.0],
            (Some(scale), None) => [self.text.number("scale", scale, true)?, 0.0],
            (None, Some(size)) => [0.0, self.text.number("size", size, true)?],
            (Some(scale), Some(_)) => {
                let message = "`scale` and `size`: give only one of them";
                return Err(self.fault(&scale.span(), message));
            }
        };
        let key = (source.clone(), scale.map(f64::to_bits));
        if let Some(shape) = self.shapes.get(&(key.0.clone(), key.1, way)) {
            return Ok(shape.clone());
        }
        let about = |error: &dyn Display| self.fault(&named.span(), format!("`mesh`: {error}"));
        let mesh = match self.meshes.get(&key) {
            Some(mesh) => mesh.clone(),
            None => {
                let mesh = self.sources.mesh(&source).map_err(|error| about(&error))?;
                let mesh = scaled(mesh, scale).map_err(|error| about(&error))?;
                let mesh = Arc::new(mesh);
                self.meshes.insert(key.clone(), mesh.clone());
                mesh
            }
        };
        let shape = self.prepared(&source, way, &mesh);
        self.shapes.insert((key.0, key.1, way), shape.clone());
        Ok(shape)
    }

    /// Prepares a mesh, and shows that it does.
    fn prepared(&self, source: &str, way: Way, mesh: &Arc<Mesh>) -> Shape {
        let mut shape = None;
        self.sources.during(&format!("preparing {source}"), &mut || {
            shape.get_or_insert_with(|| prepared(way, mesh.clone()));
        });
        shape.unwrap_or_else(|| prepared(way, mesh.clone()))
    }
}

/// Fails unless a frame of a sequence has the same vertices and faces as the first one, each with its name.
fn check_frame((first, mesh): (&str, &Mesh), (name, frame): (&str, &Mesh)) -> Result<(), String> {
    let counts = [
        ("vertices", mesh.positions().len(), frame.positions().len()),
        ("faces", mesh.faces().len(), frame.faces().len()),
    ];
    let other_count = counts.into_iter().find(|(_, expected, found)| expected != found);
    let problem = match other_count {
        Some((what, expected, found)) => format!("has {found} {what}, but {first} has {expected}"),
        None => match mesh.faces().iter().zip(frame.faces()).position(|(a, b)| a != b) {
            None => return Ok(()),
            Some(face) => format!("has other vertices at face {face} than {first}"),
        },
    };
    Err(format!("{name} {problem}; all files of a sequence need the same faces"))
}

/// Scales a mesh by the factor `scale`, or, if `scale` is 0, into a cube of side `size` around the origin.
fn scaled(mesh: Mesh, [scale, size]: [f64; 2]) -> Result<Mesh, Box<dyn std::error::Error>> {
    if scale == 1.0 {
        return Ok(mesh);
    }
    if scale == 0.0 {
        return Ok(generate::scaled_to_cube(&mesh, size)?);
    }
    let (mut positions, faces) = mesh.into_parts();
    positions.iter_mut().for_each(|position| *position *= scale);
    Ok(Mesh::new(positions, faces)?)
}
