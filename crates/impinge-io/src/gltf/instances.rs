//! `EXT_mesh_gpu_instancing`: a node that shows its mesh once for every element of its accessors.

use super::{
    accessor::{Positions, Rotations, Source},
    document::{InstanceAttributes, Instancing},
    node_place,
    nodes::transform,
};
use crate::error::Fault;
use glam::{DAffine3, DQuat, DVec3};

/// The transforms of the instances of a node, relative to the node.
#[derive(Debug)]
pub(super) struct Instances<'a> {
    node: u32,
    count: usize,
    translations: Option<Positions<'a>>,
    rotations: Option<Rotations<'a>>,
    scales: Option<Positions<'a>>,
}

impl<'a> Instances<'a> {
    pub(super) fn new(
        source: &mut Source<'a>,
        node: u32,
        instancing: &Instancing,
    ) -> Result<Self, Fault> {
        let InstanceAttributes { translation, rotation, scale } = instancing.attributes;
        let translations = translation.map(|accessor| source.positions(accessor)).transpose()?;
        let rotations = rotation.map(|accessor| source.rotations(accessor)).transpose()?;
        let scales = scale.map(|accessor| source.positions(accessor)).transpose()?;
        let counts = [
            translations.as_ref().map(Positions::count),
            rotations.as_ref().map(Rotations::count),
            scales.as_ref().map(Positions::count),
        ];
        let mut given = counts.into_iter().flatten();
        let place = || node_place(node);
        let Some(count) = given.next() else {
            let message =
                "it has EXT_mesh_gpu_instancing, but neither TRANSLATION, ROTATION nor SCALE";
            return Err(Fault::json(place(), message));
        };
        if let Some(other) = given.find(|&other| other != count) {
            let message = format!(
                "the attributes of its EXT_mesh_gpu_instancing are for {count} and for {other} \
                 instances"
            );
            return Err(Fault::json(place(), message));
        }
        source.budget.charge_instances(count as u64, place)?;
        Ok(Self { node, count, translations, rotations, scales })
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn get(&self, at: usize) -> Result<DAffine3, Fault> {
        let translation = self.translations.as_ref().map_or(DVec3::ZERO, |all| all.get(at));
        let rotation = self.rotations.as_ref().map_or(DQuat::IDENTITY, |all| all.get(at));
        let scale = self.scales.as_ref().map_or(DVec3::ONE, |all| all.get(at));
        let fault = |message: String| {
            Fault::json(node_place(self.node), format!("instance {at}: {message}"))
        };
        let transform = transform(translation, rotation, scale).map_err(fault)?;
        match transform.is_finite() {
            true => Ok(transform),
            false => Err(fault("its transform is not finite".into())),
        }
    }
}
