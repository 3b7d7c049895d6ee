//! How long a step takes: on the clock, and on the processor with all that it starts.

use std::{fmt, fs, time::Instant};

/// Clock ticks a second in `/proc`: Linux reports 100 to programs, whatever its kernel counts in.
const TICKS: f64 = 100.0;

/// A step that is running.
pub(crate) struct Stopwatch {
    start: Instant,
    processor: Option<f64>,
}

/// Seconds that a step has taken. Prints as `12 s, 20 s of CPU`.
pub(crate) struct Taken {
    wall: f64,
    /// User and system time of processes that have ended. Only Linux tells.
    processor: Option<f64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), processor: processor() }
    }

    pub(crate) fn taken(&self) -> Taken {
        let wall = self.start.elapsed().as_secs_f64();
        let processor = processor().zip(self.processor).map(|(now, then)| now - then);
        Taken { wall, processor }
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} s", self.wall)?;
        match self.processor {
            Some(processor) => write!(f, ", {processor:.0} s of CPU"),
            None => Ok(()),
        }
    }
}

/// Seconds of CPU that our children have taken so far, and theirs; of those that have ended.
fn processor() -> Option<f64> {
    parse(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// `cutime` + `cstime` of a line in `/proc/PID/stat`, in seconds.
fn parse(stat: &str) -> Option<f64> {
    // The second field is the program's name in parentheses, and may hold spaces and parentheses itself.
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(13);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_in_fields_16_and_17() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194560 1 2 3 4 500 600 12345 55 20 0 1 0 99 1 2\n";
        assert_eq!(parse(stat), Some(124.0));
        assert_eq!(parse("7 (a) S 1"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_step_takes_both() {
        let taken = Taken { wall: 12.4, processor: Some(20.6) };
        assert_eq!(taken.to_string(), "12 s, 21 s of CPU");
        let taken = Taken { wall: 12.4, processor: None };
        assert_eq!(taken.to_string(), "12 s");
    }
}
