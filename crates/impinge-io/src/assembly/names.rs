//! Makes part names unique.

use super::AssemblyPart;
use std::collections::{HashMap, HashSet};

/// Appends a number to every name that an earlier part already has: `bolt`, `bolt#2`, `bolt#3`. A number is
/// skipped if the resulting name already occurs in the files.
pub(super) fn make_unique(parts: &mut [AssemblyPart]) {
    let mut taken: HashSet<String> = parts.iter().map(|part| part.name.clone()).collect();
    if taken.len() == parts.len() {
        return;
    }
    // The last number used for each name, so that n equal names take n steps, not n².
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

    fn unique_names(names: &[&str]) -> Vec<String> {
        let part = |name: &&str| AssemblyPart::new(*name, 0, Pose::IDENTITY);
        let mut parts: Vec<_> = names.iter().map(part).collect();
        make_unique(&mut parts);
        parts.into_iter().map(|part| part.name).collect()
    }

    #[test]
    fn later_parts_of_a_name_are_numbered() {
        assert_eq!(unique_names(&["a", "b", "a", "a"]), ["a", "b", "a#2", "a#3"]);
        assert_eq!(unique_names(&["a", "a", "a#2", "a#2"]), ["a", "a#3", "a#2", "a#2#2"]);
        assert_eq!(unique_names(&["", ""]), ["", "#2"]);
    }
}
