//! Loads the assemblies of `clash` and `inspect`: files and folders, or `gen:` names.

use crate::{
    cluster::Cluster, failure::Failure, interrupt::Interrupt, output::note, progress, source,
};
use impinge::{Mesh, Pose};
use impinge_io::{
    Model,
    assembly::{self, Assembly, AssemblyPart, Group, LoadOptions},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The assembly that is generated if no file is named.
pub(crate) const DEMO: &str = "gen:gearbox";

/// The default clearance for [`DEMO`], in millimetres: only its gears are closer to each other.
const DEMO_CLEARANCE: f64 = 0.1;

/// Other generated assemblies, with options.
const ASSEMBLIES: [&str; 2] = ["gen:plant", "gen:bsp"];

/// An assembly and its default clearance.
pub(crate) struct Input {
    pub(crate) assembly: Assembly,
    pub(crate) clearance: f64,
}

/// Loads files and folders, or generates the assembly of a `gen:` name.
pub(crate) fn load(files: &[PathBuf], options: &LoadOptions) -> Result<Input, Failure> {
    let generated =
        files.iter().find_map(|file| file.to_str().filter(|name| name.starts_with("gen:")));
    let Some(name) = generated.or(files.is_empty().then_some(DEMO)) else {
        let label = match files {
            [file] => format!("reading {}", file.display()),
            _ => format!("reading {} files and folders", files.len()),
        };
        let assembly = progress::with_spinner(&label, || assembly::load(files, options))?;
        return Ok(Input { assembly, clearance: 0.0 });
    };
    check_joints(options, files)?;
    if files.len() > 1 {
        return Err(Failure::input(format!(
            "{name} is a whole assembly; give either {name} or files, not both"
        )));
    }
    let is_assembly = name.split(',').next().is_some_and(|name| ASSEMBLIES.contains(&name));
    if name != DEMO && !is_assembly {
        return Err(Failure::input(format!(
            "{name}: unknown assembly; the generated assemblies are {DEMO}, {}; `impinge generate` makes parts",
            ASSEMBLIES.join(", ")
        )));
    }
    let model = source::model(name, &options.grids)?;
    let (assembly, factor) = to_assembly(name, model, options)?;
    let clearance = if name == DEMO { DEMO_CLEARANCE * factor } else { 0.0 };
    Ok(Input { assembly, clearance })
}

/// Loads files where a cluster needs them, if it can; otherwise as [`load`] does.
pub(crate) fn load_on(
    (address, cluster): (&str, &dyn Cluster),
    files: &[PathBuf],
    options: &LoadOptions,
    interrupt: &Interrupt,
) -> Result<Input, Failure> {
    let is_generated = |file: &PathBuf| file.to_str().is_some_and(|name| name.starts_with("gen:"));
    if !files.is_empty() && !files.iter().any(is_generated) {
        let label = format!("reading {} files and folders", files.len());
        let loaded = progress::with_spinner(&label, || {
            // The process has threads of the cluster, which have to end in order.
            interrupt.during(|| {
                let interrupt = interrupt.clone();
                let proceed = Arc::new(move || !interrupt.is_requested());
                Ok(cluster.load(address, files, options, proceed)?)
            })
        })?;
        // A single part may have to be split, which needs its mesh.
        if let Some(assembly) = loaded.filter(|assembly| assembly.parts.len() > 1) {
            return Ok(Input { assembly, clearance: 0.0 });
        }
    }
    load(files, options)
}

/// Refuses an assembly that is one part of several connected pieces: they may well be parts that collide, and the
/// answer "no clashes" would be wrong. A single piece has nothing to collide with, and a note says so.
pub(crate) fn check_single_part(assembly: &Assembly) -> Result<(), Failure> {
    let [part] = &assembly.parts[..] else { return Ok(()) };
    let file = assembly.files.first().map(|file| file.display().to_string()).unwrap_or_default();
    // The pieces of a link do not move against each other, and generated parts are what they are.
    let is_whole = part.link.is_some() || file.starts_with("gen:");
    match assembly.piece_count(0) {
        pieces if pieces <= 1 || is_whole => {
            note(&format!("{file} is one part; there is nothing to compare it with"));
            Ok(())
        }
        pieces => Err(Failure::input(format!(
            "{file} is one part with {pieces} connected pieces; --split checks them against each other"
        ))),
    }
}

/// Returns whether a file is a robot, by its extension.
pub(crate) fn is_robot(file: impl AsRef<Path>) -> bool {
    file.as_ref().extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf"))
}

/// Fails if there are joint values, but no file is a robot.
pub(crate) fn check_joints(
    options: &LoadOptions,
    files: impl IntoIterator<Item = impl AsRef<Path>>,
) -> Result<(), Failure> {
    match options.joints.keys().next() {
        Some(name) if !files.into_iter().any(is_robot) => Err(Failure::input(format!(
            "--joint {name}: there is no robot (.urdf) among the files, so there is no joint to set"
        ))),
        _ => Ok(()),
    }
}

/// Converts a generated model to an assembly in the requested units. Also returns the factor by which the
/// coordinates were multiplied.
pub(crate) fn to_assembly(
    name: &str,
    model: Model,
    options: &LoadOptions,
) -> Result<(Assembly, f64), Failure> {
    let (factor, units) = options.conversion(source::units(name, &options.grids));
    let mut assembly = parts(name, model, factor).map_err(|failure| failure.about(name))?;
    assembly.units = units;
    Ok((assembly, factor))
}

/// Returns the parts of a model as an assembly. The gearbox gets sub-assemblies.
fn parts(name: &str, model: Model, factor: f64) -> Result<Assembly, Failure> {
    const GROUPS: [(&str, &[&str]); 3] =
        [("input", &["input", "pinion"]), ("output", &["output", "wheel"]), ("bolts", &["bolt"])];
    let groups = if name == DEMO { &GROUPS[..] } else { &[] };
    let mut assembly = Assembly::default();
    assembly.files = vec![name.into()];
    assembly.groups = groups.iter().map(|(name, _)| Group::new(*name, None)).collect();
    for mesh in model.meshes {
        assembly.meshes.push(if factor == 1.0 { mesh } else { scaled(&mesh, factor)? });
    }
    for part in model.parts {
        let pose = Pose::new(part.transform.matrix3, part.transform.translation * factor);
        let belongs =
            |(_, words): &(&str, &[&str])| words.iter().any(|word| part.name.contains(word));
        let group = groups.iter().position(belongs).map(|group| group as u32);
        let mut made = AssemblyPart::new(part.name, part.mesh, pose.map_err(Failure::input)?);
        made.group = group;
        assembly.parts.push(made);
    }
    Ok(assembly)
}

fn scaled(mesh: &Mesh, factor: f64) -> Result<Arc<Mesh>, Failure> {
    let positions = mesh.positions().iter().map(|&position| position * factor).collect();
    Mesh::new(positions, mesh.faces().to_vec()).map(Arc::new).map_err(Failure::input)
}
