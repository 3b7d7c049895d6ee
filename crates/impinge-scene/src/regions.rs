//! Contact regions of a cycle, as rows of a CSV file. The command calls this after each cycle.

use crate::run::Cycle;
use impinge::{
    contact::{ContactRegion, ContactRegions},
    world::BodyPair,
};
use impinge_io::csv_field;
use std::{
    collections::BTreeMap,
    io::{self, Write},
};

/// Finds the contact regions of all bodies that touch, cycle after cycle, and writes them.
///
/// `impinge::contact` defines what they are. Bodies stand at the poses of the cycle, before those in free flight are set
/// back. Contacts of a body with itself have no regions.
#[derive(Debug, Default)]
pub struct RegionRows {
    /// For each pair of bodies that touched in the last cycle: its regions keep their ids as long as the bodies touch.
    pairs: BTreeMap<BodyPair, ContactRegions>,
}

impl RegionRows {
    /// The header of the CSV file.
    pub const HEADER: &'static str =
        "run,cycle,body_a,body_b,region,contacts,px,py,pz,nx,ny,nz,depth,area,radius,length";

    /// Nothing is known of earlier cycles.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes one CSV row for each contact region of a cycle, in the order of the bodies and of first contacts.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write(&mut self, cycle: &Cycle<'_>, out: &mut dyn Write) -> io::Result<()> {
        let row = cycle.row();
        // A run starts with other bodies.
        if row.cycle == 0 {
            self.pairs.clear();
        }
        let placed: Vec<_> = cycle.shapes().zip(cycle.poses()).collect();
        let run = csv_field(row.run);
        let mut touching: Vec<BodyPair> = Vec::new();
        for touch in cycle.step().pairs().filter(|touch| touch.a != touch.b) {
            touching.push([touch.a, touch.b]);
            let [a, b] = [touch.a, touch.b].map(|body| body.index() as usize);
            let regions = self.pairs.entry([touch.a, touch.b]).or_default();
            regions.find(placed[a], placed[b], touch.faces);
            let [a, b] = [a, b].map(|body| cycle.body_name(body));
            let names = format!("{run},{},{},{}", row.cycle, csv_field(&a), csv_field(&b));
            regions.iter().try_for_each(|region| writeln!(out, "{names},{}", numbers(&region)))?;
        }
        touching.sort_unstable();
        self.pairs.retain(|pair, _| touching.binary_search(pair).is_ok());
        Ok(())
    }
}

/// The columns after the names.
fn numbers(region: &ContactRegion<'_>) -> String {
    let [px, py, pz] = region.point().to_array();
    let [nx, ny, nz] = region.normal().to_array();
    let (id, contacts, depth) = (region.id(), region.contacts().len(), region.depth());
    let (area, radius) = (region.area(), region.radius());
    let length: f64 = region.curve().map(|line| line.length()).sum();
    format!("{id},{contacts},{px},{py},{pz},{nx},{ny},{nz},{depth},{area},{radius},{length}")
}
