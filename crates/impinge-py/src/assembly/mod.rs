//! `Assembly`: named parts, their meshes and the sub-assemblies they are in.

mod added;
mod load_options;
mod part;
mod pickle;

pub(crate) use load_options::{load_options, unit};
pub(crate) use part::Part;
pub(crate) use pickle::{Pickled, pickled, unpickled};

use crate::{
    error::{io_error, value_error},
    mesh::Mesh,
    notebook,
};
use added::{Added, NewPart, affine, tessellation};
use impinge::glam::DAffine3;
use impinge_io::assembly::{Unit, Up, load};
use pyo3::{
    exceptions::PyOverflowError,
    prelude::*,
    sync::MutexExt,
    types::{PyDict, PyString, PyTuple, PyType},
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Named parts, each a mesh with a pose, in sub-assemblies: what `clash` checks.
///
/// `Assembly()` has no parts; `add` adds them. `name` stands for the file in reports. `units` is the unit of all coordinates,
/// such as 'mm', 'm' or 'in'; without it, lengths with a unit cannot be given. `up` is 'y' or 'z', for pictures.
/// `Assembly.load` reads files instead. `len(assembly)` is the number of parts. In a notebook an assembly shows itself.
///
/// >>> assembly = impinge.Assembly(units="mm")
/// >>> assembly.add("left", cube)
/// >>> assembly.add("right", cube, [[1, 0, 0, 0.9], [0, 1, 0, 0], [0, 0, 1, 0]], group=["frame"])
/// >>> assembly.paths
/// ['left', 'frame/right']
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct Assembly(Mutex<Inner>);

#[derive(Clone, Debug)]
enum Inner {
    /// Parts that were added one by one.
    Added(Added),
    /// An assembly that was loaded from files.
    Loaded(Arc<impinge_io::Assembly>),
}

impl Assembly {
    /// An assembly to which no part can be added.
    pub(crate) fn of(assembly: impl Into<Arc<impinge_io::Assembly>>) -> Self {
        Self(Mutex::new(Inner::Loaded(assembly.into())))
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The assembly as the library has it.
    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<Arc<impinge_io::Assembly>> {
        match &mut *self.lock(py) {
            Inner::Loaded(assembly) => Ok(Arc::clone(assembly)),
            Inner::Added(added) => added.get(py),
        }
    }
}

#[pymethods]
impl Assembly {
    /// An assembly without parts; `add` adds them. `name` stands for the file in reports.
    #[new]
    #[pyo3(signature = (*, name="assembly", units=None, up=None))]
    fn new(name: &str, units: Option<&str>, up: Option<&str>) -> PyResult<Self> {
        let up = match up {
            None => None,
            Some("y" | "Y") => Some(Up::Y),
            Some("z" | "Z") => Some(Up::Z),
            Some(other) => return Err(value_error(format!("up is 'y' or 'z', not '{other}'"))),
        };
        Ok(Self(Mutex::new(Inner::Added(Added::new(name, unit(units)?, up)))))
    }

    /// Loads files and folders: glTF, OBJ groups, STL, PLY, robots (URDF), 3MF, STEP, IFC, folders of meshes.
    ///
    /// - `units`: the unit of the assembly. Files whose unit is known are converted to it.
    /// - `file_units`: the unit of files that do not name one (OBJ, STL, PLY, OFF).
    /// - `scale`: a factor for every coordinate.
    /// - `split`: every connected piece of a mesh becomes a part.
    /// - `primitives`: every primitive of a glTF mesh becomes a part.
    /// - `keep_going`: a part or file that cannot be read is left out, and listed in `skipped`.
    /// - `tolerance`: the largest distance in metres between a triangle and the true surface of curved shapes (STEP, IFC, URDF).
    /// - `packages`: folders in which to look for the packages of a robot.
    /// - `joints`: values of robot joints by name, in radians or metres.
    /// - `ifc_include`: classes of IFC elements that are parts although they usually are not, such as 'IfcSpace'.
    ///
    /// Raises `MissingFileError` if a file does not exist, `FileError` if one cannot be read, and `ArgumentError` for a unit that
    /// does not exist or no files at all.
    ///
    /// >>> import tempfile
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     cube.save(f"{folder}/cube.stl")
    /// ...     impinge.Assembly.load(f"{folder}/cube.stl", units="mm").names
    /// ['cube']
    #[classmethod]
    #[pyo3(signature = (*files, **options))]
    fn load(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        files: Vec<PathBuf>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if files.is_empty() {
            return Err(value_error("there is no file to load"));
        }
        let options = load_options(options)?;
        let assembly = py.detach(|| load(&files, &options)).map_err(io_error)?;
        Ok(Self::of(assembly))
    }

    /// Adds a part.
    ///
    /// - `name` need not be unique: a number is appended to the second part of the same name and group.
    /// - `pose` is a matrix of shape (4, 4) or (3, 4), or `None` for the identity. It may also scale, mirror and shear.
    /// - `group`: the names of the sub-assemblies the part is in, outermost first.
    /// - `id`: an identity that stays the same in later versions of the part, such as an IFC GUID.
    /// - `kind`: the kind of the part, such as 'IfcWall'.
    /// - `rounding`: how far rounding may have moved each vertex; by default derived from the coordinates.
    /// - `deviation`: how far the faces may be from the curved surfaces that they stand for: a number, or one for each face.
    ///
    /// Raises `ArgumentError` if the assembly was loaded from files, or for a length that is negative.
    #[pyo3(signature = (
        name, mesh, pose=None, *, group=vec![], id=None, kind=None, rounding=None, deviation=None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn add(
        &self,
        py: Python<'_>,
        name: String,
        mesh: &Bound<'_, Mesh>,
        pose: Option<&Bound<'_, PyAny>>,
        group: Vec<String>,
        id: Option<String>,
        kind: Option<String>,
        rounding: Option<f64>,
        deviation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mesh = Arc::clone(&mesh.get().mesh);
        let transform = match pose {
            None => DAffine3::IDENTITY,
            Some(matrix) => affine(matrix)?,
        };
        let is_length = |length: &f64| length.is_finite() && *length >= 0.0;
        if let Some(rounding) = rounding.filter(|rounding| !is_length(rounding)) {
            return Err(value_error(format!("rounding is a length, not {rounding}")));
        }
        let tessellation = tessellation(deviation, mesh.faces().len())?;
        let part = NewPart { name, mesh, transform, group, id, kind, rounding, tessellation };
        match &mut *self.lock(py) {
            Inner::Added(added) => {
                added.push(part);
                Ok(())
            }
            Inner::Loaded(_) => Err(value_error(
                "the assembly was loaded: parts can only be added to an assembly made by Assembly()",
            )),
        }
    }

    /// The unique names of the parts, in order.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.get(py)?.parts.iter().map(|part| part.name.clone()).collect())
    }

    /// The names of the sub-assemblies and of the part, joined by slashes, for each part.
    #[getter]
    fn paths(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let assembly = self.get(py)?;
        Ok((0..assembly.parts.len()).map(|part| assembly.full_name(part)).collect())
    }

    /// The unit of all coordinates, such as 'mm'; `None` if it is not known.
    #[getter]
    fn units(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.get(py)?.units.map(Unit::symbol))
    }

    /// The number of triangles of all parts together; a mesh that several parts share counts for each.
    #[getter]
    fn face_count(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.get(py)?.face_count())
    }

    /// The parts and files that could not be read if `keep_going` was set: tuples (name, reason).
    #[getter]
    fn skipped(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let skipped = &self.get(py)?.skipped;
        Ok(skipped.iter().map(|it| (it.name.clone(), it.error.to_string())).collect())
    }

    /// What is no part by design, by kind: tuples (kind, number, the first few names). Examples are the rooms of building
    /// models and the point clouds of scenes.
    #[getter]
    fn left_out(&self, py: Python<'_>) -> PyResult<Vec<(String, usize, Vec<String>)>> {
        let left_out = &self.get(py)?.left_out;
        Ok(left_out.iter().map(|it| (it.kind.clone(), it.count, it.names.clone())).collect())
    }

    /// The part with this unique name, or with this index.
    ///
    /// Raises `ArgumentError` if there is none.
    ///
    /// >>> assembly = impinge.Assembly()
    /// >>> assembly.add("left", cube)
    /// >>> assembly.part("left"), assembly.part(0)
    /// (Part('left', 12 faces), Part('left', 12 faces))
    fn part(&self, py: Python<'_>, part: &Bound<'_, PyAny>) -> PyResult<Part> {
        let assembly = self.get(py)?;
        let number = match part.cast::<PyString>() {
            Ok(name) => {
                let name = name.to_cow()?;
                assembly.parts.iter().position(|part| part.name == name)
            }
            // Integers that are negative or too large for an index name no part.
            Err(_) => match part.extract::<usize>() {
                Ok(number) => Some(number).filter(|&number| number < assembly.parts.len()),
                Err(error) if error.is_instance_of::<PyOverflowError>(py) => None,
                Err(error) => return Err(error),
            },
        };
        match number {
            Some(number) => Ok(Part::new(&assembly, number)),
            None => Err(value_error(format!("the assembly has no part {}", part.repr()?))),
        }
    }

    /// All parts, in order.
    #[getter]
    fn parts(&self, py: Python<'_>) -> PyResult<Vec<Part>> {
        let assembly = self.get(py)?;
        Ok((0..assembly.parts.len()).map(|number| Part::new(&assembly, number)).collect())
    }

    /// A 3D view of the parts in a frame, for notebooks. Returns a table if the page is larger than 8 MB.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let assembly = self.get(py)?;
        Ok(py.detach(|| scene(&assembly, 480))?.unwrap_or_else(|| table(&assembly)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        match &*self.lock(py) {
            Inner::Added(added) => Ok(added.len()),
            Inner::Loaded(assembly) => Ok(assembly.parts.len()),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Assembly({} parts)", self.__len__(py)?))
    }

    /// A copy takes further parts if the assembly does.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let restore = |name: &str| slf.get_type().getattr(name);
        // A copy, because making Python objects may run code of the user, which may use the assembly.
        let inner = slf.get().lock(py).clone();
        let reduced = match &inner {
            Inner::Added(added) => {
                (restore("_restore_added")?, added.state(py)?).into_pyobject(py)?
            }
            Inner::Loaded(assembly) => {
                (restore("_restore")?, pickled(py, assembly)?).into_pyobject(py)?
            }
        };
        Ok(reduced.into_any())
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        state: &[u8],
        blobs: numpy::PyReadonlyArray1<'_, u8>,
    ) -> PyResult<Self> {
        unpickled(py, state, &blobs).map(Self::of)
    }

    #[staticmethod]
    fn _restore_added(
        py: Python<'_>,
        name: &str,
        units: Option<&str>,
        up: Option<&str>,
        parts: Vec<Bound<'_, PyTuple>>,
    ) -> PyResult<Self> {
        let assembly = Self::new(name, units, up)?;
        for part in parts {
            let (name, mesh, matrix, group, id, kind, rounding, deviation) = part.extract()?;
            let mesh: Bound<'_, Mesh> = mesh;
            let (matrix, deviation): (Bound<'_, PyAny>, Bound<'_, PyAny>) = (matrix, deviation);
            let matrix = Some(&matrix);
            assembly.add(py, name, &mesh, matrix, group, id, kind, rounding, Some(&deviation))?;
        }
        Ok(assembly)
    }
}

/// The view of an assembly that was not checked, in a frame for notebooks; `None` if it is too large.
pub(crate) fn scene(
    assembly: &impinge_io::Assembly,
    height: u32,
) -> std::io::Result<Option<String>> {
    let assembly = impinge_io::Assembly::clone(assembly);
    notebook::frame("Scene", height, |out| impinge_clash::page::write_scene(assembly, out))
}

/// The parts as a table, for a page that is too large.
fn table(assembly: &impinge_io::Assembly) -> String {
    let rows = (0..assembly.parts.len()).take(notebook::MAX_TABLE_ROWS).map(|number| {
        [assembly.full_name(number), assembly.mesh(number).faces().len().to_string()]
    });
    let why = "The 3D view is too large for a notebook.";
    notebook::table(why, &["part", "faces"], rows, assembly.parts.len())
}
