//! `Assembly`: named parts, their meshes and the sub-assemblies they are in.

use crate::{
    arrays,
    error::{io_error, value_error},
    mesh::Mesh,
    notebook, shares,
};
use impinge::{
    clash::Tessellation,
    glam::{DAffine3, DMat3, DVec3},
};
use impinge_io::assembly::{Blob, Composer, LoadOptions, NamedPart, Unit, Up, load};
use numpy::{PyArray1, PyArray2};
use pyo3::{
    IntoPyObjectExt,
    exceptions::PyTypeError,
    prelude::*,
    sync::MutexExt,
    types::{PyBytes, PyDict, PyType},
};
use std::{
    collections::BTreeMap,
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

#[derive(Debug)]
enum Inner {
    /// Parts that were added one by one.
    Added(Added),
    /// An assembly that was loaded from files.
    Loaded(Arc<impinge_io::Assembly>),
}

#[derive(Debug, Default)]
struct Added {
    name: String,
    units: Option<Unit>,
    up: Option<Up>,
    parts: Vec<NewPart>,
    /// The assembly of all these parts, until another part is added.
    made: Option<Arc<impinge_io::Assembly>>,
}

#[derive(Debug)]
struct NewPart {
    name: String,
    mesh: Arc<impinge::Mesh>,
    transform: DAffine3,
    group: Vec<String>,
    id: Option<String>,
    kind: Option<String>,
    rounding: Option<f64>,
    tessellation: Tessellation,
}

pub(crate) fn unit(name: Option<&str>) -> PyResult<Option<Unit>> {
    name.map(|name| name.parse().map_err(value_error)).transpose()
}

impl Added {
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

impl Assembly {
    pub(crate) fn of(assembly: impinge_io::Assembly) -> Self {
        Self(Mutex::new(Inner::Loaded(assembly.into())))
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The assembly as the library has it.
    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<Arc<impinge_io::Assembly>> {
        match &mut *self.lock(py) {
            Inner::Loaded(assembly) => Ok(Arc::clone(assembly)),
            Inner::Added(added) => match &added.made {
                Some(made) => Ok(Arc::clone(made)),
                None => {
                    let made = Arc::new(py.detach(|| added.make()).map_err(value_error)?);
                    added.made = Some(Arc::clone(&made));
                    Ok(made)
                }
            },
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
        let units = unit(units)?;
        Ok(Self(Mutex::new(Inner::Added(Added {
            name: name.into(),
            units,
            up,
            ..Added::default()
        }))))
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
        if let Some(rounding) = rounding.filter(|rounding| rounding.is_nan() || *rounding < 0.0) {
            return Err(value_error(format!("rounding is a length, not {rounding}")));
        }
        let tessellation = tessellation(deviation, mesh.faces().len())?;
        let part = NewPart { name, mesh, transform, group, id, kind, rounding, tessellation };
        match &mut *self.lock(py) {
            Inner::Added(added) => {
                added.parts.push(part);
                added.made = None;
                Ok(())
            }
            Inner::Loaded(_) => Err(value_error(
                "the assembly was loaded, unpickled or copied: parts can only be added to an assembly made by Assembly()",
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
        let number = match part.extract::<usize>() {
            Ok(number) => Some(number).filter(|&number| number < assembly.parts.len()),
            Err(_) => {
                let name: String = part.extract()?;
                assembly.parts.iter().position(|part| part.name == name)
            }
        };
        match number {
            Some(number) => Ok(Part { assembly, number }),
            None => Err(value_error(format!("the assembly has no part {}", part.repr()?))),
        }
    }

    /// All parts, in order.
    #[getter]
    fn parts(&self, py: Python<'_>) -> PyResult<Vec<Part>> {
        let assembly = self.get(py)?;
        let part = |number| Part { assembly: Arc::clone(&assembly), number };
        Ok((0..assembly.parts.len()).map(part).collect())
    }

    /// A 3D view of the parts in a frame, for notebooks. Returns a table if the page is larger than 8 MB.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let assembly = self.get(py)?;
        Ok(py.detach(|| scene(&assembly, 480))?.unwrap_or_else(|| table(&assembly)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        match &*self.lock(py) {
            Inner::Added(added) => Ok(added.parts.len()),
            Inner::Loaded(assembly) => Ok(assembly.parts.len()),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Assembly({} parts)", self.__len__(py)?))
    }

    /// An assembly that is pickled has its parts at their poses; no part can be added to the copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let state = pickled(py, &*slf.get().get(py)?)?;
        Ok((slf.get_type().getattr("_restore")?, state).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        state: &[u8],
        blobs: numpy::PyReadonlyArray1<'_, u8>,
    ) -> PyResult<Self> {
        unpickled(py, state, &blobs).map(Self::of)
    }
}

/// An assembly as it is pickled: everything but the meshes, and the meshes.
pub(crate) type Pickled<'py> = (Bound<'py, PyBytes>, Bound<'py, PyArray1<u8>>);

pub(crate) fn pickled<'py>(
    py: Python<'py>,
    assembly: &impinge_io::Assembly,
) -> PyResult<Pickled<'py>> {
    let state = assembly.to_bytes().map_err(value_error)?;
    let blobs = if assembly.is_outline() { Vec::new() } else { assembly.blobs() };
    let (blobs, _) = shares::pack(py, &blobs, &(0..blobs.len()).collect::<Vec<_>>())?;
    Ok((PyBytes::new(py, &state), blobs))
}

pub(crate) fn unpickled(
    py: Python<'_>,
    state: &[u8],
    blobs: &numpy::PyReadonlyArray1<'_, u8>,
) -> PyResult<impinge_io::Assembly> {
    let mut bytes = blobs.as_slice().map_err(value_error)?;
    let assembly = py.detach(|| {
        let outline = impinge_io::Assembly::from_bytes(state).map_err(|why| why.to_string())?;
        if bytes.is_empty() {
            return Ok(outline);
        }
        let mut blobs = Vec::new();
        while !bytes.is_empty() {
            let blob = Blob::read(bytes)?;
            bytes = &bytes[blob.len()..];
            blobs.push(blob);
        }
        outline.with_blobs(&blobs)
    });
    assembly.map_err(value_error)
}

/// The options of loading, from keyword arguments.
pub(crate) fn load_options(given: Option<&Bound<'_, PyDict>>) -> PyResult<LoadOptions> {
    let mut options = LoadOptions::default();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        match &*name {
            "units" => options.units = unit(value.extract()?)?,
            "file_units" => options.file_units = unit(value.extract()?)?,
            "scale" => options.scale = value.extract()?,
            "split" => options.split = value.extract()?,
            "primitives" => options.primitives = value.extract()?,
            "keep_going" => options.keep_going = value.extract()?,
            "tolerance" => options.tolerance = value.extract()?,
            "packages" => options.packages = value.extract()?,
            "ifc_include" => options.ifc_include = value.extract()?,
            "joints" => {
                let joints: Option<BTreeMap<String, f64>> = value.extract()?;
                for (joint, value) in joints.unwrap_or_default() {
                    options = options.joint(joint, value);
                }
            }
            other => {
                return Err(PyTypeError::new_err(format!("Assembly.load has no option '{other}'")));
            }
        }
    }
    Ok(options)
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

/// A part of an assembly: see `Assembly.part`.
#[pyclass(frozen, module = "impinge")]
#[derive(Debug)]
pub(crate) struct Part {
    assembly: Arc<impinge_io::Assembly>,
    number: usize,
}

impl Part {
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

    /// How far the faces may be from the curved surfaces that they stand for: a number, an array of one number for each face, or
    /// `None` if it is not known.
    #[getter]
    fn deviation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.part().tessellation {
            Tessellation::Faces(faces) => Ok(PyArray1::from_slice(py, faces).into_any()),
            Tessellation::Uniform(distance) => distance.into_bound_py_any(py),
            _ => Ok(py.None().into_bound(py)),
        }
    }

    /// The whole assembly goes along.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let assembly = Assembly(Mutex::new(Inner::Loaded(Arc::clone(&this.assembly))));
        let part = Bound::new(py, assembly)?.getattr("part")?;
        Ok((part, (this.number,)).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        let faces = self.assembly.mesh(self.number).faces().len();
        format!("Part('{}', {faces} faces)", self.name())
    }
}

/// Reads an affine matrix of shape (4, 4) or (3, 4).
fn affine(object: &Bound<'_, PyAny>) -> PyResult<DAffine3> {
    let rows = arrays::matrix_rows(object)?;
    let [a, b, c, x, d, e, f, y, g, h, i, z] = rows;
    if !rows.iter().all(|value| value.is_finite()) {
        return Err(value_error("the matrix of a part has a number that is not finite"));
    }
    let matrix3 = DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]);
    Ok(DAffine3 { matrix3, translation: DVec3::new(x, y, z) })
}

/// Reads how far faces are from the true surface: a number, or one for each face.
fn tessellation(deviation: Option<&Bound<'_, PyAny>>, faces: usize) -> PyResult<Tessellation> {
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
