//! Why a specification of a tool is refused.

use impinge::solid::SolidError;

/// The shapes that a specification may name.
pub(super) const SHAPES: [&str; 6] = ["ball", "flat", "bull", "cone", "taper", "drill"];

/// Why a text is no specification of a tool.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// There is no shape of this name.
    #[error("`{found}` is no shape of a tool: use {}", SHAPES.join(", "))]
    UnknownShape {
        /// The text before the colon.
        found: String,
    },
    /// The shape has no key of this name.
    #[error("{shape} has no key `{key}`: its keys are {allowed}")]
    UnknownKey {
        /// The shape.
        shape: &'static str,
        /// The key that is not known.
        key: String,
        /// The keys of the shape.
        allowed: String,
    },
    /// A key that the shape needs is not there.
    #[error("{shape} needs the key `{key}`, for example {example}")]
    MissingKey {
        /// The shape.
        shape: &'static str,
        /// The key.
        key: &'static str,
        /// A specification that has the key.
        example: &'static str,
    },
    /// A key is there more than once.
    #[error("the key `{key}` is there more than once")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// An item is neither `key=value` nor the continuation of a list.
    #[error("`{item}` is not of the form key=value")]
    NoKey {
        /// The item.
        item: String,
    },
    /// A value is no number, or it is out of its range.
    #[error("{key}={value}: the value must be {allowed}")]
    Value {
        /// The key.
        key: String,
        /// The value as it is written.
        value: String,
        /// Which values are allowed.
        allowed: String,
    },
    /// A shank or a holder stands on a cutter that has no length.
    #[error("`{key}` needs the key `length`: it starts where the cutter ends")]
    NeedsLength {
        /// `shank` or `holder`.
        key: &'static str,
    },
    /// The factor to millimetres, or a length in millimetres, is no usable number.
    #[error("a length of the tool in millimetres is out of range: {0}")]
    Solid(#[from] SolidError),
}
