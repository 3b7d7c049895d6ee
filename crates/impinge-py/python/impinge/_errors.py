"""The exceptions of the package. Each is an `Error` and the built-in exception that callers would expect."""


class Error(Exception):
    """The base of all exceptions of the package."""


class MeshError(Error, ValueError):
    """Vertices and faces are not a mesh: the message names the vertex or the face."""


class PoseError(Error, ValueError):
    """A matrix is not a rigid pose, or two poses are not a motion."""


class ArgumentError(Error, ValueError):
    """An argument has a value that it cannot have."""


class FileError(Error, OSError):
    """A file cannot be read or written: the message names the file and the place in it."""


class MissingFileError(FileError, FileNotFoundError):
    """A file does not exist."""


class WorldError(Error, ValueError):
    """A world refused a call, for example because a body was removed. The world is unchanged."""


class ClusterError(Error, RuntimeError):
    """A cluster cannot be reached, or a task failed there although it was repeated."""


for _class in (Error, MeshError, PoseError, ArgumentError, FileError, MissingFileError, WorldError, ClusterError):
    _class.__module__ = "impinge"
del _class
