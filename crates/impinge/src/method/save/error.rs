//! The errors of loading a saved tree.

/// Why bytes are not a saved tree of the given mesh and volume. Byte positions count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeFileError {
    /// The first bytes are not those of a tree.
    #[error("this is not an impinge tree: it does not begin with `IMPBVTRE`")]
    NotATree,
    /// The file has another version of the format.
    #[error(
        "the tree has version {found} of the format (byte 8), but this program reads version 2: build the tree again"
    )]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// The tree has other volumes than requested.
    #[error("the tree holds volumes of kind {found} ({}; byte 12), not of kind {expected} ({})", kind_name(*found), kind_name(*expected))]
    Kind {
        /// The kind in the file.
        found: u32,
        /// The requested kind.
        expected: u32,
    },
    /// The tree has volumes that this program does not know.
    #[error("the tree holds volumes of kind {found} (byte 12), which this program does not know")]
    UnknownKind {
        /// The kind in the file.
        found: u32,
    },
    /// The number of bytes is wrong.
    #[error("the tree has {found} bytes instead of {expected}: it is truncated or has extra bytes")]
    Length {
        /// The number that follows from the counts in the file, or the least possible number.
        expected: u64,
        /// The actual number.
        found: u64,
    },
    /// The checksum does not match.
    #[error(
        "the tree is damaged: its checksum is {computed:016x}, but the file says {stored:016x} (byte {at})"
    )]
    Checksum {
        /// The byte position of the stored checksum.
        at: usize,
        /// The checksum in the file.
        stored: u64,
        /// The checksum of the bytes before it.
        computed: u64,
    },
    /// The tree was saved for another mesh, or the mesh has changed.
    #[error(
        "the tree belongs to another mesh, or the mesh has changed (bytes 16 to 27): build the tree again"
    )]
    OtherMesh,
    /// The tree has no nodes, or more than its pieces allow.
    #[error("the tree has {nodes} nodes for {pieces} faces or pieces (byte 28)")]
    NodeCount {
        /// The number of nodes in the file.
        nodes: u32,
        /// The number of pieces in the file: faces, if none is split.
        pieces: u32,
    },
    /// The tree has more pieces than the mesh's faces can be split into.
    #[error(
        "the tree has {found} pieces (byte 24), but the mesh's faces can be split into at most {most}"
    )]
    PieceCount {
        /// The number of pieces in the file.
        found: u32,
        /// The largest possible number.
        most: u32,
    },
    /// The list of pieces repeats one, or names one that does not exist.
    #[error(
        "the tree's list names face or piece {piece} (byte {at}), which does not exist or was named before"
    )]
    Piece {
        /// The byte position of the entry.
        at: usize,
        /// The piece; a face if it is less than the number of faces.
        piece: u32,
    },
    /// The nodes do not form a tree.
    #[error("node {node} (byte {at}) {problem}")]
    Node {
        /// The byte position of the node.
        at: usize,
        /// The index of the node.
        node: u32,
        /// What is wrong.
        problem: NodeProblem,
    },
    /// A node's volume is invalid, or does not enclose the faces below it.
    #[error("the volume of node {node} (byte {at}) {problem}")]
    Volume {
        /// The byte position of the volume.
        at: usize,
        /// The index of the node.
        node: u32,
        /// What is wrong.
        problem: VolumeProblem,
    },
}

/// What is wrong with a node of a saved tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeProblem {
    /// Its children do not come after it, or do not exist.
    #[error("has children that are not among the nodes after it")]
    Children,
    /// A child of it has another parent already.
    #[error("shares a child with another node")]
    Shared,
    /// It is not the root, and not the child of any node.
    #[error("is not the child of any node")]
    Orphan,
    /// It is deeper than any tree over this number of faces needs to be.
    #[error("is too deep")]
    Depth,
    /// Its pieces do not follow each other in the list, or not in the order of its children. (A
    /// face that is not split is one piece.)
    #[error("does not hold its own faces or pieces of the list")]
    Pieces,
}

/// What is wrong with a volume of a saved tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeProblem {
    /// A number is NaN or out of range, or the axes are not orthonormal.
    #[error("is invalid")]
    Unsound,
    /// A face below the node reaches beyond it.
    #[error("does not enclose the faces below it")]
    TooSmall,
}

/// The name of the method with this kind of volume.
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
