//! Assemblies that are made in Python, part by part.

use crate::{arrays, error::value_error, mesh::Mesh};
use impinge::{
    clash::Tessellation,
    glam::{DAffine3, DMat3, DVec3},
};
use impinge_io::assembly::{Composer, LoadOptions, NamedPart, Unit, Up};
use numpy::{PyArray1, PyArray2, ndarray::arr2};
use pyo3::{IntoPyObjectExt, prelude::*};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

/// An assembly whose parts are added one by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Added {
    name: String,
    units: Option<Unit>,
    up: Option<Up>,
    parts: Vec<NewPart>,
    /// The assembly of all these parts, until another part is added.
    made: Option<Arc<impinge_io::Assembly>>,
}

/// A part as it was added.
#[derive(Clone, Debug)]
pub(super) struct NewPart {
    pub(super) name: String,
    pub(super) mesh: Arc<impinge::Mesh>,
    pub(super) transform: DAffine3,
    pub(super) group: Vec<String>,
    pub(super) id: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) rounding: Option<f64>,
    pub(super) tessellation: Tessellation,
}

/// A part as it is pickled: name, mesh, matrix, group, id, kind, rounding, deviation.
pub(super) type PartState<'py> = (
    String,
    Py<Mesh>,
    Bound<'py, PyArray2<f64>>,
    Vec<String>,
    Option<String>,
    Option<String>,
    Option<f64>,
    Bound<'py, PyAny>,
);

/// An assembly as it is pickled: name, unit, direction of the vertical axis, parts.
pub(super) type AddedState<'py> =
    (String, Option<&'static str>, Option<&'static str>, Vec<PartState<'py>>);

impl Added {
    /// An assembly without parts.
    pub(super) fn new(name: &str, units: Option<Unit>, up: Option<Up>) -> Self {
        Self { name: name.into(), units, up, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn push(&mut self, part: NewPart) {
        self.parts.push(part);
        self.made = None;
    }

    /// The assembly of all parts.
    pub(super) fn get(&mut self, py: Python<'_>) -> PyResult<Arc<impinge_io::Assembly>> {
        if let Some(made) = &self.made {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(py.detach(|| self.make()).map_err(value_error)?);
        self.made = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Everything that was given, to be pickled. Parts that share a mesh share it in the copy as well.
    pub(super) fn state<'py>(&self, py: Python<'py>) -> PyResult<AddedState<'py>> {
        let mut meshes: HashMap<*const impinge::Mesh, Py<Mesh>> = HashMap::new();
        let mut parts = Vec::new();
        for part in &self.parts {
            let mesh = match meshes.entry(Arc::as_ptr(&part.mesh)) {
                Entry::Occupied(known) => known.get().clone_ref(py),
                Entry::Vacant(new) => {
                    new.insert(Py::new(py, Mesh::of(Arc::clone(&part.mesh)))?).clone_ref(py)
                }
            };
            parts.push((
                part.name.clone(),
                mesh,
                matrix_of(py, &part.transform),
                part.group.clone(),
                part.id.clone(),
                part.kind.clone(),
                part.rounding,
                deviation_of(py, &part.tessellation)?,
            ));
        }
        let up = self.up.map(|up| match up {
            Up::Y => "y",
            Up::Z => "z",
        });
        Ok((self.name.clone(), self.units.map(Unit::symbol), up, parts))
    }

    fn make(&self) -> Result<impinge_io::Assembly, impinge_io::Error> {
        let options = LoadOptions::default();
        let mut composer = Composer::new(&self.name, self.units, &options);
        if let Some(up) = self.up {
            composer = composer.up(up);
        }
        for part in &self.parts {
            let group = composer.group(&part.group)?;
            let mesh = composer.mesh(Arc::clone(&part.mesh), part.tessellation.clone());
            let (id, class) = (part.id.clone(), part.kind.clone());
            let named = NamedPart { group, id, class, ..NamedPart::new(&*part.name, mesh) };
            composer.part(named, &part.transform)?;
        }
        let mut assembly = composer.finish()?;
        for (made, part) in assembly.parts.iter_mut().zip(&self.parts) {
            made.rounding = part.rounding.or(made.rounding);
        }
        Ok(assembly)
    }
}

/// Reads an affine matrix of shape (4, 4) or (3, 4).
pub(super) fn affine(object: &Bound<'_, PyAny>) -> PyResult<DAffine3> {
    let rows = arrays::matrix_rows(object)?;
    let [a, b, c, x, d, e, f, y, g, h, i, z] = rows;
    if !rows.iter().all(|value| value.is_finite()) {
        return Err(value_error("the matrix of a part has a number that is not finite"));
    }
    let matrix3 = DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]);
    Ok(DAffine3 { matrix3, translation: DVec3::new(x, y, z) })
}

/// An affine matrix of shape (3, 4), as [`affine`] reads it.
fn matrix_of<'py>(py: Python<'py>, transform: &DAffine3) -> Bound<'py, PyArray2<f64>> {
    let DAffine3 { matrix3, translation } = transform;
    let row = |at: usize| matrix3.row(at).extend(translation[at]).to_array();
    PyArray2::from_owned_array(py, arr2(&[row(0), row(1), row(2)]))
}

/// Reads how far faces are from the true surface: a number, or one for each face.
pub(super) fn tessellation(
    deviation: Option<&Bound<'_, PyAny>>,
    faces: usize,
) -> PyResult<Tessellation> {
    let Some(deviation) = deviation else { return Ok(Tessellation::default()) };
    let array = arrays::numbers(deviation)?;
    let array = array.as_array();
    if let Some(bad) = array.iter().find(|it| !(it.is_finite() && **it >= 0.0)) {
        return Err(value_error(format!("deviation holds {bad}, which is not a distance")));
    }
    match array.shape() {
        [] => Ok(Tessellation::Uniform(array.iter().copied().next().unwrap_or(0.0))),
        &[count] if count == faces => {
            // Rounded up: a deviation may be too large, never too small.
            let up = |value: &f64| {
                let near = *value as f32;
                if f64::from(near) < *value { near.next_up() } else { near }
            };
            Ok(Tessellation::Faces(array.iter().map(up).collect()))
        }
        shape => Err(value_error(format!(
            "deviation has the shape {shape:?}, not one number or one for each of the {faces} faces"
        ))),
    }
}

/// How far faces are from the true surface, as [`tessellation`] reads it.
pub(super) fn deviation_of<'py>(
    py: Python<'py>,
    tessellation: &Tessellation,
) -> PyResult<Bound<'py, PyAny>> {
    match tessellation {
        Tessellation::Faces(faces) => Ok(PyArray1::from_slice(py, faces).into_any()),
        Tessellation::Uniform(distance) => distance.into_bound_py_any(py),
        _ => Ok(py.None().into_bound(py)),
    }
}
