//! Compares a clash with the same clash of an earlier run: has it become worse?

use crate::verdicts;
use impinge::clash::{Clash, Verdict};
use serde::{Deserialize, Serialize};

/// What an earlier run measured of a clash. Lengths are in the unit of this run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    #[serde(with = "verdicts")]
    pub(crate) verdict: Verdict,
    pub(crate) depth: Option<f64>,
    pub(crate) depth_at_most: Option<f64>,
    pub(crate) distance: f64,
    pub(crate) volume: Option<f64>,
    /// Radius of the shaft minus radius of the hole, for fits.
    pub(crate) fit_difference: Option<f64>,
}

impl Measured {
    pub(crate) fn of(clash: &Clash) -> Self {
        Self {
            verdict: clash.verdict,
            depth: clash.least_depth(),
            depth_at_most: clash.depth.and_then(|depth| depth.at_most()),
            distance: clash.distance,
            volume: clash.volume,
            fit_difference: clash.fit.map(|fit| fit.difference()),
        }
    }

    /// Returns the same measurements in another unit of length.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        let scaled = |length: Option<f64>| length.map(|length| length * factor);
        Self {
            verdict: self.verdict,
            depth: scaled(self.depth),
            depth_at_most: scaled(self.depth_at_most),
            distance: self.distance * factor,
            volume: self.volume.map(|volume| volume * factor.powi(3)),
            fit_difference: scaled(self.fit_difference),
        }
    }

    /// Returns whether a clash is worse now: its verdict is more severe, or it has grown by more than the touch
    /// band. `is_quick` says that this run does not tell fits from penetrations.
    pub(crate) fn became_worse(&self, clash: &Clash, is_quick: bool) -> bool {
        let rank = |verdict| rank(verdict, is_quick);
        if rank(clash.verdict) != rank(self.verdict) {
            return rank(clash.verdict) < rank(self.verdict);
        }
        let grew = |now: Option<f64>, before: Option<f64>, by: f64| match (now, before) {
            (Some(now), Some(before)) => now > before + by,
            _ => false,
        };
        let is_apart = rank(clash.verdict) == rank(Verdict::Clearance);
        // A loose upper end says little. Where no volume tells more, the lower ends are compared.
        let has_volumes = clash.volume.is_some() && self.volume.is_some();
        let lower = self.depth.map(|depth| depth * 1.02).filter(|_| !has_volumes);
        let is_deeper = grew(clash.least_depth(), self.depth_at_most.or(self.depth), clash.band)
            || grew(clash.least_depth(), lower, clash.band);
        let is_tighter =
            grew(clash.fit.map(|fit| fit.difference()), self.fit_difference, clash.band);
        // A volume grows by this much if the surfaces in the box of the clash move by the band.
        let size = clash.extent.size();
        let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
        let by = if clash.extent.is_empty() { 0.0 } else { area * clash.band };
        let is_larger = grew(clash.volume, self.volume, by);
        let is_closer = is_apart && self.distance - clash.distance > clash.band;
        is_deeper || is_tighter || is_larger || is_closer
    }
}

/// The severity of a verdict, worst first. Touching parts and parts within the clearance differ in distance only.
fn rank(verdict: Verdict, is_quick: bool) -> usize {
    match verdict {
        Verdict::Touching => Verdict::Clearance as usize,
        Verdict::Fit if is_quick => Verdict::Penetrating as usize,
        verdict => verdict as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{
        Bounds,
        clash::{Depth, Fit, Side},
        glam::DVec3,
    };

    fn before(verdict: Verdict) -> Measured {
        Measured {
            verdict,
            depth: Some(1.0),
            depth_at_most: None,
            distance: 0.0,
            volume: None,
            fit_difference: None,
        }
    }

    fn now(verdict: Verdict, depth: f64) -> Clash {
        let mut clash = Clash::new(0, 1, verdict);
        (clash.band, clash.depth) = (0.1, Some(Depth::at_least(depth)));
        clash
    }

    #[test]
    fn growth_beyond_the_band_is_worse() {
        let is_worse = |before: &Measured, now: &Clash| before.became_worse(now, false);
        let old = before(Verdict::Penetrating);
        assert!(!is_worse(&old, &now(Verdict::Penetrating, 1.09)));
        assert!(is_worse(&old, &now(Verdict::Penetrating, 1.11)));
        assert!(!is_worse(&old, &now(Verdict::Penetrating, 0.2)));
        // The earlier depth may have been anything up to the upper bound, if the volume is the same.
        let wide = Measured { depth_at_most: Some(1.5), volume: Some(9.0), ..old };
        let with_volume = |depth: f64| {
            let mut clash = now(Verdict::Penetrating, depth);
            clash.volume = Some(9.0);
            clash
        };
        assert!(!is_worse(&wide, &with_volume(1.55)));
        assert!(is_worse(&wide, &with_volume(1.65)));
        // Without volumes the lower ends are compared.
        let open = Measured { volume: None, ..wide };
        assert!(!is_worse(&open, &now(Verdict::Penetrating, 1.1)));
        assert!(is_worse(&open, &now(Verdict::Penetrating, 1.2)));
        let unknown = Measured { depth: None, ..old };
        assert!(!is_worse(&unknown, &now(Verdict::Penetrating, 9.0)));
    }

    #[test]
    fn a_more_severe_verdict_is_worse_and_a_milder_one_is_not() {
        let verdicts = Verdict::ALL;
        for (at, &old) in verdicts.iter().enumerate() {
            for (number, &new) in verdicts.iter().enumerate() {
                let is_milder_class = old == Verdict::Touching && new == Verdict::Clearance;
                let expected = number < at && !is_milder_class;
                assert_eq!(
                    before(old).became_worse(&now(new, 0.0), false),
                    expected,
                    "{old} {new}"
                );
            }
        }
        // A quick check calls fits penetrating.
        assert!(before(Verdict::Fit).became_worse(&now(Verdict::Penetrating, 0.0), false));
        assert!(!before(Verdict::Fit).became_worse(&now(Verdict::Penetrating, 0.0), true));
    }

    #[test]
    fn distances_volumes_and_fits_count_too() {
        let mut clash = now(Verdict::Clearance, 0.0);
        (clash.depth, clash.distance) = (None, 0.5);
        let away = |distance| Measured { depth: None, distance, ..before(Verdict::Clearance) };
        assert!(away(0.61).became_worse(&clash, false));
        assert!(!away(0.59).became_worse(&clash, false));
        clash.verdict = Verdict::Touching;
        assert!(away(0.61).became_worse(&clash, false), "it touches now");

        let mut clash = now(Verdict::Penetrating, 1.0);
        clash.extent = Bounds { min: DVec3::ZERO, max: DVec3::new(10.0, 10.0, 1.0) };
        let old = Measured { volume: Some(100.0), ..before(Verdict::Penetrating) };
        // The box has an area of 240, and the band is 0.1.
        clash.volume = Some(123.0);
        assert!(!old.became_worse(&clash, false));
        clash.volume = Some(125.0);
        assert!(old.became_worse(&clash, false));

        let mut clash = now(Verdict::Fit, 0.0);
        clash.fit = Some(Fit::new(Side::A, 5.3, 5.0));
        let old =
            |difference| Measured { fit_difference: Some(difference), ..before(Verdict::Fit) };
        assert!(old(0.1).became_worse(&clash, false));
        assert!(!old(0.25).became_worse(&clash, false));
    }
}
