//! The colours of paths, tools and bodies: the one table that GLB and the page take them from.

use crate::{Role, ToolPartKind};

/// Red, green and blue (sRGB).
pub(crate) type Rgb = [u8; 3];

/// What a stretch of the path is, as reports show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathClass {
    /// A feed move without a gouge.
    Clear,
    /// A rapid move without a gouge.
    Rapid,
    /// A move with a gouge.
    Gouging,
}

impl PathClass {
    pub(crate) const ALL: [Self; 3] = [Self::Clear, Self::Rapid, Self::Gouging];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Rapid => "rapid",
            Self::Gouging => "gouging",
        }
    }

    pub(crate) fn color(self) -> Rgb {
        match self {
            Self::Clear => [104, 190, 148],
            Self::Rapid => [64, 140, 255],
            Self::Gouging => [255, 48, 40],
        }
    }
}

/// The colour of a part of a tool.
pub(crate) fn tool_color(kind: ToolPartKind) -> Rgb {
    match kind {
        ToolPartKind::Cutter => [242, 196, 60],
        ToolPartKind::Shank => [150, 158, 170],
        ToolPartKind::Holder => [172, 110, 240],
    }
}

/// The colour of a body, with its opacity.
pub(crate) fn body_color(role: Role) -> [u8; 4] {
    match role {
        Role::Part => [176, 180, 186, 255],
        Role::Stock => [120, 170, 220, 70],
        Role::Fixture => [128, 112, 92, 255],
    }
}

/// The colour of faces that a tool reaches into.
pub(crate) const HIT_FACES: Rgb = [225, 60, 40];
