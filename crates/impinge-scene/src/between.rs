//! An impact of two bodies between two cycles, as a row of output.

use impinge::Impact;
use impinge_io::csv_field;
use serde::Serialize;

/// The first impact of two bodies on the way from one cycle to the next. Its serialized form is the JSON object that
/// `docs/output.md` in the repository describes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ImpactRow<'r> {
    kind: &'static str,
    /// The name of the run.
    pub run: &'r str,
    /// The number of the cycle at the end of the way.
    pub cycle: u64,
    /// When: from 0, the previous cycle, to 1, this cycle.
    pub time: f64,
    /// The names of the bodies.
    pub body_a: String,
    /// The other one.
    pub body_b: String,
    /// The face of body a.
    pub face_a: u32,
    /// The face of body b.
    pub face_b: u32,
    /// The distance of the two faces at this time.
    pub distance: f64,
    /// The point of face a that is closest to face b.
    pub point_a: [f64; 3],
    /// The point of face b that is closest to face a.
    pub point_b: [f64; 3],
    /// A unit vector from body a to body b.
    pub normal: [f64; 3],
}

impl<'r> ImpactRow<'r> {
    /// The header line of a CSV file of impacts.
    pub const HEADER: &'static str = "run,cycle,time,body_a,body_b,face_a,face_b,distance,\
         ax,ay,az,bx,by,bz,nx,ny,nz";

    pub(crate) fn new(run: &'r str, cycle: u64, names: [String; 2], impact: &Impact) -> Self {
        let [body_a, body_b] = names;
        let [point_a, point_b] = impact.points.map(|point| point.to_array());
        Self {
            kind: "impact",
            run,
            cycle,
            time: impact.time,
            body_a,
            body_b,
            face_a: impact.faces.a,
            face_b: impact.faces.b,
            distance: impact.distance,
            point_a,
            point_b,
            normal: impact.normal.to_array(),
        }
    }

    /// Returns the CSV row, without a line end.
    pub fn csv(&self) -> String {
        let Self { cycle, time, face_a, face_b, distance, .. } = self;
        let run = csv_field(self.run);
        let [a, b] = [&self.body_a, &self.body_b].map(|name| csv_field(name));
        let vectors = [self.point_a, self.point_b, self.normal].concat();
        let vectors: Vec<String> = vectors.iter().map(f64::to_string).collect();
        format!("{run},{cycle},{time},{a},{b},{face_a},{face_b},{distance},{}", vectors.join(","))
    }
}
