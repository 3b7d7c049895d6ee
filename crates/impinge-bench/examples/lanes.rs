//! Prints which instructions the wide tree runs on here: `cargo run -p impinge-bench --example lanes`
//!
//! Under valgrind that may be less than the machine has.
#![expect(clippy::print_stdout, reason = "it is what the program is for")]

use fearless_simd::Level;

fn main() {
    println!("{}", name(Level::new()));
}

#[cfg(target_arch = "x86_64")]
fn name(level: Level) -> &'static str {
    if level.as_avx2().is_some() { "avx2" } else { "sse2" }
}

#[cfg(not(target_arch = "x86_64"))]
fn name(_: Level) -> &'static str {
    std::env::consts::ARCH
}
