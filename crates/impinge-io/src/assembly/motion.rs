//! Moves the robots of an assembly: joint values in, poses of all parts out. No file is read again.

use super::{Assembly, Robot, placement::Split};
use glam::DAffine3;
use impinge::Pose;

/// Computes the poses of the parts of an assembly for any joint values of its robots.
///
/// ```
/// use impinge_io::assembly::{LoadOptions, read};
///
/// let robot = br#"<robot name="lift"><link name="base"/>
///     <link name="table"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
///     <joint name="up" type="prismatic"><parent link="base"/><child link="table"/>
///     <axis xyz="0 0 1"/></joint></robot>"#;
/// let assembly = read(robot, "lift.urdf".as_ref(), &LoadOptions::default())?;
/// let mut motion = assembly.motion();
/// assert_eq!(motion.poses(&[0.25])?[0].translation().z, 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Motion<'a> {
    assembly: &'a Assembly,
    values: Vec<f64>,
    links: Vec<DAffine3>,
    poses: Vec<Pose>,
}

/// Joint values place a part beyond the range of numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the joint values place {what} beyond the range of numbers")]
pub struct OutOfRange {
    what: String,
}

impl OutOfRange {
    fn of(kind: &str, name: &str) -> Self {
        Self { what: format!("the {kind} `{}`", crate::text::shown(name)) }
    }
}

impl<'a> Motion<'a> {
    pub(super) fn new(assembly: &'a Assembly) -> Self {
        let poses = assembly.parts.iter().map(|part| part.placement).collect();
        Self { assembly, values: Vec::new(), links: Vec::new(), poses }
    }

    /// Sets the values of all joints that mimic others.
    ///
    /// # Panics
    /// If there are fewer values than joints.
    pub fn follow(&self, values: &mut [f64]) {
        for robot in &self.assembly.robots {
            let (first, end) = (robot.joints.start as usize, robot.joints.end as usize);
            robot.mechanism.follow(&mut values[first..end]);
        }
    }

    /// Returns the pose of every part for these joint values, in radians or metres: one for each of
    /// [`Assembly::joints`]. The values of fixed joints and of those that mimic others are not used. Limits are not
    /// checked. Parts that belong to no robot stay in place.
    ///
    /// # Errors
    /// If a part is beyond the range of numbers.
    ///
    /// # Panics
    /// If there are fewer values than joints.
    pub fn poses(&mut self, values: &[f64]) -> Result<&[Pose], OutOfRange> {
        for robot in &self.assembly.robots {
            self.place_links(robot, values)?;
            robot
                .mechanism
                .place_parts(&self.links, &mut self.poses)
                .map_err(|part| OutOfRange::of("part", &self.assembly.parts[part as usize].name))?;
        }
        Ok(&self.poses)
    }

    /// Returns the pose of every link for these joint values, in the order of [`Assembly::links`], in the unit of the
    /// assembly: where the link's own origin is, in which its collision geometry is given. Otherwise as
    /// [`poses`](Self::poses).
    ///
    /// # Errors
    /// If a link is beyond the range of numbers.
    ///
    /// # Panics
    /// If there are fewer values than joints.
    pub fn link_poses(&mut self, values: &[f64]) -> Result<Vec<Pose>, OutOfRange> {
        let mut poses = Vec::with_capacity(self.assembly.links.len());
        for robot in &self.assembly.robots {
            self.place_links(robot, values)?;
            let factor = robot.mechanism.factor();
            for link in &self.links {
                let rotation = Split::new(link.matrix3).rotation;
                let pose = Pose::new(rotation, link.translation * factor);
                let name = &self.assembly.links[poses.len()].name;
                poses.push(pose.map_err(|_| OutOfRange::of("link", name))?);
            }
        }
        Ok(poses)
    }

    /// Places the links of one robot, in its own unit, for the values of all joints of the assembly.
    fn place_links(&mut self, robot: &Robot, values: &[f64]) -> Result<(), OutOfRange> {
        let (first, end) = (robot.joints.start as usize, robot.joints.end as usize);
        self.values.clear();
        self.values.extend_from_slice(&values[first..end]);
        robot.mechanism.follow(&mut self.values);
        robot
            .mechanism
            .place_links(&self.values, &mut self.links)
            .map_err(|joint| OutOfRange::of("joint", &self.assembly.joints[first + joint].name))
    }
}

impl Assembly {
    /// Returns a way to compute the poses of all parts for other joint values.
    pub fn motion(&self) -> Motion<'_> {
        Motion::new(self)
    }

    /// Returns whether two links can move relative to each other: whether they belong to different robots, or a
    /// joint that is not fixed lies between them.
    ///
    /// # Panics
    /// If a link is out of range.
    pub fn is_movable(&self, a: u32, b: u32) -> bool {
        let Some(robot) = self.robots.iter().find(|robot| robot.links.contains(&a)) else {
            return true;
        };
        if !robot.links.contains(&b) {
            return true;
        }
        let bodies = robot.mechanism.rigid_bodies();
        let body = |link: u32| bodies[(link - robot.links.start) as usize];
        body(a) != body(b)
    }
}
