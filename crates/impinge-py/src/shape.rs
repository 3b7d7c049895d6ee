//! `Shape`: a mesh prepared for queries by a method.

use crate::{
    arrays,
    error::{file_error, io_error, mesh_error, value_error},
    manager::Prepared,
    mesh::Mesh,
};
use impinge::Method;
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBytes, PyType},
};
use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

/// A mesh prepared for queries by a method. Immutable.
///
/// `mesh` is a `Mesh`. `method` is one of the names that `methods` lists; without it, the default method. All methods give
/// the same answers, and differ in speed and memory. Both shapes of a query must be prepared by the same method.
///
/// Raises `ArgumentError` if there is no such method.
///
/// >>> impinge.Shape(cube)
/// Shape(12 faces, method 'wide')
/// >>> impinge.Shape(cube, "brute").method
/// 'brute'
///
/// A pickled shape takes what was prepared along if its method can save it, so that another process need not prepare it
/// again.
#[pyclass(frozen, module = "impinge", weakref)]
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) shape: impinge::Shape,
    mesh: Py<Mesh>,
    /// What collision managers have prepared of the shape.
    pub(crate) prepared: OnceLock<Arc<Prepared>>,
}

impl Shape {
    pub(crate) fn of(py: Python<'_>, shape: impinge::Shape) -> PyResult<Self> {
        let mesh = Py::new(py, Mesh::of(Arc::clone(shape.mesh())))?;
        Ok(Self::with_mesh(shape, mesh))
    }

    fn with_mesh(shape: impinge::Shape, mesh: Py<Mesh>) -> Self {
        Self { shape, mesh, prepared: OnceLock::new() }
    }
}

/// The shape of an argument that may be a shape or a mesh.
pub(crate) fn shape_of(name: &str, object: &Bound<'_, PyAny>) -> PyResult<impinge::Shape> {
    if let Ok(shape) = object.cast_exact::<Shape>() {
        return Ok(shape.get().shape.clone());
    }
    if let Ok(mesh) = object.cast_exact::<Mesh>() {
        return Ok(mesh.get().shape(object.py()));
    }
    let kind = object.get_type();
    Err(PyTypeError::new_err(format!(
        "{name} is a {}, not an impinge.Shape or impinge.Mesh",
        kind.name()?
    )))
}

fn method_of(name: Option<&str>) -> PyResult<Method> {
    let Some(name) = name else { return Ok(Method::default()) };
    name.parse().map_err(value_error)
}

#[pymethods]
impl Shape {
    #[new]
    #[pyo3(signature = (mesh, method=None))]
    fn new(py: Python<'_>, mesh: Py<Mesh>, method: Option<&str>) -> PyResult<Self> {
        let shape = match method {
            None => mesh.get().shape(py),
            name => {
                let method = method_of(name)?;
                let mesh = Arc::clone(&mesh.get().mesh);
                py.detach(|| impinge::Shape::with_method(method, mesh))
            }
        };
        Ok(Self::with_mesh(shape, mesh))
    }

    /// The mesh.
    ///
    /// >>> impinge.Shape(cube).mesh is cube
    /// True
    #[getter]
    fn mesh(&self, py: Python<'_>) -> Py<Mesh> {
        self.mesh.clone_ref(py)
    }

    /// The name of the method that prepared the shape.
    #[getter]
    fn method(&self) -> &'static str {
        self.shape.method().name()
    }

    /// How many bytes were prepared. The mesh itself is not counted.
    #[getter]
    fn nbytes(&self) -> usize {
        self.shape.bytes()
    }

    /// Returns the shape with its vertices moved, for bodies that deform: much faster than a new shape.
    ///
    /// `vertices` is an array of shape (n, 3) with as many points as the mesh has vertices. Raises `MeshError` otherwise, and if
    /// a coordinate is not finite.
    ///
    /// >>> shape = impinge.Shape(cube).refitted(cube.vertices * [1, 1, 2])
    /// >>> shape.mesh.bounds[1]
    /// array([1., 1., 2.])
    fn refitted(&self, py: Python<'_>, vertices: &Bound<'_, PyAny>) -> PyResult<Self> {
        let vertices = arrays::vertices(vertices)?;
        let shape = self.shape.clone();
        let shape = py.detach(|| {
            let mut shape = shape;
            shape.set_positions(&vertices).map(|_| shape)
        });
        Self::of(py, shape.map_err(mesh_error)?)
    }

    /// Writes what was prepared to a file, without the mesh; `load_shape` reads it.
    ///
    /// Raises `FileError` if the file cannot be written, or if the method cannot save what it prepares.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| impinge_io::save_index(&path, &self.shape)).map_err(file_error)
    }

    /// A 3D view of the mesh in a frame, for notebooks: see `Mesh`.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.mesh.get()._repr_html_(py)
    }

    fn __repr__(&self) -> String {
        format!("Shape({} faces, method '{}')", self.shape.mesh().faces().len(), self.method())
    }

    /// What was prepared goes along if the method can save it. It is checked when it is loaded.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let bytes = py.detach(|| this.shape.to_bytes()).map(|bytes| PyBytes::new(py, &bytes));
        let function = slf.get_type().getattr("_restore")?;
        let state = (this.mesh.clone_ref(py), this.method(), bytes);
        Ok((function, state).into_pyobject(py)?.into_any())
    }

    #[classmethod]
    fn _restore(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        mesh: Py<Mesh>,
        method: &str,
        bytes: Option<&[u8]>,
    ) -> PyResult<Self> {
        let Some(bytes) = bytes else { return Self::new(py, mesh, Some(method)) };
        let own = Arc::clone(&mesh.get().mesh);
        let shape = py.detach(|| impinge::Shape::from_bytes(bytes, own)).map_err(value_error)?;
        Ok(Self::with_mesh(shape, mesh))
    }
}

/// Reads what `Shape.save` has written of a mesh. Everything that is read is checked.
///
/// Raises `FileError` if the file cannot be read, or was written for another mesh.
///
/// >>> import tempfile
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     impinge.Shape(cube).save(f"{folder}/cube.index")
/// ...     impinge.load_shape(f"{folder}/cube.index", cube)
/// Shape(12 faces, method 'wide')
#[pyfunction]
pub(crate) fn load_shape(py: Python<'_>, path: PathBuf, mesh: Py<Mesh>) -> PyResult<Shape> {
    let own = Arc::clone(&mesh.get().mesh);
    let shape = py.detach(|| impinge_io::load_index(&path, own)).map_err(io_error)?;
    Ok(Shape::with_mesh(shape, mesh))
}

/// Returns the names of the methods, each with a line that tells what it does.
///
/// >>> dict(impinge.methods())["brute"]
/// 'every face pair whose boxes overlap; no index; the reference'
#[pyfunction]
pub(crate) fn methods() -> Vec<(&'static str, &'static str)> {
    Method::ALL.iter().map(|method| (method.name(), method.summary())).collect()
}
