//! Pairs of bodies whose relation is known without a computer. Lengths are in millimetres.

use super::body::{Body, circle_area};
use impinge::{
    clash::{Side, Verdict},
    glam::{DVec2, DVec3, dvec3},
};
use std::f64::consts::SQRT_2;

/// Two bodies, and what is true about them.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) bodies: [Body; 2],
    pub(super) clearance: f64,
    /// `None` if the bodies are clear of each other.
    pub(super) verdict: Option<Verdict>,
    pub(super) inner: Option<Side>,
    /// The length of the shortest translation that frees the bodies, if it is known in closed form.
    pub(super) depth: Option<f64>,
    pub(super) volume: Option<f64>,
    pub(super) distance: Option<f64>,
    /// The part with the shaft, and its radius minus that of the hole.
    pub(super) fit: Option<(Side, f64)>,
    /// How far facets are from the surface for which the numbers hold.
    pub(super) facets: f64,
    /// Vertices may be moved by less than this without a change of the verdict.
    pub(super) margin: f64,
}

impl Pair {
    pub(super) fn new(name: impl Into<String>, verdict: Option<Verdict>, a: Body, b: Body) -> Self {
        Self {
            name: name.into(),
            bodies: [a, b],
            clearance: 0.0,
            verdict,
            inner: None,
            depth: None,
            volume: None,
            distance: None,
            fit: None,
            facets: 0.0,
            margin: f64::INFINITY,
        }
    }

    pub(super) fn depth(mut self, depth: f64) -> Self {
        self.depth = Some(depth);
        self.margin = self.margin.min(depth);
        self
    }

    fn volume(mut self, volume: f64) -> Self {
        self.volume = Some(volume);
        self
    }

    fn inner(mut self, inner: Side) -> Self {
        self.inner = Some(inner);
        self
    }

    /// The clearance that is asked for, and the true distance.
    fn clearance(mut self, clearance: f64, distance: f64) -> Self {
        self.clearance = clearance;
        self.distance = Some(distance);
        self.margin(distance.min(clearance - distance))
    }

    fn fit(mut self, shaft: Side, difference: f64) -> Self {
        self.fit = Some((shaft, difference));
        self
    }

    fn facets(mut self, facets: f64) -> Self {
        self.facets = facets;
        self
    }

    pub(super) fn margin(mut self, margin: f64) -> Self {
        self.margin = self.margin.min(margin);
        self
    }

    /// The same pair the other way round.
    pub(super) fn swapped(&self) -> Self {
        let other = |side: Side| if side == Side::A { Side::B } else { Side::A };
        let [a, b] = self.bodies.clone();
        Self {
            bodies: [b, a],
            inner: self.inner.map(other),
            fit: self.fit.map(|(shaft, difference)| (other(shaft), difference)),
            ..self.clone()
        }
    }
}

const DUPLICATE: Option<Verdict> = Some(Verdict::Duplicate);
const INSIDE: Option<Verdict> = Some(Verdict::Inside);
const PENETRATING: Option<Verdict> = Some(Verdict::Penetrating);
const UNDECIDED: Option<Verdict> = Some(Verdict::Undecided);
const FIT: Option<Verdict> = Some(Verdict::Fit);
const CLEARANCE: Option<Verdict> = Some(Verdict::Clearance);
const TOUCHING: Option<Verdict> = Some(Verdict::Touching);
const CLEAR: Option<Verdict> = None;

/// All pairs.
pub(super) fn all() -> Vec<Pair> {
    let mut pairs = Vec::new();
    pairs.extend(shifted_cubes());
    pairs.extend(contacts());
    pairs.extend(nested());
    pairs.extend(bars_and_plates());
    pairs.extend(angled());
    pairs.extend(shafts());
    pairs.extend(spheres());
    pairs.extend(copies());
    pairs.extend(several_shells());
    pairs.extend(sheets());
    pairs
}

/// A cube of 100 mm and its copy, moved along one, two or three axes.
fn shifted_cubes() -> Vec<Pair> {
    let cube = || Body::cube(100.0);
    let mut pairs = Vec::new();
    for shift in [0.0, 1e-6, 0.12, 0.19, 0.3, 1.0, 10.0, 50.0, 80.0, 99.0, 99.9] {
        // Copies are duplicates up to 1/500 of their size, which is 173 mm.
        let verdict = if shift < 0.34 { DUPLICATE } else { PENETRATING };
        let name = format!("cube and its copy, {shift} mm along x");
        let pair = Pair::new(name, verdict, cube(), cube().moved(shift, 0.0, 0.0));
        let left = 100.0 - shift;
        pairs.push(pair.depth(left).volume(left * 1e4).margin((shift - 0.3464).abs()));
    }
    for shift in [0.1, 1.0, 50.0, 90.0, 99.9] {
        let verdict = if shift < 0.2 { DUPLICATE } else { PENETRATING };
        let name = format!("cube and its copy, {shift} mm along x, y and z");
        let pair = Pair::new(name, verdict, cube(), cube().moved(shift, shift, shift));
        let left: f64 = 100.0 - shift;
        pairs.push(pair.depth(left).volume(left.powi(3)).margin((shift - 0.2).abs()));
    }
    let at = |name: &str, verdict, by: [f64; 3]| {
        Pair::new(name, verdict, cube(), cube().moved(by[0], by[1], by[2]))
    };
    pairs.extend([
        at("cubes with a gap of 1e-9 mm", TOUCHING, [100.0 + 1e-9, 0.0, 0.0]),
        at("cubes that overlap by 1e-9 mm", TOUCHING, [100.0 - 1e-9, 0.0, 0.0]),
        at("cubes with a gap of 0.01 mm", CLEAR, [100.01, 0.0, 0.0]).margin(0.01),
        at("cubes with a gap of 1 mm", CLEAR, [101.0, 0.0, 0.0]).margin(1.0),
        at("cubes with a gap of 1 mm, clearance 2 mm", CLEARANCE, [101.0, 0.0, 0.0])
            .clearance(2.0, 1.0),
        at(
            "cubes with a gap of 1 mm between edges, clearance 2 mm",
            CLEARANCE,
            [101.0, 101.0, 0.0],
        )
        .clearance(2.0, SQRT_2),
        at("cubes with a gap of 1 mm between corners, clearance 2 mm", CLEARANCE, [101.0; 3])
            .clearance(2.0, 3.0_f64.sqrt()),
        at("cubes with a gap of 3 mm, clearance 2 mm", CLEAR, [103.0, 0.0, 0.0]).margin(1.0),
    ]);
    pairs
}

/// Faces, edges and corners that touch, and the same a little deeper.
fn contacts() -> Vec<Pair> {
    let cube = || Body::cube(100.0);
    let small = || Body::cube(20.0);
    let at = |name: &str, verdict, b: Body| Pair::new(name, verdict, cube(), b);
    // A cube that stands on an edge or a corner, with its lowest point at the origin.
    let on_edge = || Body::cube(50.0).turned(DVec3::X, 45.0).moved(0.0, 0.0, 25.0 * SQRT_2);
    let on_corner = || {
        let turn = dvec3(1.0, -1.0, 0.0);
        let degrees = 2.0_f64.sqrt().atan().to_degrees();
        Body::cube(50.0).turned(turn, -degrees).moved(0.0, 0.0, 25.0 * 3.0_f64.sqrt())
    };
    let flush = || cube().moved(100.0, 0.0, 0.0);
    vec![
        at("cubes flush on a face", TOUCHING, flush()),
        at("cubes flush on part of a face", TOUCHING, cube().moved(100.0, 30.0, 20.0)),
        at("cubes flush on an edge", TOUCHING, cube().moved(100.0, 100.0, 0.0)),
        at("cubes flush on part of an edge", TOUCHING, cube().moved(100.0, 100.0, 30.0)),
        at("cubes flush on a corner", TOUCHING, cube().moved(100.0, 100.0, 100.0)),
        at("small cube in the middle of a face", TOUCHING, small().moved(60.0, 0.0, 0.0)),
        at("small cube at the edge of a face", TOUCHING, small().moved(60.0, 40.0, 0.0)),
        at("small cube at the corner of a face", TOUCHING, small().moved(60.0, 40.0, 40.0)),
        at("cube flush on a face, turned by 17° on it", TOUCHING, {
            cube().turned(DVec3::X, 17.0).moved(100.0, 0.0, 0.0)
        }),
        Pair::new(
            "cubes flush on a face, both turned by 17°",
            TOUCHING,
            cube().turned(dvec3(1.0, 2.0, 3.0), 17.0),
            flush().turned(dvec3(1.0, 2.0, 3.0), 17.0),
        ),
        Pair::new(
            "cubes flush on a face, both turned, 1e5 mm away",
            TOUCHING,
            cube().turned(dvec3(3.0, 1.0, 2.0), 17.0).moved(1e5, -7e4, 3e4),
            flush().turned(dvec3(3.0, 1.0, 2.0), 17.0).moved(1e5, -7e4, 3e4),
        ),
        at("cube that stands on an edge", TOUCHING, on_edge().moved(0.0, 0.0, 50.0)),
        at("cube that stands on a corner", TOUCHING, on_corner().moved(0.0, 0.0, 50.0)),
        at("edge 1 mm deep", PENETRATING, on_edge().moved(0.0, 0.0, 49.0)).depth(1.0).volume(50.0),
        at("corner 1 mm deep", PENETRATING, on_corner().moved(0.0, 0.0, 49.0))
            .depth(1.0)
            .volume(3.0_f64.sqrt() / 2.0),
        at("small cube 0.1 mm deep", PENETRATING, small().moved(59.9, 0.0, 0.0))
            .depth(0.1)
            .volume(40.0),
        at("small cube half in a face", PENETRATING, small().moved(50.0, 0.0, 0.0))
            .depth(10.0)
            .volume(4000.0),
        Pair::new(
            "thin plates 0.1 mm in each other",
            PENETRATING,
            Body::cuboid(2000.0, 2000.0, 0.5),
            Body::cuboid(2000.0, 2000.0, 0.5).moved(300.0, 200.0, 0.4),
        )
        .depth(0.1)
        .volume(1700.0 * 1800.0 * 0.1),
        Pair::new(
            "thin plates on each other",
            TOUCHING,
            Body::cuboid(2000.0, 2000.0, 0.5),
            Body::cuboid(2000.0, 2000.0, 0.5).moved(300.0, 200.0, 0.5),
        ),
        Pair::new(
            "cube of 0.5 mm on a box of 2 m",
            TOUCHING,
            Body::cube(2000.0),
            Body::cube(0.5).moved(1000.25, 3.0, 5.0),
        ),
    ]
}

/// A body inside another, or in its cavity.
fn nested() -> Vec<Pair> {
    let cube = || Body::cube(100.0);
    let small = || Body::cube(20.0);
    let hollow = |outer: f64, cavity: f64| Body::cube(outer).with(Body::cube(cavity).inside_out());
    let inside = |name: &str, b: Body| Pair::new(name, INSIDE, cube(), b).inner(Side::B);
    vec![
        inside("cube inside a cube", small()).depth(60.0).volume(8000.0),
        inside("cube inside a cube, near a face", small().moved(30.0, 0.0, 0.0))
            .depth(30.0)
            .volume(8000.0),
        inside("turned cube inside a cube", small().turned(dvec3(1.0, 2.0, 3.0), 17.0))
            .volume(8000.0)
            .margin(10.0),
        inside("cube inside a cube, flush with a face", small().moved(40.0, 0.0, 0.0))
            .depth(20.0)
            .volume(8000.0),
        inside("cube inside a cube, flush with three faces", small().moved(40.0, 40.0, 40.0))
            .depth(20.0)
            .volume(8000.0),
        inside("slab inside a cube, flush with four faces", Body::cuboid(100.0, 100.0, 30.0))
            .depth(65.0)
            .volume(3e5),
        inside(
            "slab inside a cube, flush with five faces",
            Body::cuboid(100.0, 100.0, 30.0).moved(0.0, 0.0, 35.0),
        )
        .depth(30.0)
        .volume(3e5),
        Pair::new(
            "cube of 0.5 mm inside a box of 2 m",
            INSIDE,
            Body::cube(0.5).moved(3.0, 5.0, 900.0),
            Body::cube(2000.0),
        )
        .inner(Side::A)
        .depth(100.25)
        .volume(0.125)
        .margin(0.1),
        inside("rod inside a cube", Body::cylinder(10.0, 60.0)).depth(60.0).facets(0.02),
        Pair::new("cube in a cavity", CLEAR, hollow(100.0, 60.0), small()).margin(20.0),
        Pair::new("cube that fills a cavity", TOUCHING, hollow(100.0, 60.0), Body::cube(60.0)),
        Pair::new("cube in a cavity, on its floor", TOUCHING, hollow(100.0, 60.0), {
            small().moved(0.0, 0.0, -20.0)
        }),
        Pair::new(
            "cube larger than a cavity by 1 mm on each side",
            PENETRATING,
            hollow(100.0, 60.0),
            Body::cube(62.0),
        )
        .volume(62.0_f64.powi(3) - 60.0_f64.powi(3))
        .depth(81.0)
        .margin(1.0),
        Pair::new("cube in a cavity, clearance 30 mm", CLEARANCE, hollow(100.0, 60.0), small())
            .clearance(30.0, 20.0),
        Pair::new(
            "cube inside a box in a cavity of the same part",
            INSIDE,
            hollow(100.0, 80.0).with(Body::cube(60.0)),
            small(),
        )
        .inner(Side::B)
        .depth(60.0)
        .volume(8000.0),
        Pair::new(
            "cube between the walls of a nested part",
            CLEAR,
            hollow(100.0, 80.0).with(Body::cube(60.0)),
            Body::cube(4.0).moved(35.0, 0.0, 0.0),
        )
        .margin(3.0),
        Pair::new("cube in a larger hollow cube", CLEAR, cube(), hollow(120.0, 110.0)).margin(5.0),
        Pair::new("hollow cube inside a cube", INSIDE, Body::cube(200.0), hollow(100.0, 60.0))
            .inner(Side::B)
            .depth(150.0)
            .volume(1e6 - 216e3),
    ]
}

fn bars_and_plates() -> Vec<Pair> {
    let bar = || Body::cuboid(200.0, 20.0, 20.0);
    let across = || Body::cuboid(20.0, 200.0, 20.0);
    let new = |name: &str, b: Body| Pair::new(name, PENETRATING, bar(), b);
    vec![
        new("crossing bars", across()).depth(20.0).volume(8000.0),
        new("crossing bars, 5 mm above each other", across().moved(0.0, 0.0, 5.0))
            .depth(15.0)
            .volume(6000.0),
        new("crossing bars, 1 mm deep", across().moved(0.0, 0.0, 19.0)).depth(1.0).volume(400.0),
        Pair::new("crossing bars on each other", TOUCHING, bar(), across().moved(0.0, 0.0, 20.0)),
        Pair::new("crossing bars, 0.5 mm apart", CLEAR, bar(), across().moved(0.0, 0.0, 20.5))
            .margin(0.5),
        new("bars of one axis, end in end", bar().moved(190.0, 0.0, 0.0))
            .depth(10.0)
            .volume(4000.0),
        Pair::new("bars of one axis, end to end", TOUCHING, bar(), bar().moved(200.0, 0.0, 0.0)),
        Pair::new(
            "plates in each other",
            PENETRATING,
            Body::cuboid(200.0, 200.0, 5.0),
            Body::cuboid(5.0, 200.0, 200.0),
        )
        .depth(102.5)
        .volume(5000.0)
        .margin(2.5),
        Pair::new(
            "plate that cuts the edge of a plate",
            PENETRATING,
            Body::cuboid(200.0, 200.0, 5.0),
            Body::cuboid(5.0, 200.0, 200.0).moved(99.5, 0.0, 0.0),
        )
        .depth(3.0)
        .volume(3.0 * 5.0 * 200.0),
        Pair::new(
            "pin through a plate",
            PENETRATING,
            Body::cuboid(200.0, 200.0, 5.0),
            Body::cuboid(4.0, 4.0, 60.0),
        )
        .depth(32.5)
        .volume(80.0)
        .margin(2.0),
    ]
}

/// Bodies shaped like the letters L, T and U.
fn angled() -> Vec<Pair> {
    // Legs of 100 mm, 30 mm thick; the notch is x and y from 30 to 100.
    let l = || {
        let outline = [[0., 0.], [100., 0.], [100., 30.], [30., 30.], [30., 100.], [0., 100.]];
        Body::prism(&outline.map(DVec2::from_array), 40.0)
    };
    // A bar of 120 × 20 mm on a stem of 20 × 60 mm.
    let t = || {
        let outline = [
            [-10., 0.],
            [10., 0.],
            [10., 60.],
            [60., 60.],
            [60., 80.],
            [-60., 80.],
            [-60., 60.],
            [-10., 60.],
        ];
        Body::prism(&outline.map(DVec2::from_array), 40.0)
    };
    let block = |x: f64, y: f64| Body::cuboid(x, y, 40.0);
    vec![
        Pair::new(
            "block in the notch of an L",
            TOUCHING,
            l(),
            block(40.0, 40.0).moved(50.0, 50.0, 0.0),
        ),
        Pair::new(
            "block in the notch of an L, apart",
            CLEAR,
            l(),
            block(40.0, 40.0).moved(60.0, 60.0, 0.0),
        )
        .margin(10.0),
        Pair::new(
            "block 2 mm in a leg of an L",
            PENETRATING,
            l(),
            block(40.0, 40.0).moved(48.0, 60.0, 0.0),
        )
        .depth(2.0)
        .volume(2.0 * 40.0 * 40.0),
        Pair::new("block in a leg of an L", INSIDE, l(), Body::cube(10.0).moved(80.0, 15.0, 0.0))
            .inner(Side::B)
            .depth(20.0)
            .volume(1000.0),
        Pair::new("an L and its mirror image, back to back", TOUCHING, l(), l().mirrored()),
        Pair::new("an L in an L", TOUCHING, l(), l().moved(30.0, 30.0, 0.0)),
        Pair::new("an L in an L, 1 mm deep", PENETRATING, l(), l().moved(29.0, 40.0, 0.0))
            .depth(1.0)
            .volume(60.0 * 40.0),
        Pair::new(
            "block under the bar of a T",
            TOUCHING,
            t(),
            block(30.0, 30.0).moved(25.0, 45.0, 0.0),
        ),
        Pair::new(
            "block 1 mm in the bar of a T",
            PENETRATING,
            t(),
            block(30.0, 30.0).moved(30.0, 46.0, 0.0),
        )
        .depth(1.0)
        .volume(30.0 * 40.0),
        Pair::new("crossing stems of two T", PENETRATING, t(), t().turned(DVec3::Y, 90.0))
            .volume(20.0 * 20.0 * 60.0 + 40.0 * 40.0 * 20.0)
            .margin(10.0),
        Pair::new(
            "block that fills a U",
            TOUCHING,
            Body::channel(),
            block(40.0, 50.0).moved(0.0, 35.0, 0.0),
        ),
        Pair::new(
            "block in a U, apart",
            CLEAR,
            Body::channel(),
            block(30.0, 30.0).moved(0.0, 40.0, 0.0),
        )
        .margin(5.0),
        Pair::new(
            "block wider than a U by 1 mm on each side",
            PENETRATING,
            Body::channel(),
            block(42.0, 30.0).moved(0.0, 45.0, 0.0),
        )
        .volume(2.0 * 30.0 * 40.0)
        .margin(1.0),
        Pair::new(
            "two U in each other",
            TOUCHING,
            Body::channel(),
            Body::channel().turned(DVec3::Z, 180.0).moved(40.0, 70.0, 0.0),
        ),
    ]
}

/// Round shafts in round holes of 10 mm.
fn shafts() -> Vec<Pair> {
    let tube = || Body::tube(20.0, 10.0, 40.0);
    let shaft = |radius: f64| Body::cylinder(radius, 60.0);
    let ring = |shaft: f64| circle_area(shaft) - circle_area(10.0);
    let step = 180.0 / f64::from(super::body::SIDES);
    let gap = 0.05 * step.to_radians().cos();
    let sagitta = 10.0 * (1.0 - step.to_radians().cos());
    let new = |name: &str, verdict, b: Body| Pair::new(name, verdict, tube(), b);
    let fit = |name: &str, radius: f64| {
        new(name, FIT, shaft(radius))
            .fit(Side::B, radius - 10.0)
            .volume(40.0 * ring(radius))
            .margin(0.04)
    };
    vec![
        new("shaft of the radius of its hole", TOUCHING, shaft(10.0)),
        new("shaft of the radius of its hole, turned", FIT, shaft(10.0).turned(DVec3::Z, step))
            .fit(Side::B, 0.0)
            .margin(0.5 * sagitta),
        fit("press fit of 0.05 mm", 10.05),
        fit("press fit of 0.5 mm", 10.5),
        fit("shaft 20 % thicker than its hole", 12.0),
        new("shaft 40 % thicker than its hole", PENETRATING, shaft(14.0))
            .volume(40.0 * ring(14.0))
            .margin(0.5),
        new("shaft with 0.05 mm of play", CLEAR, shaft(9.95)).margin(gap),
        new("shaft with 0.05 mm of play, clearance 0.1 mm", CLEARANCE, shaft(9.95))
            .clearance(0.1, gap),
        new("shaft 3 mm off the axis", PENETRATING, shaft(10.0).moved(3.0, 0.0, 0.0)).margin(1.0),
        new("shaft that is tilted by 10°", PENETRATING, shaft(10.0).turned(DVec3::X, 10.0))
            .margin(1.0),
        new("short press fit, flush at one end", FIT, {
            Body::cylinder(10.05, 20.0).moved(0.0, 0.0, 10.0)
        })
        .fit(Side::B, 0.05)
        .volume(20.0 * ring(10.05))
        .margin(0.04),
        Pair::new(
            "bolt in a plate, 0.05 mm of press fit",
            FIT,
            Body::cylinder(10.05, 60.0),
            Body::plate(60.0, 10.0, 20.0),
        )
        .fit(Side::A, 0.05)
        .volume(20.0 * ring(10.05))
        .margin(0.04),
        Pair::new(
            "bolt in a plate, off the axis",
            PENETRATING,
            Body::cylinder(10.0, 60.0).moved(2.0, 1.0, 0.0),
            Body::plate(60.0, 10.0, 20.0),
        )
        .margin(1.0),
        Pair::new(
            "bolt beside the hole of a plate",
            PENETRATING,
            Body::cylinder(5.0, 60.0).moved(20.0, 0.0, 0.0),
            Body::plate(60.0, 10.0, 20.0),
        )
        .volume(20.0 * circle_area(5.0))
        .depth(15.0)
        .facets(0.05)
        .margin(1.0),
        new("shaft across a tube", PENETRATING, shaft(8.0).turned(DVec3::X, 90.0)).margin(1.0),
        new("shaft end to end with a tube", TOUCHING, shaft(15.0).moved(0.0, 0.0, 50.0)),
        Pair::new("tubes around each other", FIT, tube(), Body::tube(10.05, 5.0, 40.0))
            .fit(Side::B, 0.05)
            .volume(40.0 * ring(10.05))
            .margin(0.04),
        Pair::new("cylinders of one axis, end in end", PENETRATING, shaft(10.0), {
            shaft(10.0).moved(0.0, 0.0, 55.0)
        })
        .depth(5.0)
        .volume(5.0 * circle_area(10.0)),
    ]
}

fn spheres() -> Vec<Pair> {
    let ball = || Body::ball(50.0);
    let globe = |radius: f64| Body::globe(radius);
    vec![
        Pair::new("sphere and itself with other triangles", DUPLICATE, ball(), globe(50.0))
            .depth(100.0)
            .facets(0.4)
            .margin(0.1),
        Pair::new(
            "sphere and itself, turned",
            DUPLICATE,
            ball(),
            ball().turned(dvec3(1., 2., 3.), 17.0),
        )
        .depth(100.0)
        .facets(0.4)
        .margin(0.1),
        Pair::new("sphere inside a sphere", INSIDE, ball(), globe(40.0))
            .inner(Side::B)
            .depth(90.0)
            .facets(0.4),
        Pair::new("spheres, 40 mm deep", PENETRATING, globe(50.0), ball().moved(60.0, 0.0, 0.0))
            .depth(40.0)
            .facets(0.4),
        Pair::new(
            "spheres, 1 mm deep",
            PENETRATING,
            globe(50.0),
            globe(50.0).moved(0.0, 0.0, 99.0),
        )
        .depth(1.0)
        .facets(0.4),
        Pair::new("spheres that touch", TOUCHING, globe(50.0), globe(50.0).moved(0.0, 0.0, 100.0)),
        Pair::new("spheres, 0.5 mm apart", CLEAR, globe(50.0), globe(50.0).moved(0.0, 0.0, 100.5))
            .margin(0.5),
        Pair::new(
            "sphere on a cube",
            TOUCHING,
            Body::cube(100.0),
            globe(30.0).moved(0.0, 0.0, 80.0),
        ),
    ]
}

/// The same body in other positions.
fn copies() -> Vec<Pair> {
    let cube = || Body::cube(100.0);
    let outline = [[-40., -40.], [60., -40.], [60., -10.], [-10., -10.], [-10., 60.], [-40., 60.]];
    let l = || Body::prism(&outline.map(DVec2::from_array), 40.0);
    // Two squares about one centre, turned by t, share an octagon.
    let (sin, cos) = 17.0_f64.to_radians().sin_cos();
    let octagon = 1e4 * 2.0 / (1.0 + sin + cos);
    vec![
        Pair::new(
            "cube and its copy, turned by 90°",
            DUPLICATE,
            cube(),
            cube().turned(DVec3::Z, 90.0),
        )
        .depth(100.0)
        .volume(1e6)
        .margin(0.3),
        Pair::new(
            "cube and its copy, turned by 17°",
            PENETRATING,
            cube(),
            cube().turned(DVec3::Z, 17.0),
        )
        .depth(100.0)
        .volume(100.0 * octagon)
        .margin(1.0),
        Pair::new("an L and its copy, mirrored along its height", DUPLICATE, l(), {
            l().map(|p| dvec3(p.x, p.y, -p.z)).inside_out()
        })
        .volume((100.0 * 30.0 + 70.0 * 30.0) * 40.0)
        .margin(0.2),
        Pair::new("an L and its mirror image", PENETRATING, l(), l().mirrored()).margin(1.0),
        Pair::new(
            "an L and its copy, turned by 180°",
            PENETRATING,
            l(),
            l().turned(DVec3::Z, 180.0),
        )
        .margin(1.0),
        Pair::new("cube and a hollow cube", INSIDE, cube(), {
            cube().with(Body::cube(60.0).inside_out())
        })
        .inner(Side::B)
        .volume(1e6 - 216e3)
        .depth(100.0)
        .margin(1.0),
        Pair::new(
            "tube and its copy, turned by half a side",
            DUPLICATE,
            Body::tube(20.0, 10.0, 40.0),
            {
                Body::tube(20.0, 10.0, 40.0).turned(DVec3::Z, 180.0 / f64::from(super::body::SIDES))
            },
        )
        .margin(0.1),
    ]
}

/// Parts that consist of several closed shells.
fn several_shells() -> Vec<Pair> {
    let cube = |x: f64| Body::cube(100.0).moved(x, 0.0, 0.0);
    let overlapping = || cube(0.0).with(cube(50.0));
    let halves = || cube(0.0).with(cube(100.0));
    let small = |x: f64| Body::cube(20.0).moved(x, 0.0, 0.0);
    vec![
        Pair::new("cube inside shells that overlap", INSIDE, overlapping(), small(25.0))
            .inner(Side::B)
            .depth(60.0),
        Pair::new("cube 5 mm in shells that overlap", PENETRATING, overlapping(), small(105.0))
            .depth(5.0),
        Pair::new("cube on shells that overlap", TOUCHING, overlapping(), small(110.0)),
        Pair::new("cube inside two boxes, across the wall", INSIDE, halves(), small(50.0))
            .inner(Side::B)
            .depth(60.0)
            .volume(8000.0),
        Pair::new("cube on two boxes, across the wall", TOUCHING, halves(), {
            small(50.0).moved(0.0, 0.0, 60.0)
        }),
        Pair::new("cube 2 mm in two boxes, across the wall", PENETRATING, halves(), {
            small(50.0).moved(0.0, 0.0, 58.0)
        })
        .depth(2.0)
        .volume(800.0),
        Pair::new(
            "one of two loose cubes inside a cube",
            INSIDE,
            cube(0.0),
            small(0.0).with(small(200.0)),
        )
        .inner(Side::B)
        .volume(8000.0)
        .margin(10.0),
        Pair::new(
            "cube between two loose cubes",
            TOUCHING,
            small(0.0).with(small(40.0)),
            small(20.0),
        ),
    ]
}

/// Surfaces without thickness.
fn sheets() -> Vec<Pair> {
    let cube = || Body::cube(100.0);
    let sheet = || Body::sheet(60.0);
    let upright = || sheet().turned(DVec3::X, 90.0);
    vec![
        Pair::new("sheet through a cube", PENETRATING, cube(), Body::sheet(200.0)).margin(10.0),
        Pair::new("sheet on a cube", TOUCHING, cube(), sheet().moved(0.0, 0.0, 50.0)),
        Pair::new("sheet above a cube", CLEAR, cube(), sheet().moved(0.0, 0.0, 51.0)).margin(1.0),
        Pair::new("sheet inside a cube", INSIDE, cube(), sheet()).inner(Side::B).margin(10.0),
        Pair::new("crossing sheets", PENETRATING, sheet(), upright()).margin(10.0),
        Pair::new(
            "sheet that stands on a sheet",
            TOUCHING,
            sheet(),
            upright().moved(0.0, 0.0, 30.0),
        ),
        Pair::new("sheets on each other", TOUCHING, sheet(), sheet().moved(20.0, 10.0, 0.0)),
        Pair::new("parallel sheets", CLEAR, sheet(), sheet().moved(0.0, 0.0, 1.0)).margin(1.0),
        Pair::new(
            "parallel sheets, clearance 2 mm",
            CLEARANCE,
            sheet(),
            sheet().moved(0.0, 0.0, 1.0),
        )
        .clearance(2.0, 1.0),
        Pair::new("sheet and its copy", DUPLICATE, sheet(), sheet()),
        // It may stand for a rod of 20 mm or for a tube.
        Pair::new("rod in a long pipe without ends", UNDECIDED, Body::pipe(20.0, 80.0), {
            Body::cylinder(10.0, 60.0)
        })
        .margin(9.0),
        Pair::new("rod through a ring without thickness", CLEAR, Body::pipe(20.0, 20.0), {
            Body::cylinder(10.0, 60.0)
        })
        .margin(9.0),
        Pair::new(
            "rod through the wall of a pipe without ends",
            PENETRATING,
            Body::pipe(20.0, 80.0),
            Body::cylinder(5.0, 60.0).turned(DVec3::X, 90.0),
        )
        .margin(4.0),
        Pair::new("rod on the wall of a pipe without ends", TOUCHING, Body::pipe(20.0, 80.0), {
            Body::cylinder(10.0, 60.0).moved(30.0, 0.0, 0.0)
        }),
    ]
}
