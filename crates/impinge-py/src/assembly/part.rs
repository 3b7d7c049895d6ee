//! `Part`: one part of an assembly.

use super::{Assembly, added::deviation_of};
use crate::{arrays, mesh::Mesh};
use numpy::PyArray2;
use pyo3::prelude::*;
use std::sync::Arc;

/// A part of an assembly: see `Assembly.part`.
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct Part {
    assembly: Arc<impinge_io::Assembly>,
    number: usize,
}

impl Part {
    /// The part with a number, which must exist.
    pub(super) fn new(assembly: &Arc<impinge_io::Assembly>, number: usize) -> Self {
        Self { assembly: Arc::clone(assembly), number }
    }

    fn part(&self) -> &impinge_io::assembly::AssemblyPart {
        &self.assembly.parts[self.number]
    }
}

#[pymethods]
impl Part {
    /// The unique name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The names of the sub-assemblies that the part is in, outermost first.
    #[getter]
    fn group(&self) -> Vec<&str> {
        self.assembly.path(self.number)
    }

    /// The identity that the file gives the part, such as an IFC GUID; `None` if it has none.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.part().id.as_deref()
    }

    /// The kind of the part, such as 'IfcWall'; `None` if it is not known.
    #[getter]
    fn kind(&self) -> Option<&str> {
        self.part().class.as_deref()
    }

    /// The pose: a matrix of shape (4, 4). It is rigid: where the given matrix scales, mirrors or shears, the mesh is a
    /// transformed copy.
    #[getter]
    fn pose<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        arrays::matrix(py, &self.part().placement)
    }

    /// The mesh, in the frame of the part.
    #[getter]
    fn mesh(&self) -> Mesh {
        Mesh::of(Arc::clone(self.assembly.mesh(self.number)))
    }

    /// How far rounding may have moved each vertex, in the unit of the assembly.
    #[getter]
    fn rounding(&self) -> Option<f64> {
        self.part().rounding
    }

    /// How far the faces may be from the curved surfaces that they stand for: a number, or an array of one number for each
    /// face.
    #[getter]
    fn deviation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        deviation_of(py, &self.part().tessellation)
    }

    /// The whole assembly goes along.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let part = Bound::new(py, Assembly::of(Arc::clone(&this.assembly)))?.getattr("part")?;
        Ok((part, (this.number,)).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        let faces = self.assembly.mesh(self.number).faces().len();
        format!("Part('{}', {faces} faces)", self.name())
    }
}
