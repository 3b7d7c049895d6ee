//! Jobs and outcomes as bytes: the Python package pickles reports this way. Only the same version reads them.

use crate::{Job, Machine, Motion, Outcome, Setup};
use impinge::solid::{RevolvedHull, RoundedDisc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::sync::Arc;

/// Bytes that are not those of a job or an outcome of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these are not the bytes of {0}, written by version {version}", version = env!("CARGO_PKG_VERSION"))]
pub struct StateError(&'static str);

/// Writes a value as bytes, after the version of the crate.
fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    // Only strings and maps of unknown length can fail, and there are none.
    postcard::to_allocvec(&(env!("CARGO_PKG_VERSION"), value)).unwrap_or_default()
}

/// Reads the bytes of [`to_bytes`].
fn from_bytes<'b, T: Deserialize<'b>>(
    bytes: &'b [u8],
    what: &'static str,
) -> Result<T, StateError> {
    let version: Result<(&str, _), _> = postcard::take_from_bytes(bytes);
    let rest = version.ok().filter(|(version, _)| *version == env!("CARGO_PKG_VERSION"));
    let value = rest.and_then(|(_, rest)| postcard::from_bytes(rest).ok());
    value.ok_or(StateError(what))
}

impl Job {
    /// The job as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If the bytes are not those of a job, or were written by another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let mut job: Self = from_bytes(bytes, "a job")?;
        // Each move was read with a machine of its own.
        let mut last: Option<Arc<Machine>> = None;
        for step in &mut job.program.moves {
            if let Motion::Machine { machine, .. } | Motion::TipControlled { machine, .. } =
                &mut step.motion
            {
                match &last {
                    Some(last) if *last == *machine => *machine = Arc::clone(last),
                    _ => last = Some(Arc::clone(machine)),
                }
            }
        }
        Ok(job)
    }
}

impl Outcome {
    /// The outcome as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes); `job` and `setup` are those that were checked.
    ///
    /// # Errors
    /// If the bytes are not those of an outcome of this job and setup, or were written by another version.
    pub fn from_bytes(bytes: &[u8], job: &Job, setup: &Setup) -> Result<Self, StateError> {
        const WHAT: &str = "an outcome";
        let outcome: Self = from_bytes(bytes, WHAT)?;
        let is_known = |gouge: &crate::Gouge| {
            let Some(body) = setup.bodies.get(gouge.body) else { return false };
            let faces = body.mesh().faces().len();
            gouge.move_index < job.program.moves.len()
                && job.tools.contains_key(&gouge.tool)
                && gouge.faces.iter().all(|&face| (face as usize) < faces)
        };
        if outcome.gouges.iter().all(is_known) { Ok(outcome) } else { Err(StateError(WHAT)) }
    }
}

/// A machine that moves share.
pub(crate) mod machine {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        machine: &Arc<Machine>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        (**machine).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<Machine>, D::Error> {
        Machine::deserialize(deserializer).map(Arc::new)
    }
}

/// A solid of revolution, as the heights, radii and roundings of its discs.
pub(crate) mod hull {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        hull: &RevolvedHull,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let numbers = |disc: &RoundedDisc| [disc.height, disc.radius, disc.rounding];
        let discs: Vec<[f64; 3]> = hull.discs().iter().map(numbers).collect();
        discs.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<RevolvedHull, D::Error> {
        let discs = Vec::<[f64; 3]>::deserialize(deserializer)?;
        let disc = |[height, radius, rounding]: [f64; 3]| RoundedDisc { height, radius, rounding };
        let discs: Vec<RoundedDisc> = discs.into_iter().map(disc).collect();
        RevolvedHull::new(&discs).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, JobOptions, Options, Role, check};
    use impinge::generate;

    const PROGRAM: &str =
        "G21 G90\nG0 X-9 Y0 Z9 A0 C0\nG1 X0 Z-1 A10 C20 F100\nG1 X9 A0 C40\nG1 Z9\n";

    #[test]
    fn a_job_and_its_outcome_survive_as_bytes() {
        let tools = vec!["ball:d=6,length=20".parse().unwrap()];
        let options = JobOptions { tools, machine: Some("xyzac".into()), ..JobOptions::default() };
        let job = Job::read(PROGRAM.to_owned(), "program", &options).unwrap();
        let setup =
            Setup { bodies: vec![Body::new("ball", Role::Part, generate::sphere(960).unwrap())] };
        let outcome = check(&job.program, &job.tools, &setup, &Options::default(), &()).unwrap();
        assert!(!outcome.gouges.is_empty(), "the program gouges nothing");

        let bytes = job.to_bytes();
        let again = Job::from_bytes(&bytes).unwrap();
        assert_eq!(format!("{again:?}"), format!("{job:?}"));
        let machines = again.program.moves.iter().filter_map(|step| match &step.motion {
            Motion::Machine { machine, .. } => Some(Arc::as_ptr(machine)),
            _ => None,
        });
        let machines: Vec<_> = machines.collect();
        assert!(machines.len() > 1 && machines.iter().all(|&machine| machine == machines[0]));

        let found = outcome.to_bytes();
        assert_eq!(Outcome::from_bytes(&found, &again, &setup), Ok(outcome));
        assert!(Outcome::from_bytes(&found, &again, &Setup::default()).is_err(), "no bodies");
        assert!(Outcome::from_bytes(&bytes, &again, &setup).is_err(), "bytes of a job");
        assert!(Job::from_bytes(&bytes[..bytes.len() / 2]).is_err(), "half of the bytes");
        assert!(Job::from_bytes(&[]).is_err(), "no bytes");
    }
}
