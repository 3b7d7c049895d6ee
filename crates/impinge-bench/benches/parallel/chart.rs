//! A small line chart as SVG, with linear axes from zero.

use std::{fmt::Write, path::Path};

pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    /// Lines with their names. A line whose name ends with "predicted" is dashed.
    pub(crate) series: Vec<(String, Vec<(f64, f64)>)>,
}

const SIZE: [f64; 2] = [720.0, 440.0];
const MARGIN: f64 = 60.0;
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

impl Chart {
    /// Writes the chart into the folder `docs`.
    pub(crate) fn write(&self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        std::fs::write(&path, self.svg()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    fn svg(&self) -> String {
        let [width, height] = SIZE;
        let points = || self.series.iter().flat_map(|(_, points)| points);
        let (x_step, x_end) = scale(points().map(|point| point.0));
        let (y_step, y_end) = scale(points().map(|point| point.1));
        let to_x = |x: f64| MARGIN + x / x_end * (width - 1.5 * MARGIN);
        let to_y = |y: f64| height - MARGIN - y / y_end * (height - 2.0 * MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{}\" y=\"25\" text-anchor=\"middle\" font-size=\"16\">{}</text>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text x=\"18\" y=\"{}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {})\">{}</text>\n",
            width / 2.0,
            self.title,
            width / 2.0,
            height - 15.0,
            self.x,
            height / 2.0,
            height / 2.0,
            self.y,
        );
        let ticks = |step: f64, end: f64| {
            (0..=(end / step).round() as u32).map(move |i| f64::from(i) * step)
        };
        for x in ticks(x_step, x_end) {
            let (at, low, high) = (to_x(x), to_y(0.0), to_y(y_end));
            line(&mut svg, [at, low, at, high]);
            let _ = writeln!(
                svg,
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                low + 18.0,
                short(x)
            );
        }
        for y in ticks(y_step, y_end) {
            let (at, left, right) = (to_y(y), to_x(0.0), to_x(x_end));
            line(&mut svg, [left, at, right, at]);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                at + 4.0,
                short(y)
            );
        }
        let mut color = 0;
        for (i, (name, points)) in self.series.iter().enumerate() {
            let is_predicted = name.ends_with("predicted");
            // A prediction has the colour of the measurement before it.
            color = if is_predicted { color } else { i.div_ceil(self.stride()) };
            let (stroke, dash) =
                (COLORS[color % COLORS.len()], if is_predicted { "6 4" } else { "none" });
            let path: Vec<String> =
                points.iter().map(|&(x, y)| format!("{:.1},{:.1}", to_x(x), to_y(y))).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>",
                path.join(" ")
            );
            let (x, y) = (width - 290.0, 50.0 + 18.0 * i as f64);
            let _ = writeln!(
                svg,
                "<path d=\"M{x} {y}h30\" stroke=\"{stroke}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>\
                 <text x=\"{}\" y=\"{}\">{name}</text>",
                x + 38.0,
                y + 4.0
            );
        }
        svg + "</svg>\n"
    }

    /// Lines per colour.
    fn stride(&self) -> usize {
        if self.series.iter().any(|(name, _)| name.ends_with("predicted")) { 2 } else { 1 }
    }
}

fn line(svg: &mut String, [x1, y1, x2, y2]: [f64; 4]) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#ddd\"/>"
    );
}

/// A round distance between ticks, and the last tick, so that all values are below it.
fn scale(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let largest = values.fold(f64::MIN_POSITIVE, f64::max);
    let power = 10f64.powf((largest / 8.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| largest / step <= 10.0).unwrap_or(10.0 * power);
    (step, step * (largest / step).ceil())
}

/// A number with at most three decimals.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
