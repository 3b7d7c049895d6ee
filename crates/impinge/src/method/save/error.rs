//! Why bytes are not a tree of a mesh.

/// Why bytes are not a saved tree of a given mesh and volume; bytes are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeFileError {
    /// The first bytes are not those of a tree.
    #[error("this is no tree of impinge: it does not begin with `IMPBVTRE`")]
    NotATree,
    /// Another version of the format.
    #[error(
        "the tree is of version {found} of the format (byte 8); this program reads version 2: build it anew"
    )]
    Version {
        /// The version it says it is.
        found: u32,
    },
    /// A tree of other volumes than were asked for.
    #[error("the tree holds volumes of kind {found} ({}; byte 12), not of kind {expected} ({})", kind_name(*found), kind_name(*expected))]
    Kind {
        /// The kind in the file.
        found: u32,
        /// The kind that was asked for.
        expected: u32,
    },
    /// A tree of volumes that this program does not know.
    #[error("the tree holds volumes of kind {found} (byte 12), which this program does not know")]
    UnknownKind {
        /// The kind in the file.
        found: u32,
    },
    /// There are fewer or more bytes than there have to be.
    #[error(
        "the tree has {found} bytes where it has to have {expected}: it was cut off or added to"
    )]
    Length {
        /// As many as its counts call for, or the least that any has.
        expected: u64,
        /// As many as there are.
        found: u64,
    },
    /// The bytes are not those that were written.
    #[error(
        "the tree is damaged: its checksum is {computed:016x}, but it says {stored:016x} (byte {at})"
    )]
    Checksum {
        /// Where the checksum is.
        at: usize,
        /// The checksum at the end.
        stored: u64,
        /// The checksum of what comes before.
        computed: u64,
    },
    /// The tree was saved for another mesh, or the mesh has changed since.
    #[error(
        "the tree belongs to another mesh, or the mesh has changed since (bytes 16 to 27): build it anew"
    )]
    OtherMesh,
    /// There are more nodes than so many pieces can have, or none.
    #[error("the tree has {nodes} nodes for {pieces} faces or pieces (byte 28)")]
    NodeCount {
        /// How many nodes it says it has.
        nodes: u32,
        /// How many pieces it says it has: faces, if none is split.
        pieces: u32,
    },
    /// There are more pieces than the mesh's faces can be split into.
    #[error(
        "the tree has {found} pieces (byte 24), but the mesh's faces can be split into {most} only"
    )]
    PieceCount {
        /// How many pieces it says it has.
        found: u32,
        /// How many there can be.
        most: u32,
    },
    /// The list of pieces names one that is not there, or one twice.
    #[error(
        "the tree's list names face or piece {piece} (byte {at}), which is not there or was named before"
    )]
    Piece {
        /// Where.
        at: usize,
        /// The piece; a face, if it is less than the number of faces.
        piece: u32,
    },
    /// A node is not where the tree's shape allows one.
    #[error("node {node} (byte {at}) {problem}")]
    Node {
        /// Where.
        at: usize,
        /// The node.
        node: u32,
        /// What is wrong.
        problem: NodeProblem,
    },
    /// A node's volume is none, or does not enclose what is below it.
    #[error("the volume of node {node} (byte {at}) {problem}")]
    Volume {
        /// Where.
        at: usize,
        /// The node.
        node: u32,
        /// What is wrong.
        problem: VolumeProblem,
    },
}

/// What is wrong with a node of a saved tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeProblem {
    /// Its children are not after it, or beyond the last node.
    #[error("has children that are not among the nodes after it")]
    Children,
    /// A child of it has another parent already.
    #[error("shares a child with another")]
    Shared,
    /// It is nobody's child, and not the root.
    #[error("is no child of any")]
    Orphan,
    /// It is deeper than any tree of so many faces needs to be.
    #[error("is too deep")]
    Depth,
    /// Its pieces, or those of its children, are not in a row in the list, from the first to the
    /// last. (A face that is not split is one piece.)
    #[error("does not hold the faces or pieces that are its own in the list")]
    Pieces,
}

/// What is wrong with a volume of a saved tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeProblem {
    /// A number of it is out of range or not a number, or its axes are not at right angles.
    #[error("is not a sound one")]
    Unsound,
    /// A face below the node reaches beyond it.
    #[error("does not enclose the faces below it")]
    TooSmall,
}

/// The name of a kind of volume, as methods are called.
fn kind_name(kind: u32) -> &'static str {
    match kind {
        1 => "aabb",
        2 => "sphere",
        3 => "obb",
        5 => "wide",
        6 => "dop6",
        8 => "dop8",
        12 => "dop12",
        14 => "dop14",
        18 => "dop18",
        20 => "dop20",
        26 => "dop26",
        _ => "unknown",
    }
}
