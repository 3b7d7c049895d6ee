//! Dates and times in the formats of XML and zip.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A point in time, to the second, in UTC.
///
/// ```
/// use impinge_io::bcf::Date;
///
/// assert_eq!(Date::from_unix(1_000_000_000).to_string(), "2001-09-09T01:46:40Z");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    seconds: u64,
}

impl Date {
    /// Returns the date `seconds` after 1 January 1970; at most the end of the year 9999.
    pub fn from_unix(seconds: u64) -> Self {
        Self { seconds: seconds.min(253_402_300_799) }
    }

    /// Returns the current time of the system clock.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self::from_unix(since.unwrap_or(Duration::ZERO).as_secs())
    }

    /// Returns year, month and day.
    fn day(self) -> [u64; 3] {
        // Years start in March here, so that the leap day is the last day. Days count from 1 March of the year 0, from which
        // the calendar repeats every 400 years.
        let days = self.seconds / 86_400 + 719_468;
        let (era, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        // From March on, every five months have 153 days.
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        [era * 400 + year + u64::from(month <= 2), month, day]
    }

    fn time(self) -> [u64; 3] {
        let seconds = self.seconds % 86_400;
        [seconds / 3600, seconds / 60 % 60, seconds % 60]
    }

    /// Returns the date and the time as zip stores them, from 1980 to 2107.
    pub(super) fn in_archive(self) -> [u16; 2] {
        let ([year, month, day], [hour, minute, second]) = (self.day(), self.time());
        if year < 1980 {
            return [1 << 5 | 1, 0];
        }
        if year > 2107 {
            return [127 << 9 | 12 << 5 | 31, 23 << 11 | 59 << 5 | 29];
        }
        [
            ((year - 1980) << 9 | month << 5 | day) as u16,
            (hour << 11 | minute << 5 | (second / 2)) as u16,
        ]
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([year, month, day], [hour, minute, second]) = (self.day(), self.time());
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_days_have_consecutive_dates() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for number in 0..366 * 500_u64 {
            assert_eq!(Date::from_unix(number * 86_400 + 7).day(), [year, month, day], "{number}");
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = lengths[month as usize - 1] + u64::from(is_leap && month == 2);
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    #[test]
    fn dates_are_displayed_as_in_xml() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Date::from_unix(seconds).to_string(), text);
        }
        assert_eq!(
            Date::from_unix(951_827_696).in_archive(),
            [20 << 9 | 2 << 5 | 29, 12 << 11 | 34 << 5 | 28]
        );
        assert_eq!(Date::from_unix(0).in_archive(), [33, 0]);
    }
}
