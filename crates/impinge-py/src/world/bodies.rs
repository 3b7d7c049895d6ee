//! The bodies of a world, by their numbers.

use crate::{error::world_error, shape::shape_of};
use impinge::{
    Pose,
    world::{Body, BodyId},
};
use pyo3::{exceptions::PyOverflowError, prelude::*};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt::Display,
};

/// The number of a body, as an argument. Integers that cannot be one name no body.
#[derive(Clone, Copy)]
pub(super) struct BodyNumber(pub(super) u64);

impl<'a, 'py> FromPyObject<'a, 'py> for BodyNumber {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|error: PyErr| {
            let is_integer = error.is_instance_of::<PyOverflowError>(object.py());
            if is_integer { no_body(&*object) } else { error }
        })
    }
}

fn no_body(body: impl Display) -> PyErr {
    world_error(format!("there is no body {body}: it was removed, or never added"))
}

/// The bodies of a world, by their numbers in Python.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) world: impinge::World,
    pub(super) threads: Option<usize>,
    pub(super) next: u64,
    pub(super) bodies: BTreeMap<u64, Added>,
    pub(super) numbers: HashMap<BodyId, u64>,
    pub(super) ignored: BTreeSet<[u64; 2]>,
}

/// A body, with what the world does not tell about it.
#[derive(Debug)]
pub(super) struct Added {
    pub(super) id: BodyId,
    pub(super) shape: Py<PyAny>,
    pub(super) options: Options,
}

/// The options of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) is_fixed: bool,
    pub(super) groups: u32,
    pub(super) mask: u32,
}

impl Inner {
    pub(super) fn id(&self, body: u64) -> PyResult<BodyId> {
        self.bodies.get(&body).map(|added| added.id).ok_or_else(|| no_body(body))
    }

    pub(super) fn add(
        &mut self,
        number: u64,
        shape: &Bound<'_, PyAny>,
        pose: Pose,
        options: Options,
    ) -> PyResult<()> {
        let Options { is_fixed, groups, mask } = options;
        let mut body = Body::new(&shape_of("shape", shape)?).at(pose).groups(groups, mask);
        if is_fixed {
            body = body.fixed();
        }
        let id = self.world.add(body).map_err(world_error)?;
        self.bodies.insert(number, Added { id, shape: shape.clone().unbind(), options });
        self.numbers.insert(id, number);
        self.next = self.next.max(number + 1);
        Ok(())
    }

    /// Removes a body. Returns it, to be dropped when the world is not locked: that may run any code of Python.
    pub(super) fn remove(&mut self, body: u64) -> PyResult<Option<Added>> {
        let id = self.id(body)?;
        self.world.remove(id).map_err(world_error)?;
        let removed = self.bodies.remove(&body);
        self.ignored.retain(|pair| !pair.contains(&body));
        self.forget_removed();
        Ok(removed)
    }

    /// Leaves out the contacts of two bodies.
    pub(super) fn ignore(&mut self, [a, b]: [u64; 2]) -> PyResult<()> {
        let ids = [self.id(a)?, self.id(b)?];
        self.world.ignore(ids[0], ids[1]).map_err(world_error)?;
        self.ignored.insert([a.min(b), a.max(b)]);
        Ok(())
    }

    /// Reports the contacts of two bodies again.
    pub(super) fn unignore(&mut self, [a, b]: [u64; 2]) -> PyResult<()> {
        let ids = [self.id(a)?, self.id(b)?];
        self.world.unignore(ids[0], ids[1]).map_err(world_error)?;
        self.ignored.remove(&[a.min(b), a.max(b)]);
        Ok(())
    }

    /// Bodies, each with the pose that it is to have.
    pub(super) fn placed(
        &self,
        bodies: &[BodyNumber],
        poses: Vec<Pose>,
    ) -> PyResult<Vec<(BodyId, Pose)>> {
        bodies.iter().zip(poses).map(|(body, pose)| Ok((self.id(body.0)?, pose))).collect()
    }

    pub(super) fn number(&self, id: BodyId) -> u64 {
        self.numbers.get(&id).copied().unwrap_or(u64::MAX)
    }

    /// Forgets the numbers of bodies that were removed, once they are more than the others. A body that touched another in
    /// the last step keeps its number: the next step reports that the contact has ended.
    fn forget_removed(&mut self) {
        if self.numbers.len() < 2 * self.bodies.len() + 64 {
            return;
        }
        let touching = self.world.last_step().pairs().flat_map(|touch| [touch.a, touch.b]);
        let touching: HashSet<BodyId> = touching.collect();
        let bodies = &self.bodies;
        self.numbers.retain(|id, number| bodies.contains_key(number) || touching.contains(id));
    }

    pub(super) fn pairs(&self, pairs: &[[BodyId; 2]]) -> Vec<[u64; 2]> {
        let mut pairs: Vec<[u64; 2]> =
            pairs.iter().map(|pair| pair.map(|id| self.number(id))).collect();
        pairs.sort_unstable();
        pairs
    }
}
