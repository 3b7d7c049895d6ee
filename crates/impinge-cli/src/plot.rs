//! Line plots as SVG, for `run --plot`, `bench --plot` and `bench --plots`.

use crate::failure::Failure;
use impinge_io::Draft;
use plotters::prelude::*;
use std::{ops::Range, path::Path};

/// The scale of an axis.
#[derive(Clone, Copy)]
pub(crate) enum Scale {
    Linear,
    Log,
}

/// A plot of several series of points; each series is a line with a name.
pub(crate) struct Lines {
    pub(crate) title: String,
    /// Label and scale.
    pub(crate) x: (String, Scale),
    pub(crate) y: (String, Scale),
    pub(crate) series: Vec<(String, Vec<(f64, f64)>)>,
    /// Vertical lines, if there are any: their common name, and the x of each.
    pub(crate) marks: Option<(String, Vec<f64>)>,
}

const SIZE: (u32, u32) = (960, 600);
/// Colours that people with colour blindness can tell apart (Okabe and Ito).
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
    RGBColor(150, 120, 60),
];

impl Lines {
    /// Writes the plot to a file, which is either complete or absent.
    pub(crate) fn draw(&self, path: &Path) -> Result<(), Failure> {
        Ok(self.draft(path)?.commit()?)
    }

    /// Writes the plot to a draft file, which is renamed later.
    pub(crate) fn draft(&self, path: &Path) -> Result<Draft, Failure> {
        let svg = self.svg().map_err(|error| {
            Failure::input(format!("{}: cannot draw the plot: {error}", path.display()))
        })?;
        let mut draft = Draft::create(path)?;
        draft.fill(|out| out.write_all(svg.as_bytes()))?;
        Ok(draft)
    }

    /// Returns the plot as an `<svg>` element.
    pub(crate) fn svg(&self) -> Result<String, Box<dyn std::error::Error>> {
        let points = || self.series.iter().flat_map(|(_, points)| points);
        // A logarithmic axis needs values above zero.
        let x = range(points().map(|p| p.0), self.x.1);
        let y = range(points().map(|p| p.1), self.y.1);
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            area.fill(&WHITE)?;
            let mut chart = ChartBuilder::on(&area);
            chart
                .caption(&self.title, ("sans-serif", 20))
                .margin(12)
                .x_label_area_size(45)
                .y_label_area_size(70);
            match (self.x.1, self.y.1) {
                (Scale::Linear, Scale::Linear) => {
                    self.fill(&mut chart.build_cartesian_2d(x, y)?)?;
                }
                (Scale::Linear, Scale::Log) => {
                    self.fill(&mut chart.build_cartesian_2d(x, y.log_scale())?)?;
                }
                (Scale::Log, Scale::Linear) => {
                    self.fill(&mut chart.build_cartesian_2d(x.log_scale(), y)?)?;
                }
                (Scale::Log, Scale::Log) => {
                    self.fill(&mut chart.build_cartesian_2d(x.log_scale(), y.log_scale())?)?;
                }
            }
            area.present()?;
        }
        Ok(svg)
    }

    /// Chooses the upper corner that the lines reach less.
    fn legend(&self) -> SeriesLabelPosition {
        let x = range(self.series.iter().flat_map(|(_, points)| points).map(|p| p.0), self.x.1);
        let highest = |is_right: bool| {
            let is_there = |p: &&(f64, f64)| match is_right {
                true => p.0 > x.start + (x.end - x.start) * 0.7,
                false => p.0 < x.start + (x.end - x.start) * 0.3,
            };
            let points = self.series.iter().flat_map(|(_, points)| points);
            points.filter(is_there).map(|p| p.1).fold(f64::NEG_INFINITY, f64::max)
        };
        match highest(true) > highest(false) {
            true => SeriesLabelPosition::UpperLeft,
            false => SeriesLabelPosition::UpperRight,
        }
    }

    fn fill<'a, X, Y>(
        &self,
        chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        X: Ranged<ValueType = f64> + plotters::coord::ranged1d::ValueFormatter<f64>,
        Y: Ranged<ValueType = f64> + plotters::coord::ranged1d::ValueFormatter<f64>,
    {
        let points = || self.series.iter().flat_map(|(_, points)| points);
        let x_range = range(points().map(|p| p.0), self.x.1);
        let y_range = range(points().map(|p| p.1), self.y.1);
        chart
            .configure_mesh()
            .x_desc(&self.x.0)
            .y_desc(&self.y.0)
            .x_label_formatter(&|value| label(*value, &x_range))
            .y_label_formatter(&|value| label(*value, &y_range))
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", 15))
            .light_line_style(RGBColor(240, 240, 240))
            .draw()?;
        if let Some((name, places)) = &self.marks {
            let style = RGBColor(170, 170, 170).stroke_width(1);
            let line = |&x: &f64| PathElement::new([(x, y_range.start), (x, y_range.end)], style);
            chart
                .draw_series(places.iter().map(line))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        }
        for ((name, points), color) in self.series.iter().zip(COLORS.iter().cycle()) {
            // Marks help to see single points, but hide a line of many points.
            let (width, mark) = if points.len() <= MARKED { (2, 3) } else { (1, 0) };
            let style = color.stroke_width(width);
            chart
                .draw_series(LineSeries::new(points.iter().copied(), style).point_size(mark))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        }
        chart
            .configure_series_labels()
            .position(self.legend())
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200))
            .label_font(("sans-serif", 14))
            .draw()?;
        Ok(())
    }
}

/// Returns the label of a value on an axis: three decimals, or more if the whole axis is short.
fn label(value: f64, axis: &Range<f64>) -> String {
    let decimals = (2.0 - (axis.end - axis.start).log10().floor()).clamp(3.0, 12.0);
    let scale = 10_f64.powi(decimals as i32);
    // Adding zero turns -0 into 0.
    format!("{}", (value * scale).round() / scale + 0.0)
}

/// Lines with more points than this have no marks.
const MARKED: usize = 100;

/// Returns the range of some values, slightly enlarged.
fn range(values: impl Iterator<Item = f64>, scale: Scale) -> Range<f64> {
    let values = values.filter(|value| match scale {
        Scale::Linear => value.is_finite(),
        Scale::Log => value.is_finite() && *value > 0.0,
    });
    let (min, max) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| {
        (min.min(value), max.max(value))
    });
    match scale {
        _ if min > max => 1.0..10.0,
        // Whole powers of ten, so that both ends of the axis have labels.
        Scale::Log => 10f64.powf(min.log10().floor())..10f64.powf((max * 1.01).log10().ceil()),
        Scale::Linear if min == max => min - 0.5..max + 0.5,
        Scale::Linear => min..max,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_tell_the_values_of_an_axis_apart() {
        let labels = |axis: Range<f64>, values: [f64; 3]| values.map(|value| label(value, &axis));
        assert_eq!(labels(0.0..4000.0, [0.0, 500.0, 1000.5]), ["0", "500", "1000.5"]);
        assert_eq!(labels(0.0..0.0024, [-1e-20, 2e-4, 0.0024]), ["0", "0.0002", "0.0024"]);
        assert_eq!(labels(0.1..1e5, [0.1, 10.0, 1e5]), ["0.1", "10", "100000"]);
    }
}
