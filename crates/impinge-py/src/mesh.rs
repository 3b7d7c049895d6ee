//! `Mesh`: vertices and faces, validated once.

use crate::{
    arrays, assembly,
    error::{file_error, io_error, mesh_error},
    manager::Prepared,
    notebook,
};
use impinge::{Pose, Shape};
use impinge_io::assembly::AssemblyPart;
use numpy::{Element, PyArray2, ndarray::ArrayView2};
use pyo3::{intern, prelude::*, types::PyType};
use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

/// A triangle soup: vertices and faces, checked once. Immutable.
///
/// `vertices` are points: an array of shape (n, 3) of finite numbers up to 1e100. `faces` are triangles: an array of
/// integers of shape (m, 3), three indices into the vertices each. Cracks, duplicate and degenerate faces are accepted, and
/// nothing is welded, reordered or dropped. Both arrays are copied.
///
/// Raises `MeshError` if an array has the wrong shape, a coordinate is not finite, or an index is out of range, and
/// `ArgumentError` if the vertices are not numbers.
///
/// >>> mesh = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
/// >>> mesh
/// Mesh(3 vertices, 1 faces)
/// >>> impinge.Mesh([[0, 0, 0]], [[0, 0, 7]])
/// Traceback (most recent call last):
/// ...
/// impinge.MeshError: face 0 uses vertex 7, but the mesh has 1 vertices
///
/// A mesh can be used wherever a `Shape` can: it is prepared by the default method when a query first needs it, and what
/// was prepared is kept. `len(mesh)` is the number of faces. Meshes with equal vertices and faces are equal. In a notebook
/// a mesh shows itself.
#[pyclass(frozen, module = "impinge", weakref)]
#[derive(Debug)]
pub(crate) struct Mesh {
    pub(crate) mesh: Arc<impinge::Mesh>,
    /// The mesh prepared by the default method, made when a query first needs it.
    shape: OnceLock<Shape>,
    /// What collision managers have prepared of the mesh.
    pub(crate) prepared: OnceLock<Arc<Prepared>>,
}

/// Vertices and faces.
type Arrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>);

impl Mesh {
    pub(crate) fn of(mesh: Arc<impinge::Mesh>) -> Self {
        Self { mesh, shape: OnceLock::new(), prepared: OnceLock::new() }
    }

    /// The mesh prepared by the default method.
    pub(crate) fn shape(&self, py: Python<'_>) -> Shape {
        match self.shape.get() {
            Some(shape) => shape.clone(),
            None => {
                py.detach(|| self.shape.get_or_init(|| Shape::new(Arc::clone(&self.mesh))).clone())
            }
        }
    }
}

/// A read-only array of shape (n, 3) over memory of a mesh.
fn view<'py, T: Element>(
    owner: &Bound<'py, Mesh>,
    memory: impl FnOnce(&impinge::Mesh) -> &[T],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let memory = memory(&owner.get().mesh);
    let rows = ArrayView2::from_shape((memory.len() / 3, 3), memory).expect("three a row");
    // SAFETY: the array holds a reference to `owner`, whose `Arc` of the mesh is never replaced. The memory of a mesh
    // behind an `Arc` is not changed or moved while the `Arc` lives, and the array is made read-only before anybody
    // else sees it. The safe twin is a copy, with which a test compares it.
    let array = unsafe { PyArray2::borrow_from_array(&rows, owner.clone().into_any()) };
    // Not by `arrays::read_only`: it borrows the memory mutably for a moment, and that fails while another thread reads
    // another array over the same memory.
    array.call_method1(intern!(owner.py(), "setflags"), (false,))?;
    Ok(array)
}

#[pymethods]
impl Mesh {
    #[new]
    fn new(vertices: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = vertices.py();
        let (vertices, faces) = (arrays::vertices(vertices)?, arrays::faces(faces)?);
        let mesh = py.detach(|| impinge::Mesh::new(vertices, faces)).map_err(mesh_error)?;
        Ok(Self::of(mesh.into()))
    }

    /// The vertices: an array of `float64` of shape (n, 3).
    ///
    /// It is a view of the mesh's own memory, which is not copied and cannot be written to.
    ///
    /// >>> cube.vertices.shape, cube.vertices.flags.writeable
    /// ((8, 3), False)
    #[getter]
    fn vertices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        view(slf, |mesh| bytemuck::cast_slice(mesh.positions()))
    }

    /// The faces: an array of `uint32` of shape (m, 3), three indices into the vertices each.
    ///
    /// It is a view of the mesh's own memory, which is not copied and cannot be written to.
    ///
    /// >>> cube.faces[0]
    /// array([0, 1, 3], dtype=uint32)
    #[getter]
    fn faces<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        view(slf, |mesh| mesh.faces().as_flattened())
    }

    /// The smallest and the largest coordinates of the faces: an array of shape (2, 3); `None` for a mesh without faces.
    ///
    /// >>> cube.bounds
    /// array([[0., 0., 0.],
    ///        [1., 1., 1.]])
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        let bounds = self.mesh.bounds();
        (!bounds.is_empty()).then(|| arrays::points(py, vec![bounds.min, bounds.max]))
    }

    /// Whether the faces enclose a solid: there are faces, and every edge belongs to exactly two of them, in opposite
    /// directions. Takes time n log n.
    ///
    /// >>> cube.is_closed
    /// True
    #[getter]
    fn is_closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.mesh.report().is_closed)
    }

    /// Writes the mesh to a file; its extension selects the format: .obj, .stl, .ply or .glb.
    ///
    /// Raises `FileError` for another extension, and if the file cannot be written.
    ///
    /// >>> import tempfile, pathlib
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     cube.save(pathlib.Path(folder, "cube.ply"))
    /// ...     impinge.load(f"{folder}/cube.ply") == cube
    /// True
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mesh = impinge::Mesh::clone(&self.mesh);
        py.detach(|| impinge_io::save(&path, &impinge_io::Model::from_mesh(name, mesh)))
            .map_err(file_error)
    }

    /// A 3D view of the mesh in a frame, for notebooks. Returns a line of text if the page is larger than 8 MB.
    pub(crate) fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let mut scene = impinge_io::Assembly::default();
        scene.parts.push(AssemblyPart::new("mesh", 0, Pose::IDENTITY));
        scene.meshes.push(Arc::clone(&self.mesh));
        let framed = py.detach(|| assembly::scene(&scene, 360))?;
        Ok(framed.unwrap_or_else(|| notebook::note(&self.__repr__())))
    }

    fn __len__(&self) -> usize {
        self.mesh.faces().len()
    }

    fn __repr__(&self) -> String {
        format!("Mesh({} vertices, {} faces)", self.mesh.positions().len(), self.mesh.faces().len())
    }

    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.mesh, &other.mesh) || self.mesh == other.mesh
    }

    fn __hash__(&self) -> u64 {
        (self.mesh.positions().len() as u64) << 32 ^ self.mesh.faces().len() as u64
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Arrays<'py>)> {
        Ok((slf.get_type(), (Self::vertices(slf)?, Self::faces(slf)?)))
    }
}

/// Reads a mesh file: OBJ, STL, PLY, OFF, glTF and others; the contents decide about the format where they can. All parts of
/// the file become one mesh; `Assembly.load` keeps them apart.
///
/// Raises `MissingFileError` if there is no such file, and `FileError` if it cannot be read; the message names the place.
///
/// >>> impinge.load("missing.stl")
/// Traceback (most recent call last):
/// ...
/// impinge.MissingFileError: missing.stl: cannot be read: No such file or directory (os error 2)
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Mesh> {
    let mesh = py.detach(|| impinge_io::load_mesh(&path)).map_err(io_error)?;
    Ok(Mesh::of(mesh.into()))
}
