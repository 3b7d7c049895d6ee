//! The bodies of a check of a tool path: part, stock and fixtures.

use crate::{
    assembly::Assembly,
    error::{io_error, value_error},
    mesh::Mesh,
    pool::detached,
};
use impinge::{Bounds, glam::DVec3};
use impinge_io::assembly::{LoadOptions, Unit, load};
use impinge_nc::{Body, Role};
use pyo3::prelude::*;
use std::{path::PathBuf, sync::Arc};

/// The bodies of an argument: a mesh, an assembly, or a file.
pub(super) fn bodies(
    object: &Bound<'_, PyAny>,
    role: Role,
    part_unit: Option<Unit>,
) -> PyResult<(String, Vec<Body>)> {
    let py = object.py();
    if let Ok(mesh) = object.cast::<Mesh>() {
        let mesh = Arc::clone(&mesh.get().mesh);
        let factor = part_unit.unwrap_or(Unit::Millimetre).to(Unit::Millimetre);
        let mesh = match factor == 1.0 {
            true => mesh,
            false => {
                let scaled = mesh.positions().iter().map(|&vertex| vertex * factor).collect();
                mesh.with_positions(scaled).map_err(value_error)?.into()
            }
        };
        let name = match role {
            Role::Part => "part",
            Role::Stock => "stock",
            Role::Fixture => "fixture",
        };
        let body = detached(py, || Body::new(name, role, mesh))?;
        return Ok((name.to_owned(), vec![body]));
    }
    let (name, assembly) = match object.cast::<Assembly>() {
        Ok(assembly) => {
            let assembly = assembly.get().get(py)?;
            if assembly.units.is_some_and(|unit| unit != Unit::Millimetre) {
                return Err(value_error(
                    "the assembly is not in millimetres; load it with units='mm'",
                ));
            }
            let file = assembly.files.first().map(|file| file.to_string_lossy().into_owned());
            (file.unwrap_or_default(), assembly)
        }
        Err(_) => {
            let path: PathBuf = object.extract()?;
            let mut options = LoadOptions::default();
            options.units = Some(Unit::Millimetre);
            options.file_units = part_unit;
            let assembly = py.detach(|| load([&path], &options)).map_err(io_error)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, Arc::new(assembly))
        }
    };
    let bodies =
        detached(py, || Body::of_assembly(&name, role, &assembly))?.map_err(value_error)?;
    match bodies.is_empty() {
        true => Err(value_error(format!("{name}: has no faces; there is nothing to check"))),
        false => Ok((name, bodies)),
    }
}

/// The stock: two opposite corners of a box, or what else can be a body.
pub(super) fn stock(object: &Bound<'_, PyAny>, part_unit: Option<Unit>) -> PyResult<Vec<Body>> {
    if let Ok([low, high]) = object.extract::<[[f64; 3]; 2]>() {
        let [low, high] = [low, high].map(DVec3::from_array);
        let bounds = Bounds { min: low.min(high), max: low.max(high) };
        return Ok(vec![Body::cuboid("stock", Role::Stock, &bounds).map_err(value_error)?]);
    }
    Ok(bodies(object, Role::Stock, part_unit)?.1)
}
