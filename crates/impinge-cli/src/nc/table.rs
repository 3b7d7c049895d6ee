//! The table of `impinge nc`: head, one row for each gouge, summary.

use super::arguments::{ListOptions, Sort};
use crate::output::{self, count, plain, short};
use console::Style;
use impinge::glam::DVec3;
use impinge_nc::{Gouge, Report, Role, ToolPartKind};
use std::fmt::Write;

/// Returns the whole report: head, table and summary. `is_example` is set if no file was named.
pub(super) fn readable(report: &Report<'_>, list: &ListOptions, is_example: bool) -> String {
    let mut text = head(report, is_example);
    let gouges = match list.sort {
        Sort::Depth => report.worst_first(),
        Sort::Line => {
            let mut gouges: Vec<&Gouge> = report.outcome.gouges.iter().collect();
            gouges.sort_by_key(|gouge| gouge.line);
            gouges
        }
    };
    let listed = &gouges[..gouges.len().min(list.limit)];
    if !listed.is_empty() {
        text.push('\n');
        text.push_str(&output::table(&rows(report, listed)));
    }
    text.push('\n');
    if listed.len() < gouges.len() {
        let _ = writeln!(text, "{} of {} gouges are listed (--limit)", listed.len(), gouges.len());
    }
    text.push_str(&foot(report));
    text
}

fn head(report: &Report<'_>, is_example: bool) -> String {
    let mut text = String::new();
    if is_example {
        text.push_str(
            "No PART is given, so this is the built-in example. To check your own: impinge nc PART PROGRAM --tool \
             SPEC\n\n",
        );
    }
    let faces = |role| {
        let bodies = report.setup.bodies.iter().filter(|body| body.role == role);
        bodies.map(|body| body.mesh().faces().len()).sum::<usize>()
    };
    let options = report.options;
    let [part, program] = [report.part_name, report.program_name].map(plain);
    let _ = write!(text, "{part}: {}", count(faces(Role::Part), "face"));
    for (role, label) in [(Role::Stock, "stock"), (Role::Fixture, "fixtures")] {
        if faces(role) > 0 {
            let _ = write!(text, ", {label}: {}", count(faces(role), "face"));
        }
    }
    let moves = count(report.program.moves.len(), "move");
    let _ = writeln!(text, "; {program}: {}, {moves}", count(report.program.lines, "line"));
    for (number, tool) in report.tools {
        let label = if *number == 0 { "tool".to_owned() } else { format!("tool {number}") };
        let _ = writeln!(text, "{label}: {}", plain(&tool.name));
    }
    let _ = write!(text, "tolerance {} mm", short(options.tolerance, 4));
    for (label, length) in
        [("stock to leave", options.stock_to_leave), ("clearance", options.clearance)]
    {
        if length > 0.0 {
            let _ = write!(text, ", {label} {} mm", short(length, 4));
        }
    }
    text.push('\n');
    text
}

fn rows(report: &Report<'_>, gouges: &[&Gouge]) -> Vec<Vec<String>> {
    let has_tools = report.tools.len() > 1;
    let tool = has_tools.then_some("tool");
    let columns = ["line", "move"].iter().chain(&tool);
    let columns = columns.chain(&["with", "body", "depth", "lift", "at", "faces"]);
    let bold = |text: &&str| Style::new().bold().apply_to(*text).to_string();
    let mut table = vec![columns.map(bold).collect()];
    for gouge in gouges {
        let kind = if gouge.is_rapid() { "rapid" } else { "feed" };
        let mut cells = vec![gouge.line.to_string(), kind.to_owned()];
        if has_tools {
            cells.push(gouge.tool.to_string());
        }
        cells.push(style(gouge.with).apply_to(gouge.with.name()).to_string());
        let role = report.role(gouge);
        let name = plain(report.body_name(gouge));
        cells.push(match role {
            Role::Part => name,
            _ if name == role.name() => name,
            _ => format!("{} {name}", role.name()),
        });
        cells.extend([short(gouge.depth, 4), short(gouge.lift, 4), at(gouge.at)]);
        cells.push(gouge.face_count.to_string());
        table.push(cells);
    }
    table
}

/// Returns the colour of a part of the tool.
fn style(with: ToolPartKind) -> Style {
    match with {
        ToolPartKind::Cutter => Style::new().red(),
        ToolPartKind::Shank => Style::new().yellow(),
        ToolPartKind::Holder => Style::new().magenta(),
    }
}

fn at(point: DVec3) -> String {
    let [x, y, z] = point.to_array().map(|value| short(value, 6));
    format!("({x}, {y}, {z})")
}

fn foot(report: &Report<'_>) -> String {
    let outcome = report.outcome;
    let mut text = String::new();
    let worst = report.worst_first().first().copied();
    match worst {
        None => text.push_str(&Style::new().green().apply_to("no gouges").to_string()),
        Some(worst) => {
            let kinds = [ToolPartKind::Cutter, ToolPartKind::Shank, ToolPartKind::Holder];
            let counted: Vec<String> = kinds
                .into_iter()
                .map(|kind| (kind, outcome.gouges.iter().filter(|it| it.with == kind).count()))
                .filter(|(_, number)| *number > 0)
                .map(|(kind, number)| {
                    style(kind).apply_to(format!("{number} by the {}", kind.name())).to_string()
                })
                .collect();
            let _ = write!(
                text,
                "{}: {}; the deepest is {} mm, on line {}",
                count(outcome.gouges.len(), "gouge"),
                counted.join(", "),
                short(outcome.worst_depth, 4),
                worst.line
            );
        }
    }
    let rate = f64::from(report.program.lines) / report.seconds.max(1e-9);
    let _ = writeln!(
        text,
        "; {} checked in {}, {} lines a second",
        count(outcome.moves, "move"),
        time(report.seconds),
        short(rate, 2)
    );
    let _ = writeln!(text, "{}", verdict(report));
    text
}

fn time(seconds: f64) -> String {
    match seconds < 1.0 {
        true => format!("{} ms", short(seconds * 1e3, 3)),
        false => format!("{} s", short(seconds, 3)),
    }
}

/// Returns how many moves gouge, and the exit code.
pub(super) fn verdict(report: &Report<'_>) -> String {
    match report.outcome.gouging_moves {
        0 => "no move gouges (exit code 0)".to_owned(),
        1 => "1 move gouges (exit code 1)".to_owned(),
        many => format!("{many} moves gouge (exit code 1)"),
    }
}
