//! Bodies and their handles. A handle detects that its body was removed.

use super::WorldError;
use crate::{FacePair, Pose, Shape};
use std::fmt;

/// A handle of a body. After the body is removed, the handle never refers to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    pub(super) index: u32,
    /// The number of earlier bodies with this index.
    pub(super) generation: u32,
}

impl BodyId {
    /// An index that no other body in the world has at the same time. Indices of removed bodies are reused,
    /// so they stay small.
    pub fn index(self) -> u32 {
        self.index
    }
}

impl fmt::Display for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.generation {
            0 => write!(f, "{}", self.index),
            generation => write!(f, "{}.{generation}", self.index),
        }
    }
}

/// A body to be added to a world: a shape, its pose, and the groups it may touch.
///
/// ```
/// use impinge::{Shape, generate, glam::DVec3, world::Body};
///
/// let floor = Shape::new(generate::cuboid(DVec3::new(9.0, 9.0, 0.1))?);
/// let body = Body::new(&floor).fixed().groups(0b01, 0b10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a body is not in a world before it is added to one"]
pub struct Body {
    pub(super) shape: Shape,
    pub(super) pose: Pose,
    pub(super) is_fixed: bool,
    pub(super) filter: Filter,
    pub(super) own_contacts: Option<OwnContacts>,
    /// Whether vertices were moved since the last step.
    pub(super) is_deforming: bool,
}

/// The contacts of a body with itself, which depend on its shape alone.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnContacts {
    /// Pairs of faces, sorted.
    pub(super) faces: Vec<FacePair>,
    /// Whether these are the contacts of the body's present shape.
    pub(super) is_current: bool,
}

/// The groups of a body, and the groups it may touch, one bit per group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) groups: u32,
    pub(super) mask: u32,
}

impl Filter {
    pub(super) const ALL: Self = Self { groups: u32::MAX, mask: u32::MAX };

    #[inline]
    pub(super) fn allows(self, other: Self) -> bool {
        self.groups & other.mask != 0 && other.groups & self.mask != 0
    }
}

impl Body {
    /// A moving body at the identity pose, in all groups.
    pub fn new(shape: &Shape) -> Self {
        let (shape, pose) = (shape.clone(), Pose::IDENTITY);
        Self {
            shape,
            pose,
            is_fixed: false,
            filter: Filter::ALL,
            own_contacts: None,
            is_deforming: false,
        }
    }

    /// Sets the pose.
    pub fn at(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// Makes the body fixed: one that hardly ever moves, such as a floor. Pairs of two fixed bodies are never
    /// tested.
    pub fn fixed(mut self) -> Self {
        self.is_fixed = true;
        self
    }

    /// Sets the groups of the body, one bit per group, and the `mask` of groups it may touch. A pair is
    /// tested if each body is in a group of the other's mask.
    pub fn groups(mut self, groups: u32, mask: u32) -> Self {
        self.filter = Filter { groups, mask };
        self
    }
}

impl Body {
    /// Sets whether steps also report contacts of the body with itself, as a pair of the body and itself. They do not
    /// by default. [`Shape::self_query`] says which faces are in contact; vertices are common by their index.
    pub fn self_collision(mut self, is_on: bool) -> Self {
        self.set_self_collision(is_on);
        self
    }

    pub(super) fn set_self_collision(&mut self, is_on: bool) {
        if is_on != self.own_contacts.is_some() {
            self.own_contacts = is_on.then(OwnContacts::default);
        }
    }

    /// Takes another shape.
    pub(super) fn set_shape(&mut self, shape: Shape) {
        self.shape = shape;
        self.shape_changed();
    }

    /// Drops what was found out about the shape before it changed.
    pub(super) fn shape_changed(&mut self) {
        if let Some(own) = &mut self.own_contacts {
            own.is_current = false;
        }
    }
}

/// Bodies by index.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    slots: Vec<Slot>,
    /// Indices to be reused.
    free: Vec<u32>,
    count: usize,
}

#[derive(Debug)]
struct Slot {
    generation: u32,
    body: Option<Body>,
}

impl Bodies {
    pub(super) fn insert(&mut self, body: Body) -> Result<BodyId, WorldError> {
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.body = Some(body);
            self.count += 1;
            return Ok(BodyId { index, generation: slot.generation });
        }
        let index = u32::try_from(self.slots.len()).ok().filter(|&index| index < u32::MAX);
        let index = index.ok_or(WorldError::TooManyBodies)?;
        self.slots.push(Slot { generation: 0, body: Some(body) });
        self.count += 1;
        Ok(BodyId { index, generation: 0 })
    }

    pub(super) fn remove(&mut self, id: BodyId) -> Option<Body> {
        self.get(id)?;
        let slot = &mut self.slots[id.index as usize];
        // An index whose generation would overflow is never reused.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(id.index);
        }
        self.count -= 1;
        slot.body.take()
    }

    pub(super) fn get(&self, id: BodyId) -> Option<&Body> {
        let slot = self.slots.get(id.index as usize)?;
        slot.body.as_ref().filter(|_| slot.generation == id.generation)
    }

    pub(super) fn get_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        let slot = self.slots.get_mut(id.index as usize)?;
        slot.body.as_mut().filter(|_| slot.generation == id.generation)
    }

    pub(super) fn checked(&self, body: BodyId) -> Result<&Body, WorldError> {
        self.get(body).ok_or(WorldError::NoSuchBody { body })
    }

    /// The same, to be changed.
    pub(super) fn at_mut(&mut self, index: u32) -> Option<&mut Body> {
        self.slots[index as usize].body.as_mut()
    }

    /// The body with an index that was in use at some time; `None` if it was removed.
    #[inline]
    pub(super) fn at(&self, index: u32) -> Option<&Body> {
        self.slots[index as usize].body.as_ref()
    }

    #[inline]
    pub(super) fn id(&self, index: u32) -> BodyId {
        BodyId { index, generation: self.slots[index as usize].generation }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        (0..).zip(&self.slots).filter_map(|(index, slot)| {
            let id = BodyId { index, generation: slot.generation };
            slot.body.as_ref().map(|body| (id, body))
        })
    }
}
