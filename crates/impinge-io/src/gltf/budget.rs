//! Limits the memory that a file may take when it is unpacked.
//!
//! An accessor is one line of JSON, but may declare four billion zeros, or be used by a hundred thousand meshes. So memory is
//! counted before it is allocated, and the file is refused if it needs more than a legitimate file of its size could.
//!
//! Memory that grows with the JSON alone is not counted: nodes and other objects take a few times their length in the
//! file, and there are no more parts than nodes. A part takes about 170 bytes; the shortest node in a file takes eleven
//! bytes, and a node with its own translation over thirty.

use crate::error::Fault;

/// Bytes of memory allowed for each byte of the file and of its external buffers.
///
/// Legitimate data stays below this even at its densest: a strip over byte-sized positions takes five bytes per vertex in
/// the file and 36 in memory. Common files take twice their size.
const EXPANSION: u64 = 7;

/// Bytes of memory allowed for any file, however small.
const ALLOWANCE: u64 = 1 << 20;

/// Bytes of the file required for each instance of `EXT_mesh_gpu_instancing`. An instance takes at least twelve bytes, but
/// several nodes may share the data: a bolt and its washer have the same transforms.
const BYTES_PER_INSTANCE: u64 = 4;

/// Instances allowed for any file, however small.
const INSTANCE_ALLOWANCE: u64 = 1000;

/// The remaining budget for positions, faces, names and decoded buffers, and for instances.
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

    /// Adds the size of an external buffer to the size of the file.
    pub(super) fn grow(&mut self, file_bytes: usize) {
        self.left = self.left.saturating_add((file_bytes as u64).saturating_mul(EXPANSION));
        self.instances_left += file_bytes as u64 / BYTES_PER_INSTANCE;
    }

    /// Takes `bytes` from the budget, or refuses the object that needs them.
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
    /// Takes instances from the budget, or refuses the node that needs them.
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
