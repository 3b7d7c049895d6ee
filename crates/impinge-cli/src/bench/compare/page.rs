//! Writes the tables of the comparison into a Markdown page, between two marker lines.

use super::report::Report;
use crate::failure::Failure;
use impinge_io::bcf::Date;
use std::{
    fs,
    path::Path,
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

const BEGIN: &str = "<!-- bench compare -->\n";
const END: &str = "<!-- end compare -->";

fn read(path: &Path) -> Result<String, Failure> {
    let cannot = |error| Failure::input(format!("{}: cannot be read: {error}", path.display()));
    fs::read_to_string(path).map_err(cannot)
}

/// Returns the text before and after the tables.
fn split_at_tables<'p>(page: &'p str, path: &Path) -> Result<[&'p str; 2], Failure> {
    let missing = |mark: &str| {
        Failure::input(format!("{}: the page has no line `{}`", path.display(), mark.trim()))
    };
    let begin = page.find(BEGIN).ok_or_else(|| missing(BEGIN))? + BEGIN.len();
    let end = page[begin..].find(END).ok_or_else(|| missing(END))? + begin;
    Ok([&page[..begin], &page[end..]])
}

/// Fails unless the page has both marker lines.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    split_at_tables(&read(path)?, path).map(|_| ())
}

/// Replaces the text between the marker lines with the tables.
pub(super) fn write(path: &Path, command: &str, report: &Report) -> Result<(), Failure> {
    // Read again: the page may have been edited during the run.
    let page = read(path)?;
    let [before, after] = split_at_tables(&page, path)?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let date = date(since.map_or(0, |since| since.as_secs() / 86_400));
    let (machine, tables) = (machine(), report.markdown());
    let section = format!("\n    {command}\n\n{date}, {machine}.\n\n{tables}\n");
    let page = format!("{before}{section}{after}");
    Ok(impinge_io::write_atomically(path, |out| out.write_all(page.as_bytes()))?)
}

fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let model = model.unwrap_or(std::env::consts::ARCH).trim();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    format!("{model} ({cores} core{})", if cores == 1 { "" } else { "s" })
}

/// Returns the date that is `days` days after 1970-01-01.
fn date(days: u64) -> String {
    let mut text = Date::from_unix(days.saturating_mul(86_400)).to_string();
    text.truncate("1970-01-01".len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_leap_years() {
        let cases = [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_818, "2026-12-31"),
            (20_819, "2027-01-01"),
        ];
        for (days, expected) in cases {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn a_page_without_a_place_is_refused() {
        let path = Path::new("page.md");
        let message = |page: &str| match split_at_tables(page, path) {
            Err(Failure::Input(message)) => message,
            other => panic!("{other:?}"),
        };
        assert!(message("# A\n").contains("page.md"));
        assert!(message(BEGIN).contains("end compare"));
        let page = format!("a\n{BEGIN}old\n{END}\nb\n");
        let [before, after] = split_at_tables(&page, path).unwrap();
        assert_eq!((before, after), ("a\n<!-- bench compare -->\n", "<!-- end compare -->\nb\n"));
    }
}
