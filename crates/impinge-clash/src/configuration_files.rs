//! Writes the outcome of a check of many configurations: JSON lines and CSV.

use crate::{
    configurations::{CollidingConfiguration, Collision},
    path_files::{Certainty, PairVerdict},
    trajectory::{Approach, Between, CollidingStep},
};
use impinge_io::{
    assembly::{Assembly, Configurations},
    csv_field, write_json,
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::io::{self, Write};

/// The configurations of a file, and those with clashes.
#[derive(Clone, Copy, Debug)]
pub struct CheckedConfigurations<'c> {
    /// The robots and what stands around them.
    pub assembly: &'c Assembly,
    /// All configurations.
    pub configurations: &'c Configurations,
    /// Those with clashes, in the order of the file.
    pub colliding: &'c [CollidingConfiguration],
    /// What was found between the rows, if that was checked, too.
    pub between: Option<&'c Between>,
}

impl CheckedConfigurations<'_> {
    /// Returns the number of configurations with a clash that is not allowed.
    pub fn failures(&self) -> usize {
        self.colliding.iter().filter(|configuration| configuration.fails).count()
    }

    /// The steps between two rows with contacts that begin on the way.
    fn steps(&self) -> &[CollidingStep] {
        self.between.map_or(&[], |between| &between.steps)
    }

    /// Returns the number of steps between two rows with a contact that is not allowed.
    pub fn failures_between(&self) -> usize {
        self.steps().iter().filter(|step| step.fails).count()
    }

    /// Returns the number of contacts between two rows for which something worse cannot be ruled out.
    pub fn doubtful(&self) -> usize {
        let all = self.steps().iter().flat_map(|step| &step.approaches);
        all.filter(|approach| approach.doubt.is_some()).count()
    }

    /// Writes one JSON object for each configuration and one for the summary, each on a line. `docs/output.md` in
    /// the repository describes every field.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut colliding = self.colliding.iter().peekable();
        let mut between = self.steps().iter().peekable();
        for number in 0..self.configurations.len() {
            let found = colliding.next_if(|found| found.number == number);
            write_json(&self.object(number, found), out)?;
            writeln!(out)?;
            if let Some(step) = between.next_if(|step| step.number == number) {
                write_json(&self.step(step), out)?;
                writeln!(out)?;
            }
        }
        let summary = Summary {
            kind: "summary",
            version: env!("CARGO_PKG_VERSION"),
            files: self
                .assembly
                .files
                .iter()
                .map(|file| file.to_string_lossy().into_owned())
                .collect(),
            configurations: self.configurations.len(),
            colliding: self.colliding.len(),
            failures: self.failures(),
            between: self.between.map(|between| BetweenSummary {
                steps: self.configurations.len() - 1,
                colliding: between.steps.len(),
                uncertified: self.doubtful(),
                failures: self.failures_between(),
                open_parts: between.open_parts.iter().map(|&part| self.name(part as u32)).collect(),
            }),
        };
        write_json(&summary, out)?;
        writeln!(out)
    }

    fn object<'o>(
        &'o self,
        number: usize,
        found: Option<&'o CollidingConfiguration>,
    ) -> Object<'o> {
        let collisions = found.map_or(&[][..], |found| &found.collisions);
        Object {
            kind: "configuration",
            configuration: number + 1,
            line: self.configurations.line(number),
            label: self.configurations.label(number),
            joints: Joints { checked: self, number },
            verdict: collisions.first().map(|worst| worst.verdict.name()),
            fails: found.is_some_and(|found| found.fails),
            clashes: collisions.iter().map(|collision| self.pair(collision)).collect(),
        }
    }

    fn step<'o>(&'o self, step: &'o CollidingStep) -> Step<'o> {
        let contact = |approach: &Approach| {
            let [a_link, b_link] = [approach.a, approach.b].map(|part| self.link(part));
            let names = [approach.a, approach.b].map(|part| self.name(part));
            let pair = PairVerdict::new(names, approach.verdict);
            let certainty = Certainty::new(approach.doubt);
            Contact { pair, fraction: approach.fraction, certainty, a_link, b_link }
        };
        let number = step.number;
        Step {
            kind: "between",
            configurations: [number + 1, number + 2],
            lines: [number, number + 1].map(|number| self.configurations.line(number)),
            labels: [number, number + 1].map(|number| self.configurations.label(number)),
            fails: step.fails,
            contacts: step.approaches.iter().map(contact).collect(),
        }
    }

    fn pair(&self, &Collision { a, b, verdict }: &Collision) -> Clash<'_> {
        let [a_link, b_link] = [a, b].map(|part| self.link(part));
        let [a, b] = [a, b].map(|part| self.name(part));
        Clash { a, b, verdict: verdict.name(), a_link, b_link }
    }

    /// Returns the name of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn name(&self, part: u32) -> &str {
        &self.assembly.parts[part as usize].name
    }

    fn link(&self, part: u32) -> Option<&str> {
        let link = self.assembly.parts[part as usize].link?;
        Some(&self.assembly.links[link as usize].name)
    }

    /// Writes a header, and one row for each clash of each configuration. If the steps between the rows were checked,
    /// their contacts follow with the configuration before, and two more columns: the share of the way to the next
    /// configuration, which is empty for clashes of a configuration, and whether the verdict is certain.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let more = if self.between.is_some() { ",fraction,certified" } else { "" };
        writeln!(out, "configuration,line,label,a,b,verdict,a_link,b_link{more}")?;
        let more = if self.between.is_some() { ",,true" } else { "" };
        for found in self.colliding {
            let line = self.configurations.line(found.number);
            let label = csv_field(self.configurations.label(found.number).unwrap_or_default());
            for collision in &found.collisions {
                let Clash { a, b, verdict, a_link, b_link } = self.pair(collision);
                let [a, b] = [a, b].map(csv_field);
                let [a_link, b_link] =
                    [a_link, b_link].map(|link| csv_field(link.unwrap_or_default()));
                let number = found.number + 1;
                writeln!(out, "{number},{line},{label},{a},{b},{verdict},{a_link},{b_link}{more}")?;
            }
        }
        for step in self.steps() {
            let Step { configurations: [number, _], lines: [line, _], labels, contacts, .. } =
                self.step(step);
            let label = csv_field(labels[0].unwrap_or_default());
            for Contact { pair, fraction, certainty, a_link, b_link } in contacts {
                let [a, b] = [pair.a, pair.b].map(csv_field);
                let [a_link, b_link] =
                    [a_link, b_link].map(|link| csv_field(link.unwrap_or_default()));
                let (verdict, certified) = (pair.verdict.unwrap_or_default(), certainty.certified);
                writeln!(
                    out,
                    "{number},{line},{label},{a},{b},{verdict},{a_link},{b_link},{fraction},{certified}"
                )?;
            }
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Object<'o> {
    kind: &'static str,
    configuration: usize,
    line: u32,
    label: Option<&'o str>,
    joints: Joints<'o>,
    verdict: Option<&'static str>,
    fails: bool,
    clashes: Vec<Clash<'o>>,
}

#[derive(Serialize)]
struct Clash<'o> {
    a: &'o str,
    b: &'o str,
    verdict: &'static str,
    a_link: Option<&'o str>,
    b_link: Option<&'o str>,
}

/// A step between two rows.
#[derive(Serialize)]
struct Step<'o> {
    kind: &'static str,
    configurations: [usize; 2],
    lines: [u32; 2],
    labels: [Option<&'o str>; 2],
    fails: bool,
    contacts: Vec<Contact<'o>>,
}

#[derive(Serialize)]
struct Contact<'o> {
    #[serde(flatten)]
    pair: PairVerdict<'o>,
    fraction: f64,
    #[serde(flatten)]
    certainty: Certainty,
    a_link: Option<&'o str>,
    b_link: Option<&'o str>,
}

#[derive(Serialize)]
struct BetweenSummary<'o> {
    steps: usize,
    colliding: usize,
    uncertified: usize,
    failures: usize,
    open_parts: Vec<&'o str>,
}

#[derive(Serialize)]
struct Summary<'o> {
    kind: &'static str,
    version: &'static str,
    files: Vec<String>,
    configurations: usize,
    colliding: usize,
    failures: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    between: Option<BetweenSummary<'o>>,
}

/// The values of the joints that have a column, by name.
struct Joints<'o> {
    checked: &'o CheckedConfigurations<'o>,
    number: usize,
}

impl Serialize for Joints<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let CheckedConfigurations { assembly, configurations, .. } = self.checked;
        let mut map = serializer.serialize_map(Some(configurations.joints().len()))?;
        for (&joint, value) in
            configurations.joints().iter().zip(configurations.values(self.number))
        {
            map.serialize_entry(&assembly.joints[joint as usize].name, value)?;
        }
        map.end()
    }
}
