//! The colours of verdicts: the one table that pictures, GLB, BCF and the page take them from.

use impinge::clash::Verdict;

/// Returns the colour of a verdict in all outputs: red, green and blue (sRGB).
///
/// The colours can be told apart with every kind of colour vision, on a light and on a dark background; the
/// test below measures it.
pub fn color_of(verdict: Verdict) -> [u8; 3] {
    match verdict {
        Verdict::Duplicate => [168, 24, 236],
        Verdict::Inside => [241, 104, 182],
        Verdict::Penetrating => [225, 5, 7],
        Verdict::Fit => [50, 171, 253],
        Verdict::Clearance => [230, 188, 36],
        Verdict::Touching => [30, 235, 191],
        // Undecided, and verdicts that are not known here.
        _ => [103, 114, 105],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colour vision without one of the three kinds of cones, as maps of linear RGB: protanopia, deuteranopia
    /// and tritanopia. From Machado et al., A Physiologically-based Model for Simulation of Color Vision
    /// Deficiency, 2009.
    const VISION: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    fn linear(value: u8) -> f64 {
        match f64::from(value) / 255.0 {
            dark if dark <= 0.04045 => dark / 12.92,
            value => ((value + 0.055) / 1.055).powf(2.4),
        }
    }

    fn times(matrix: &[[f64; 3]; 3], by: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(by).map(|(a, b)| a * b).sum())
    }

    /// Converts linear RGB to OKLab, in which distances are about as large as they look.
    fn oklab(rgb: [f64; 3]) -> [f64; 3] {
        let cones = [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ];
        let lab = [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ];
        times(&lab, times(&cones, rgb).map(f64::cbrt))
    }

    /// A distance of 0.02 can just be seen side by side.
    #[test]
    fn colours_are_told_apart_with_any_colour_vision() {
        for vision in &VISION {
            let seen = Verdict::ALL.map(|verdict| {
                let rgb = color_of(verdict).map(linear);
                oklab(times(vision, rgb).map(|value| value.clamp(0.0, 1.0)))
            });
            for (number, a) in seen.iter().enumerate() {
                for b in &seen[..number] {
                    let distance =
                        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 0.12, "{}: {distance}", Verdict::ALL[number]);
                }
            }
        }
    }

    #[test]
    fn colours_stand_out_from_the_page() {
        let luminance = |color: [u8; 3]| {
            let weights = [0.2126, 0.7152, 0.0722];
            color.map(linear).iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>()
        };
        // The contrast that WCAG 2 requires of graphics is 3.
        for verdict in Verdict::ALL {
            let contrast = (luminance(color_of(verdict)) + 0.05) / (luminance([21, 26, 33]) + 0.05);
            assert!(contrast > 3.0, "{verdict}: {contrast}");
        }
    }
}
