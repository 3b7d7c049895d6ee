//! The leaf size of a moving body, by its number of faces and the kind of volume (Klosowski 1998, ch. 6).

use crate::Method;

/// Bodies with fewer faces than this have the same leaf size for every method.
const SMALL_BODY: usize = 1000;

/// A leaf size for a body that moves among others with leaves of a single face, as the paper proposes. For
/// [`BuildOptions::leaf`](super::BuildOptions::leaf).
///
/// Larger leaves of the moving body save tests of volumes, and volumes to place, for more tests of faces. Leaves
/// of the other body stay small: large leaves on both sides multiply. A small body has a small leaf size whatever
/// its volumes are. The leaf size of a large body grows with the number of planes of a k-DOP, because each test
/// and each placed volume costs more. The sizes are those that took the least time in the benchmark `thresholds`.
///
/// ```
/// use impinge::{Method, Shape, generate, method::tree::{BuildOptions, leaf_by_size}};
///
/// let ball = generate::sphere(960)?;
/// let leaf = leaf_by_size(Method::DOP18, ball.faces().len());
/// let moving = Shape::build((Method::DOP18, BuildOptions::default().leaf(leaf)), ball);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn leaf_by_size(method: Method, faces: usize) -> u32 {
    const FEW_PLANES: [Method; 4] = [Method::AABB, Method::SPHERE, Method::DOP6, Method::DOP8];
    if faces < SMALL_BODY || FEW_PLANES.contains(&method) { 2 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::tree::METHODS;

    #[test]
    fn leaf_sizes_grow_with_size_and_planes() {
        for method in METHODS {
            assert_eq!(leaf_by_size(method, 0), leaf_by_size(Method::DOP6, 999));
            assert!(leaf_by_size(method, 1000) >= leaf_by_size(method, 999));
        }
        assert!(leaf_by_size(Method::DOP26, 20_000) > leaf_by_size(Method::DOP6, 20_000));
    }
}
