//! NC verification: `cargo bench -p impinge-bench --bench nc [-- WORDS]`; words select scenes and sections by their names.
//!
//! The experiments of Klosowski (1998, chapter 8): five tools along zigzag paths over terrains and moulds, with trees of
//! several kinds; then the same beside FCL, and a million moves over a large part. Everything runs on one thread.
//! `IMPINGE_DATA` names the folder of real terrains and moulds. `IMPINGE_FCL` names a peer with FCL, a program as
//! `docs/benchmarks.md` describes it. Without them, these rows are left out.
#![expect(clippy::print_stdout, reason = "the tables are what the program is for")]

#[path = "nc/fcl.rs"]
mod fcl;
#[path = "nc/million.rs"]
mod million;
#[path = "nc/scenes.rs"]
mod scenes;
#[path = "nc/tables.rs"]
mod tables;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    for scene in scenes::all(is_wanted) {
        tables::print(&scene);
    }
    if is_wanted("fcl") {
        fcl::print(&scenes::hills());
    }
    if is_wanted("million") {
        million::print();
    }
}
