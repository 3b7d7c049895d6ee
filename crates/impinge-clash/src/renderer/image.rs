//! Images, and how they are written as PNG.

use super::Color;
use std::io::{self, Write};

/// An image, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Red, green and blue of each pixel (sRGB).
    pub pixels: Vec<[u8; 3]>,
}

impl Image {
    /// Writes the image as a PNG file.
    ///
    /// # Errors
    /// If `out` cannot be written to, or a side is 0 or over 2³² pixels long.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let size = |length: usize| u32::try_from(length).map_err(io::Error::other);
        let mut encoder = png::Encoder::new(out, size(self.width)?, size(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        Ok(writer.finish()?)
    }

    /// Returns the image as the bytes of a PNG file.
    ///
    /// # Errors
    /// If a side is 0 or over 2³² pixels long.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }

    /// Draws a ring around a point, with a dot in the middle. A dark and a light rim keep both visible on any
    /// background.
    pub(super) fn ring(&mut self, [x, y]: [f32; 2], radius: f32, color: Color) {
        const DARK: Color = [20, 24, 32];
        const LIGHT: Color = [255; 3];
        // Lines are thinner in small pictures.
        let thick = (radius / 15.0).max(0.75);
        let reach = radius + 5.0 * thick + 1.0;
        let from = |at: f32| (at - reach).floor().max(0.0) as usize;
        let to = |at: f32, end: usize| ((at + reach).ceil().max(0.0) as usize).min(end);
        for row in from(y)..to(y, self.height) {
            for column in from(x)..to(x, self.width) {
                let (dx, dy) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
                let distance = (dx * dx + dy * dy).sqrt();
                // Coverage of a line of a given width, and of a dot, in pixels, with a soft border.
                let cover = |width: f32, dot: f32| {
                    let ring = width * 0.5 * thick - (distance - radius).abs();
                    (ring.max(dot * thick - distance) + 0.5).clamp(0.0, 1.0)
                };
                let pixel = &mut self.pixels[row * self.width + column];
                let coats = [(8.0, 4.8, LIGHT, 0.8), (5.6, 3.6, DARK, 1.0), (3.0, 2.2, color, 1.0)];
                for (width, dot, color, strength) in coats {
                    let share = cover(width, dot) * strength;
                    for (own, new) in pixel.iter_mut().zip(color) {
                        let value = f32::from(*own);
                        *own = (value + (f32::from(new) - value) * share + 0.5) as u8;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_holds_the_pixels() {
        let pixels = (0..35_u8).map(|at| [at * 7, 255 - at, at.wrapping_mul(at)]).collect();
        let image = Image { width: 7, height: 5, pixels };
        let bytes = image.png().unwrap();
        assert_eq!(bytes, image.png().unwrap());
        let mut reader = png::Decoder::new(io::Cursor::new(&bytes)).read_info().unwrap();
        let mut back = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut back).unwrap();
        assert_eq!((info.width, info.height), (7, 5));
        assert_eq!(back, image.pixels.as_flattened());
    }

    #[test]
    fn rings_stay_within_the_picture() {
        let mut image = Image { width: 40, height: 30, pixels: vec![[10; 3]; 1200] };
        for at in [[20.0, 15.0], [0.0, 0.0], [-500.0, 3.0], [40.0, 1e9], [-3.0, 31.0]] {
            image.ring(at, 8.0, [200, 0, 0]);
        }
        assert_eq!(image.pixels[15 * 40 + 28], [200, 0, 0]);
        assert_eq!(image.pixels[15 * 40 + 20], [200, 0, 0]);
        assert_eq!(image.pixels[29 * 40 + 39], [10; 3]);
    }
}
