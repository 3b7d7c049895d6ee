//! `cargo xtask bench`: runs the comparisons and writes what they print into `docs/benchmarks.md`.
//!
//! The page is prose with places for tables in it: `<!-- bench NAME -->` to `<!-- end NAME -->`. What is
//! between is replaced; the rest stays.

use crate::command::{cargo, output_of, rust_version};
use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

const PAGE: &str = "docs/benchmarks.md";

/// This one `impinge bench --write` fills, with peers that only its user knows.
const COMPARE: &str = "compare";

/// Runs the comparisons of these names, or all that the page has a place for.
pub(crate) fn run(root: &Path, wanted: &[&str]) -> Result<(), String> {
    let path = root.join(PAGE);
    let read = || fs::read_to_string(&path).map_err(|error| format!("{PAGE}: {error}"));
    let known = names(&read()?);
    if let Some(other) = wanted.iter().find(|name| !known.iter().any(|known| known == *name)) {
        return Err(format!("{PAGE} has no place for `{other}`, but for: {}", known.join(", ")));
    }
    let is_wanted = |name: &&String| wanted.is_empty() || wanted.contains(&name.as_str());
    for name in known.iter().filter(is_wanted) {
        let tables = output_of(&mut cargo(root, &arguments(name)))?;
        // Read anew: someone may have written prose while this ran.
        let page = replaced(&read()?, name, &section(name, &tables))?;
        fs::write(&path, page).map_err(|error| format!("{PAGE}: {error}"))?;
        println!("{PAGE}: {name} is up to date");
    }
    Ok(())
}

fn arguments(name: &str) -> [&str; 5] {
    ["bench", "-p", "impinge-bench", "--bench", name]
}

/// The tables, and what produced them where and when.
fn section(name: &str, tables: &str) -> String {
    let arguments = arguments(name).join(" ");
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let date = date(since.map_or(0, |since| since.as_secs()));
    let (machine, rust) = (machine(), rust_version());
    format!("    cargo {arguments}\n\n{date}, {machine}, Rust {rust}.\n\n{}\n", tables.trim())
}

fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "" } else { "s" };
    format!("{} ({cores} core{plural})", model.unwrap_or(std::env::consts::ARCH).trim())
}

/// The date in UTC, so many seconds after the beginning of 1970.
fn date(seconds: u64) -> String {
    let mut day = seconds / 86_400;
    let mut year = 1970;
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

fn marks(name: &str) -> [String; 2] {
    [format!("<!-- bench {name} -->\n"), format!("<!-- end {name} -->\n")]
}

/// What the page has places for, in order.
fn names(page: &str) -> Vec<String> {
    let name =
        |line: &str| Some(line.strip_prefix("<!-- bench ")?.strip_suffix(" -->")?.to_owned());
    page.lines().filter_map(name).filter(|name| name != COMPARE).collect()
}

fn replaced(page: &str, name: &str, section: &str) -> Result<String, String> {
    let [begin, end] = marks(name);
    let missing = |mark: &str| format!("{PAGE}: there is no line `{}`", mark.trim());
    let (before, rest) = page.split_once(&begin).ok_or_else(|| missing(&begin))?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| missing(&end))?;
    Ok(format!("{before}{begin}\n{section}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_replaced_and_the_rest_stays() {
        let page =
            "# A\n<!-- bench x -->\nold\n<!-- end x -->\nprose\n<!-- bench y -->\n<!-- end y -->\n";
        assert_eq!(names(page), ["x", "y"]);
        assert!(names("<!-- bench compare -->\n").is_empty());
        let new = replaced(page, "x", "new\n").unwrap();
        assert_eq!(
            new,
            "# A\n<!-- bench x -->\n\nnew\n\n<!-- end x -->\nprose\n<!-- bench y -->\n<!-- end y -->\n"
        );
        assert_eq!(replaced(&new, "x", "new\n").unwrap(), new);
        assert!(replaced(page, "z", "").unwrap_err().contains("bench z"));
    }

    #[test]
    fn days_and_leap_years() {
        let day = 86_400;
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(59 * day), "1970-03-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(951_782_400 + day), "2000-03-01");
        assert_eq!(date(1_798_761_599), "2026-12-31");
        assert_eq!(date(1_798_761_600), "2027-01-01");
    }
}
