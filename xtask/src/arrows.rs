//! Which module uses which: `ARCHITECTURE.md` says what is allowed, and a test compares.
//!
//! The document has fenced blocks that begin with ```` ```arrows FOLDER ````. A row `a, b -> c, d` says that
//! `a` and `b` may use `c` and `d`, which stand in rows above, so that arrows never go round; `*` is all
//! that stands above. Names are crates if the folder is `crates`, else modules: files and folders there. A
//! row `name/* -> c` says that the folders in `name` use none of each other but `c`.

mod manifest;
mod source;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Where the blocks are.
const PAGE: &str = "ARCHITECTURE.md";
const CRATES: &str = "crates";

/// The module whose folders are methods: none of them may use another.
const METHODS: &str = "method";

/// A block: what is allowed in a folder.
#[derive(Debug)]
struct Block {
    folder: String,
    /// Each name, in the order of the rows, and what it may use.
    rows: Vec<(String, BTreeSet<String>)>,
    /// Modules whose folders do not use each other, but for some that they share.
    siblings: Vec<(String, BTreeSet<String>)>,
}

/// One name uses another; where that was seen first.
type Arrows = BTreeMap<(String, String), String>;

impl Block {
    /// All blocks of a page.
    fn all(page: &str) -> Result<Vec<Self>, String> {
        let mut blocks = Vec::new();
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            if let Some(folder) = line.strip_prefix("```arrows ") {
                let rows: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                blocks.push(Self::new(folder.trim(), &rows)?);
            }
        }
        match blocks.is_empty() {
            true => Err(format!("{PAGE} has no block of arrows")),
            false => Ok(blocks),
        }
    }

    fn new(folder: &str, lines: &[&str]) -> Result<Self, String> {
        let mut block = Self { folder: folder.to_owned(), rows: Vec::new(), siblings: Vec::new() };
        for line in lines {
            let wrong = |why: &str| Err(format!("{PAGE}, arrows of {folder}: `{line}`: {why}"));
            let Some((names, used)) = line.split_once("->") else {
                return wrong("not `name -> a, b`");
            };
            let words = |text: &str| -> Vec<String> {
                let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                words.map(str::to_owned).collect()
            };
            if let Some(module) = names.trim().strip_suffix("/*") {
                block.siblings.push((module.to_owned(), words(used).into_iter().collect()));
                continue;
            }
            let above: BTreeSet<String> = block.rows.iter().map(|(name, _)| name.clone()).collect();
            let used = match used.trim() {
                "*" => above.clone(),
                used => words(used).into_iter().collect(),
            };
            if let Some(name) = used.iter().find(|name| !above.contains(*name)) {
                return wrong(&format!("`{name}` is in no row above"));
            }
            for name in words(names) {
                if block.rows.iter().any(|(other, _)| *other == name) {
                    return wrong(&format!("`{name}` has a row already"));
                }
                block.rows.push((name, used.clone()));
            }
        }
        Ok(block)
    }

    /// What in the folder is not as the block says.
    fn faults(&self, root: &Path) -> Result<Vec<String>, String> {
        let folder = root.join(&self.folder);
        let (names, arrows) = match self.folder.as_str() {
            CRATES => manifest::arrows(root)?,
            _ => source::arrows(&folder)?,
        };
        let mut faults = self.compare(&names, &arrows);
        for (module, shared) in &self.siblings {
            let arrows = source::arrows_between_folders(&folder, module)?;
            let arrows = arrows.iter().filter(|((_, to), _)| !shared.contains(to));
            faults.extend(arrows.map(|((from, to), place)| {
                format!("{place}: {module}/{from} uses {module}/{to}, and siblings must not")
            }));
        }
        Ok(faults)
    }

    fn compare(&self, names: &BTreeSet<String>, arrows: &Arrows) -> Vec<String> {
        let Self { folder, rows, .. } = self;
        let mut faults = Vec::new();
        for name in names.iter().filter(|name| rows.iter().all(|(row, _)| row != *name)) {
            faults.push(format!("{PAGE}, arrows of {folder}: there is no row for `{name}`"));
        }
        for (name, _) in rows.iter().filter(|(name, _)| !names.contains(name)) {
            faults.push(format!("{PAGE}, arrows of {folder}: there is no `{name}`"));
        }
        if names.contains(METHODS) && !self.siblings.iter().any(|(module, _)| module == METHODS) {
            faults.push(format!("{PAGE}, arrows of {folder}: there is no row `{METHODS}/*`"));
        }
        for ((from, to), place) in arrows {
            let row = rows.iter().find(|(row, _)| row == from);
            if row.is_some_and(|(_, used)| !used.contains(to)) {
                faults.push(format!(
                    "{place}: `{from}` uses `{to}`, which {PAGE} does not allow in {folder}"
                ));
            }
        }
        faults
    }
}

/// All that is not as the page says.
fn faults(root: &Path) -> Result<Vec<String>, String> {
    let page = fs::read_to_string(root.join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let mut faults = Vec::new();
    for block in Block::all(&page)? {
        faults.extend(block.faults(root)?);
    }
    Ok(faults)
}

/// The entries of a folder in order of their names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let cannot = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(cannot)?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|it| it.path())).collect();
    let mut paths = paths.map_err(cannot)?;
    paths.sort();
    Ok(paths)
}

#[test]
fn arrows_are_those_that_the_architecture_allows() {
    let faults = faults(crate::root()).unwrap_or_else(|why| panic!("{why}"));
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn what_is_not_allowed_is_found() {
    let page = "text\n```arrows lib\na ->\nb, e -> a\nc -> *\nc/* -> d\n```\n";
    let [block] = &Block::all(page).unwrap()[..] else { panic!("one block") };
    let shared = BTreeSet::from(["d".to_owned()]);
    assert_eq!((&*block.folder, &block.siblings[..]), ("lib", &[("c".to_owned(), shared)][..]));
    let names = |text: &str| text.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    let arrows = |pairs: &[[&str; 2]]| {
        let pairs = pairs.iter().map(|[from, to]| ((*from).to_owned(), (*to).to_owned()));
        pairs.map(|pair| (pair, "lib/x.rs:1".to_owned())).collect::<Arrows>()
    };
    let good = [["b", "a"], ["c", "a"], ["c", "b"], ["c", "e"]];
    assert_eq!(block.compare(&names("a b c e"), &arrows(&good)), [""; 0]);
    let bad = [["a", "b"], ["b", "a"], ["b", "e"], ["c", "a"]];
    let faults = block.compare(&names("a b d e method"), &arrows(&bad));
    let pieces = [
        "no row for `d`",
        "no row for `method`",
        "no `c`",
        "no row `method/*`",
        "lib/x.rs:1: `a` uses `b`",
        "lib/x.rs:1: `b` uses `e`",
    ];
    for piece in pieces {
        assert!(faults.iter().any(|fault| fault.contains(piece)), "no `{piece}` in {faults:?}");
    }
    assert_eq!(faults.len(), pieces.len(), "{faults:?}");
    let wrong =
        [("a -> b\nb ->", "no row above"), ("a", "not `name"), ("a ->\nb, a ->", "already")];
    for (block, why) in wrong {
        let error = Block::all(&format!("```arrows lib\n{block}\n```\n")).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    assert!(Block::all("# Architecture\n").is_err());
}
