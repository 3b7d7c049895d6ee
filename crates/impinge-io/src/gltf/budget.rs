//! How much a file may unpack to.
//!
//! An accessor takes a line of JSON and may promise four thousand million zeros, or be used by
//! every one of a hundred thousand meshes. So what is unpacked is counted before it is stored,
//! and the file is refused where it goes beyond what a file of its size could honestly hold.
//!
//! Not counted is what grows with the JSON alone: its nodes and other objects, in a few times their
//! length, and the parts of the model, of which there are no more than nodes. A part takes some 170
//! bytes, where the shortest node takes eleven and one with a place of its own over thirty.

use crate::error::Fault;

/// Bytes in memory for each byte of the file and of its external buffers.
///
/// The densest honest data stays below: a strip over byte-sized positions takes five bytes a
/// vertex in the file and 36 here. Common files take twice their size.
const EXPANSION: u64 = 7;

/// What any file may take, however small.
const ALLOWANCE: u64 = 1 << 20;

/// Bytes of the file for each instance that `EXT_mesh_gpu_instancing` makes. An instance takes
/// twelve at least, but nodes may share the data: a bolt and its washer stand in the same places.
const BYTES_PER_INSTANCE: u64 = 4;

/// Instances that any file may make.
const INSTANCE_ALLOWANCE: u64 = 1000;

/// What is left to spend on positions, faces, names and decoded buffers, and on instances.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
    instances_left: u64,
}

impl Budget {
    pub(super) fn new(file_bytes: usize) -> Self {
        let mut budget = Self { left: ALLOWANCE, instances_left: INSTANCE_ALLOWANCE };
        budget.grow(file_bytes);
        budget
    }

    /// Counts an external buffer as part of the file.
    pub(super) fn grow(&mut self, file_bytes: usize) {
        self.left = self.left.saturating_add((file_bytes as u64).saturating_mul(EXPANSION));
        self.instances_left += file_bytes as u64 / BYTES_PER_INSTANCE;
    }

    /// Spends `bytes`, or refuses the object that asks for them.
    pub(super) fn charge(
        &mut self,
        bytes: u64,
        place: impl FnOnce() -> String,
    ) -> Result<(), Fault> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let message = format!(
                    "unpacked up to here, the model would take more than {EXPANSION} times the \
                     size of its files; counts are wrong, or the same data is used too often"
                );
                Err(Fault::json(place(), message))
            }
        }
    }
}

impl Budget {
    /// Spends instances, or refuses the node that asks for them.
    pub(super) fn charge_instances(
        &mut self,
        count: u64,
        place: impl FnOnce() -> String,
    ) -> Result<(), Fault> {
        match self.instances_left.checked_sub(count) {
            Some(left) => {
                self.instances_left = left;
                Ok(())
            }
            None => {
                let message = format!(
                    "up to here, the file has more than one instance for every \
                     {BYTES_PER_INSTANCE} bytes of it; counts are wrong, or the same data is used \
                     too often"
                );
                Err(Fault::json(place(), message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_gone_and_external_buffers_count() {
        let place = || "meshes[3]".to_owned();
        let mut budget = Budget::new(100);
        budget.charge(ALLOWANCE + 600, place).unwrap();
        let fault = budget.charge(101, place).unwrap_err();
        assert_eq!(fault.location, crate::error::Location::Json("meshes[3]".into()));
        budget.charge(100, place).unwrap();
        budget.grow(1);
        budget.charge(7, place).unwrap();
        assert!(budget.charge(u64::MAX, place).is_err());
    }
}
