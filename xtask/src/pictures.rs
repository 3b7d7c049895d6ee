//! `cargo xtask pictures`: one picture of each verdict, for `docs/clash.md`.
//!
//! Each scene has two parts. The command draws it, and the verdict that it prints must be the one that the picture
//! stands for.

use crate::command;
use std::{
    f64::consts::TAU,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Where the pictures are kept.
const FOLDER: &str = "docs/pictures";

/// The clearance with which all scenes are checked, in the unit of the scenes.
const CLEARANCE: &str = "0.6mm";

type Point = [f64; 3];

/// A part: points and polygons, whose corners run anticlockwise seen from outside.
#[derive(Clone, Default)]
struct Part {
    points: Vec<Point>,
    polygons: Vec<Vec<usize>>,
}

/// Draws all scenes.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join(FOLDER);
    let work = root.join("target/verdict-pictures");
    for folder in [&folder, &work] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    for (verdict, [a, b]) in scenes() {
        let file = work.join(format!("{verdict}.obj"));
        fs::write(&file, obj(&[a, b])).map_err(|error| format!("{}: {error}", file.display()))?;
        draw(root, verdict, &file, &work, &folder.join(format!("verdict-{verdict}.png")))?;
        println!("{FOLDER}/verdict-{verdict}.png");
    }
    Ok(())
}

/// Draws the clash of a scene, and checks its verdict.
fn draw(
    root: &Path,
    verdict: &str,
    file: &Path,
    work: &Path,
    picture: &Path,
) -> Result<(), String> {
    let drawn = work.join(verdict);
    // A folder of an earlier run may hold other pictures.
    let _ = fs::remove_dir_all(&drawn);
    let mut command =
        command::cargo(root, &["run", "--quiet", "--release", "-p", "impinge-cli", "--"]);
    command.args(["clash", "--units", "mm", "--clearance", CLEARANCE, "--csv", "/dev/stdout"]);
    command.arg(file).arg("--pictures").arg(&drawn);
    let output = command.output().map_err(|error| format!("impinge: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !text.contains(&format!("a,b,{verdict},")) {
        return Err(format!("the scene of `{verdict}` has another verdict:\n{text}"));
    }
    let found: Vec<PathBuf> = fs::read_dir(&drawn)
        .map_err(|error| format!("{}: {error}", drawn.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    let [only] = &found[..] else { return Err(format!("{verdict}: {} pictures", found.len())) };
    fs::copy(only, picture).map_err(|error| format!("{}: {error}", picture.display()))?;
    Ok(())
}

/// The scene of each verdict, with lengths in millimetres.
fn scenes() -> Vec<(&'static str, [Part; 2])> {
    let plate = || cuboid([0.0, 0.0, 0.0], [20.0, 14.0, 4.0]);
    let block = |x: f64, z: f64| cuboid([x, 4.0, z], [x + 8.0, 10.0, z + 6.0]);
    let mut tub = cuboid([0.0, 0.0, 0.0], [20.0, 14.0, 12.0]);
    tub.open_top(6.0);
    vec![
        ("duplicate", [block(4.0, 0.0), block(4.0, 0.0)]),
        (
            "inside",
            [cuboid([0.0, 0.0, 0.0], [20.0, 14.0, 12.0]), cylinder([10.0, 7.0], 3.0, [3.0, 9.0])],
        ),
        ("penetrating", [plate(), block(6.0, 2.0)]),
        ("undecided", [tub, cuboid([8.5, 5.5, 11.0], [11.5, 8.5, 12.5])]),
        (
            "fit",
            [bored([20.0, 14.0, 6.0], [10.0, 7.0], 3.0), cylinder([10.0, 7.0], 3.05, [-3.0, 12.0])],
        ),
        ("clearance", [plate(), block(6.0, 4.5)]),
        ("touching", [plate(), block(6.0, 4.0)]),
    ]
}

/// Returns both parts as the groups `a` and `b` of an OBJ file.
fn obj(parts: &[Part; 2]) -> String {
    let (mut text, mut first) = (String::new(), 1);
    for (name, part) in ["a", "b"].iter().zip(parts) {
        let _ = writeln!(text, "g {name}");
        for [x, y, z] in &part.points {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for polygon in &part.polygons {
            let corners: Vec<String> =
                polygon.iter().map(|corner| (corner + first).to_string()).collect();
            let _ = writeln!(text, "f {}", corners.join(" "));
        }
        first += part.points.len();
    }
    text
}

fn cuboid(min: Point, max: Point) -> Part {
    let corner =
        |at: usize| [0, 1, 2].map(|axis| if at >> axis & 1 == 1 { max[axis] } else { min[axis] });
    let polygons: [[usize; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let polygons = polygons.map(|polygon| polygon.to_vec()).to_vec();
    Part { points: (0..8).map(corner).collect(), polygons }
}

impl Part {
    /// Replaces the top of a cuboid by a frame around a square hole with this side.
    fn open_top(&mut self, side: f64) {
        self.polygons.remove(1);
        let top = [4, 5, 7, 6];
        let [[x0, y0, z], [x1, y1, _]] = [self.points[4], self.points[7]];
        let (x, y) = ((x0 + x1) / 2.0, (y0 + y1) / 2.0);
        let half = side / 2.0;
        let hole = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let first = self.points.len();
        self.points.extend(hole.map(|[dx, dy]| [x + dx * half, y + dy * half, z]));
        for side in 0..4 {
            let next = (side + 1) % 4;
            self.polygons.push(vec![top[side], top[next], first + next, first + side]);
        }
    }
}

/// Corners of a circle.
const CORNERS: usize = 48;

fn circle([x, y]: [f64; 2], radius: f64) -> impl Iterator<Item = [f64; 2]> {
    (0..CORNERS).map(move |corner| {
        let angle = TAU * corner as f64 / CORNERS as f64;
        [x + radius * angle.cos(), y + radius * angle.sin()]
    })
}

/// A cylinder along z.
fn cylinder(center: [f64; 2], radius: f64, [low, high]: [f64; 2]) -> Part {
    let mut part = Part::default();
    for z in [low, high] {
        part.points.extend(circle(center, radius).map(|[x, y]| [x, y, z]));
    }
    for corner in 0..CORNERS {
        let next = (corner + 1) % CORNERS;
        part.polygons.push(vec![corner, next, CORNERS + next, CORNERS + corner]);
    }
    part.polygons.push((0..CORNERS).rev().collect());
    part.polygons.push((CORNERS..2 * CORNERS).collect());
    part
}

/// A plate with a round hole along z.
fn bored([width, depth, height]: Point, center: [f64; 2], radius: f64) -> Part {
    let mut part = Part::default();
    // For each corner of the hole, the point of the plate's border in the same direction.
    let border = |[x, y]: [f64; 2]| {
        let (dx, dy) = (x - center[0], y - center[1]);
        let far = |d: f64, most: f64, at: f64| match d {
            d if d > 1e-9 => (most - at) / d,
            d if d < -1e-9 => -at / d,
            _ => f64::INFINITY,
        };
        let scale = far(dx, width, center[0]).min(far(dy, depth, center[1]));
        [center[0] + scale * dx, center[1] + scale * dy]
    };
    for z in [0.0, height] {
        part.points.extend(circle(center, radius).map(|[x, y]| [x, y, z]));
        part.points.extend(circle(center, radius).map(border).map(|[x, y]| [x, y, z]));
    }
    let [inner, outer, above] = [0, CORNERS, 2 * CORNERS];
    for corner in 0..CORNERS {
        let next = (corner + 1) % CORNERS;
        part.polygons.push(vec![inner + next, inner + corner, above + corner, above + next]);
        part.polygons.push(vec![
            outer + corner,
            outer + next,
            above + outer + next,
            above + outer + corner,
        ]);
        part.polygons.push(vec![inner + corner, inner + next, outer + next, outer + corner]);
        part.polygons.push(vec![
            above + inner + next,
            above + inner + corner,
            above + outer + corner,
            above + outer + next,
        ]);
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All parts but the tub are closed: every edge is traversed once in each direction.
    #[test]
    fn parts_are_closed() {
        for (verdict, parts) in scenes() {
            for part in &parts {
                let edges: Vec<[usize; 2]> = part
                    .polygons
                    .iter()
                    .flat_map(|polygon| {
                        let next = polygon.iter().cycle().skip(1);
                        polygon.iter().zip(next).map(|(&from, &to)| [from, to])
                    })
                    .collect();
                let open = edges.iter().filter(|[from, to]| !edges.contains(&[*to, *from])).count();
                let is_tub = verdict == "undecided" && part.points.len() == 12;
                assert_eq!(open, if is_tub { 4 } else { 0 }, "{verdict}");
            }
        }
    }
}
