//! A name of its own for every part.

use super::AssemblyPart;
use std::collections::{HashMap, HashSet};

/// Gives a number to every name that an earlier part has: `bolt`, `bolt#2`, `bolt#3`. Numbers that
/// would make a name that the files have already are passed over.
pub(super) fn make_unique(parts: &mut [AssemblyPart]) {
    let mut taken: HashSet<String> = parts.iter().map(|part| part.name.clone()).collect();
    if taken.len() == parts.len() {
        return;
    }
    // How far each name has been counted, so that a thousand of a kind cost a thousand steps.
    let mut counted: HashMap<String, u32> = HashMap::new();
    for part in parts {
        let Some(count) = counted.get_mut(&part.name) else {
            counted.insert(part.name.clone(), 1);
            continue;
        };
        part.name = loop {
            *count += 1;
            let name = format!("{}#{count}", part.name);
            if taken.insert(name.clone()) {
                break name;
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::Pose;

    fn made(names: &[&str]) -> Vec<String> {
        let part = |name: &&str| AssemblyPart::new(*name, 0, Pose::IDENTITY);
        let mut parts: Vec<_> = names.iter().map(part).collect();
        make_unique(&mut parts);
        parts.into_iter().map(|part| part.name).collect()
    }

    #[test]
    fn later_parts_of_a_name_are_numbered() {
        assert_eq!(made(&["a", "b", "a", "a"]), ["a", "b", "a#2", "a#3"]);
        assert_eq!(made(&["a", "a", "a#2", "a#2"]), ["a", "a#3", "a#2", "a#2#2"]);
        assert_eq!(made(&["", ""]), ["", "#2"]);
    }
}
