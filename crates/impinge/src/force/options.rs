//! What can be chosen about reaction forces, and what is refused.

use crate::mesh::NotSolid;
use glam::DVec3;

/// How a [`Feedback`](super::Feedback) computes forces. Lengths are in the unit of the meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedbackOptions {
    pub(super) stiffness: f64,
    pub(super) spacing: Option<f64>,
    pub(super) most_samples: usize,
    pub(super) most_force: f64,
    pub(super) reference: Option<DVec3>,
}

impl Default for FeedbackOptions {
    fn default() -> Self {
        Self {
            stiffness: 1.0,
            spacing: None,
            most_samples: 50_000,
            most_force: f64::INFINITY,
            reference: None,
        }
    }
}

impl FeedbackOptions {
    /// Returns the default options: a stiffness of 1, a spacing that follows from the held body, and no limit of the force.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the stiffness: the pressure, in force per area, at a depth of one unit of length. 1 by default.
    #[must_use]
    pub fn stiffness(mut self, stiffness: f64) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// Sets the longest edge of the triangles into which faces are divided; the depth is measured at their corners. Faces
    /// that are smaller stay as they are. By default 1/32 of the diagonal of the held body's bounding box.
    #[must_use]
    pub fn spacing(mut self, spacing: f64) -> Self {
        self.spacing = Some(spacing);
        self
    }

    /// Sets how many samples a body has at most, unless it has more vertices: for large bodies the spacing is doubled until
    /// it has no more. 50,000 by default.
    #[must_use]
    pub fn most_samples(mut self, samples: usize) -> Self {
        self.most_samples = samples;
        self
    }

    /// Sets the largest force. A larger one is scaled down, and with it the torque and all regions. Infinite by default.
    #[must_use]
    pub fn most_force(mut self, force: f64) -> Self {
        self.most_force = force;
        self
    }

    /// Sets the point about which the torque acts, in the held body's own coordinates. By default the center of its
    /// bounding box.
    #[must_use]
    pub fn reference(mut self, point: DVec3) -> Self {
        self.reference = Some(point);
        self
    }

    /// Fails unless all numbers can be used.
    pub(super) fn check(&self) -> Result<(), FeedbackError> {
        let positive = |name, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(FeedbackError::NotPositive { name, value }),
        };
        positive("stiffness", self.stiffness)?;
        if let Some(spacing) = self.spacing {
            positive("spacing", spacing)?;
        }
        if self.most_force.is_nan() || self.most_force <= 0.0 {
            return Err(FeedbackError::NotPositive {
                name: "largest force",
                value: self.most_force,
            });
        }
        match self.reference {
            Some(point) if !point.is_finite() => Err(FeedbackError::ReferenceNotFinite { point }),
            _ => Ok(()),
        }
    }
}

/// Why forces cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FeedbackError {
    /// A number of the options is not positive, or not finite.
    #[error("the {name} is {value}, not a positive number")]
    NotPositive {
        /// Which number.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A coordinate of the reference point is NaN or infinite.
    #[error("the reference point of the torque is {point}, which is not finite")]
    ReferenceNotFinite {
        /// The point.
        point: DVec3,
    },
    /// The faces of the held body enclose no solid, so nothing has a depth in it.
    #[error("the held body has no inside: {0}")]
    HeldNotSolid(NotSolid),
    /// The faces of an obstacle enclose no solid, so nothing has a depth in it.
    #[error("the obstacle has no inside: {0}")]
    ObstacleNotSolid(NotSolid),
    /// The obstacle was not added here.
    #[error("there is no obstacle {number}")]
    UnknownObstacle {
        /// The number of the obstacle.
        number: usize,
    },
}
