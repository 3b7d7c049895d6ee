//! Bodies and their handles. A handle detects that its body was removed.

use super::WorldError;
use crate::{
    FacePair, Mesh, Method, Pose, Shape, generate,
    solid::{PlacedSolid, Solid, SolidError},
};
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
    /// The shape; for a true solid a box around it, which is for the broad phase and is never searched.
    pub(super) shape: Shape,
    pub(super) solid: Option<Box<Solid>>,
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
            solid: None,
            pose,
            is_fixed: false,
            filter: Filter::ALL,
            own_contacts: None,
            is_deforming: false,
        }
    }

    /// A moving body that is a true solid, at the identity pose, in all groups. Fails for a solid that is larger than a mesh
    /// may be.
    ///
    /// Steps report its contacts as those of other bodies. It has a single face, with the number 0. Decisions about solids
    /// have an [error](Solid#errors). Meshes of any method may be in the same world.
    ///
    /// Solids neither deform nor touch themselves. In a world with solids, bodies cannot have
    /// [motions](super::World::set_motion): impacts between steps are not searched. Pairs with a solid are searched in each
    /// step, whatever is remembered of other pairs.
    ///
    /// ```
    /// use impinge::{Pose, Shape, World, generate, glam::DVec3, solid::Solid, world::Body};
    ///
    /// let floor = Shape::new(generate::cuboid(DVec3::new(9.0, 9.0, 1.0))?);
    /// let mut world = World::new();
    /// let floor = world.add(Body::new(&floor).fixed())?;
    /// let ball = world.add(Body::solid(&Solid::ball(0.5)?)?)?;
    /// world.set_pose(ball, Pose::from_translation(DVec3::new(1.0, 2.0, 1.0))?)?;
    /// let step = world.step();
    /// assert_eq!(step.began(), [[floor, ball]]);
    /// assert!(step.contacts().all(|contact| contact.faces.b == 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solid(solid: &Solid) -> Result<Self, SolidError> {
        let shape = Shape::with_method(Method::BRUTE, box_around(solid)?);
        Ok(Self { solid: Some(Box::new(*solid)), ..Self::new(&shape) })
    }

    /// The solid at its pose, if the body is one.
    pub(super) fn placed_solid(&self) -> Option<PlacedSolid> {
        self.solid.as_ref().map(|solid| solid.placed(&self.pose))
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
    /// by default. [`Shape::self_query`] says which faces are in contact; vertices are common by their index. True solids
    /// have no such contacts.
    pub fn self_collision(mut self, is_on: bool) -> Self {
        self.set_self_collision(is_on);
        self
    }

    pub(super) fn set_self_collision(&mut self, is_on: bool) {
        let is_on = is_on && self.solid.is_none();
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

/// A box around a solid, in its own coordinates. A matrix that is a rotation only to 1e-6 skews the box, but does not change
/// the solid: the box is larger by more than that.
fn box_around(solid: &Solid) -> Result<Mesh, SolidError> {
    let bounds = solid.bounds();
    let bounds = bounds.grown(8e-6 * bounds.largest_coordinate());
    let too_large = |value| SolidError::Value { what: "size", value, least: 0.0 };
    let cube = generate::cuboid(glam::DVec3::ONE).map_err(|_| too_large(1.0))?;
    let corner =
        |p: &glam::DVec3| glam::DVec3::select(p.cmplt(glam::DVec3::ZERO), bounds.min, bounds.max);
    let positions = cube.positions().iter().map(corner).collect();
    Mesh::new(positions, cube.faces().to_vec()).map_err(|_| too_large(bounds.largest_coordinate()))
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

    /// Whether one of two bodies is a true solid.
    pub(super) fn has_solid(&self, pair: [u32; 2]) -> bool {
        let is_solid = |index| self.at(index).is_some_and(|body| body.solid.is_some());
        pair.into_iter().any(is_solid)
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
