//! Reads every example of docs/nc-tools.md.

use impinge_nc::{Machine, Program, Tool, ToolTable};

#[test]
fn every_example_of_the_documentation_is_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/nc-tools.md");
    let text = std::fs::read_to_string(path).expect("docs/nc-tools.md");
    let mut counts = [0; 6];
    let mut blocks = text.split("\n```").skip(1);
    while let (Some(block), Some(_)) = (blocks.next(), blocks.next()) {
        let (language, body) = block.split_once('\n').expect("a block of code");
        let fails = |error: &dyn std::error::Error| -> ! { panic!("{error}\n{body}") };
        let kind = match language {
            "spec" => {
                for line in body.lines() {
                    Tool::from_spec(line, 1.0).unwrap_or_else(|error| fails(&error));
                }
                0
            }
            "toml" if body.contains("[[rotary]]") => {
                Machine::read(body, "machine.toml").unwrap_or_else(|error| fails(&error));
                1
            }
            "csv" => {
                Program::read_csv(body, "path.csv", 1.0).unwrap_or_else(|error| fails(&error));
                2
            }
            "toml" | "tbl" | "json" => {
                let name = format!("tools.{language}");
                let table = ToolTable::read(body, name, 1.0).unwrap_or_else(|error| fails(&error));
                assert!(table.tools.len() > 1 && table.notes.is_empty(), "{table:?}");
                ["toml", "tbl", "json"].iter().position(|known| *known == language).unwrap_or(0) + 3
            }
            _ => panic!("a block in `{language}`, which no reader knows"),
        };
        counts[kind] += 1;
    }
    assert_eq!(counts, [1, 2, 1, 1, 1, 1], "an example is missing");
}

/// The table of shapes in the documentation lists the shapes that the error message lists.
#[test]
fn the_message_about_shapes_and_the_documentation_agree() {
    let message = Tool::from_spec("box:d=1", 1.0).expect_err("no shape").to_string();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/nc-tools.md");
    let text = std::fs::read_to_string(path).expect("docs/nc-tools.md");
    let shapes = message.split("use ").nth(1).expect("a list of shapes");
    for shape in shapes.split(", ") {
        assert!(text.contains(&format!("\n| `{shape}` |")), "{shape} is not in the table");
    }
}
