//! The G and M codes that the reader knows, and the modal groups that they belong to. A line can hold one code of a
//! group. G codes are given in tenths: 901 is `G90.1`.

/// A modal group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// Codes for one line: dwell, offsets, returns.
    OneShot,
    Motion,
    Plane,
    Distance,
    ArcDistance,
    FeedMode,
    Unit,
    Compensation,
    Length,
    Retract,
    WorkOffset,
    PathControl,
    SpindleMode,
    Stop,
    ToolChange,
    Spindle,
    Coolant,
    Override,
    Signal,
    Kinematics,
}

/// How many groups there are.
pub(super) const GROUPS: usize = Group::Kinematics as usize + 1;

/// What the reader does with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// It is executed.
    Known(Group),
    /// It ends a mode that the reader refuses to start, or asks for the exact path, so that there is nothing to do.
    Ignored,
    /// It changes the path in a way that the reader cannot follow. The text says how.
    Refused(&'static str),
    /// The reader does not know it.
    Unknown,
}

/// The kind of a G code, in tenths.
pub(super) fn g_code(code: i32) -> Code {
    Code::Known(match code {
        40 | 100 | 280 | 281 | 300 | 301 | 520 | 530 | 920..=923 => Group::OneShot,
        0 | 10 | 20 | 30 | 730 | 740 | 800 | 810 | 820 | 830 | 840 | 850 | 860 | 870 | 880
        | 890 => Group::Motion,
        170 | 180 | 190 => Group::Plane,
        900 | 910 => Group::Distance,
        901 | 911 => Group::ArcDistance,
        930 | 940 | 950 => Group::FeedMode,
        200 | 210 => Group::Unit,
        400 | 410 | 411 | 420 | 421 => Group::Compensation,
        430 | 434 | 490 => Group::Length,
        980 | 990 => Group::Retract,
        540 | 550 | 560 | 570 | 580 | 590..=593 => Group::WorkOffset,
        610 | 611 | 640 => Group::PathControl,
        960 | 970 => Group::SpindleMode,
        80 | 90 | 131 | 150 | 501 | 670 | 690 => return Code::Ignored,
        50..=53 => return Code::Refused("splines"),
        60 => return Code::Refused("positioning from one side"),
        70 => return Code::Refused("lathe diameters"),
        121 => return Code::Refused("polar interpolation"),
        120 | 130 => return Code::Refused("pocket cycles"),
        160 => return Code::Refused("polar coordinates"),
        310 | 382..=385 => return Code::Refused("probing: the end depends on the machine"),
        330 | 331 => return Code::Refused("threading"),
        431 | 432 | 435 => return Code::Refused("this form of tool length compensation"),
        500 | 510 | 511 => return Code::Refused("scaling and mirroring"),
        650 | 660 => return Code::Refused("macro calls"),
        680 | 682 => return Code::Refused("rotated coordinate systems"),
        700..=729 | 750..=769 => return Code::Refused("this cycle"),
        _ => return Code::Unknown,
    })
}

/// The kind of an M code.
pub(super) fn m_code(code: i32) -> Code {
    Code::Known(match code {
        0 | 1 | 2 | 30 | 60 | 98 | 99 => Group::Stop,
        6 | 61 => Group::ToolChange,
        3 | 4 | 5 | 19 => Group::Spindle,
        7..=9 => Group::Coolant,
        48..=53 => Group::Override,
        62..=68 => Group::Signal,
        428 | 429 => Group::Kinematics,
        70..=73 => return Code::Refused("saving and restoring the modal state"),
        _ => return Code::Unknown,
    })
}

/// A G code as a program writes it.
pub(super) fn g_name(code: i32) -> String {
    match code % 10 {
        0 => format!("G{}", code / 10),
        tenth => format!("G{}.{tenth}", code / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_their_groups() {
        assert_eq!(g_code(10), Code::Known(Group::Motion));
        assert_eq!(g_code(593), Code::Known(Group::WorkOffset));
        assert_eq!(g_code(594), Code::Unknown);
        assert!(matches!(g_code(50), Code::Refused(_)));
        assert_eq!(m_code(6), Code::Known(Group::ToolChange));
        assert_eq!(m_code(100), Code::Unknown);
        assert_eq!((g_name(10), g_name(901)), ("G1".into(), "G90.1".into()));
    }
}
