//! Globally unique identifiers (GUIDs) derived from names.

use std::fmt;
use uuid::Uuid;

/// The namespace of the GUIDs of this project, so that they differ from those of other programs for the same names.
const OURS: &str = "impinge/bcf";

/// A GUID: 32 hexadecimal digits in five groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(Uuid);

impl Guid {
    /// Returns the GUID of an object with these names. Equal names always give the same GUID (version 5 of RFC 9562).
    pub fn of(names: &[&str]) -> Self {
        let ours = Uuid::new_v5(&Uuid::NAMESPACE_URL, OURS.as_bytes());
        let mut bytes = Vec::new();
        for name in names {
            // Each name comes with its length, so that different lists of names cannot give the same bytes.
            bytes.extend((name.len() as u64).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        Self(Uuid::new_v5(&ours, &bytes))
    }

    /// Returns the GUID of an object that belongs to this one.
    pub fn within(self, name: &str) -> Self {
        Self(Uuid::new_v5(&self.0, name.as_bytes()))
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Returns the first IFC GlobalId in a name, if there is one: a word of 22 characters. Each character stands for 6 of the
/// 128 bits of a GUID, the first for the remaining two.
///
/// ```
/// use impinge_io::bcf::ifc_guid;
///
/// assert_eq!(ifc_guid("storey/wall 2O2Fr$t4X7Zf8NOew3FNr2#2"), Some("2O2Fr$t4X7Zf8NOew3FNr2"));
/// assert_eq!(ifc_guid("bolt front right"), None);
/// ```
pub fn ifc_guid(name: &str) -> Option<&str> {
    let is_digit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut words = name.split(|c| !is_digit(c));
    words.find(|word| word.len() == 22 && word.starts_with(['0', '1', '2', '3']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_are_stable_and_distinct() {
        let guid = Guid::of(&["gearbox", "housing", "bolt"]);
        assert_eq!(guid, Guid::of(&["gearbox", "housing", "bolt"]));
        // Version 5, and the variant of the RFC.
        let text = guid.to_string();
        assert_eq!(&text[14..15], "5");
        assert!("89ab".contains(&text[19..20]));
        assert!(text.chars().all(|c| "0123456789abcdef-".contains(c)));
        let others = [
            Guid::of(&["gearbox", "housingbolt"]),
            Guid::of(&["gearbox", "housing", "bolt", ""]),
            Guid::of(&["gearbox", "bolt", "housing"]),
            guid.within("viewpoint"),
        ];
        assert!(others.iter().all(|other| *other != guid));
        // By Python: uuid5(NAMESPACE_URL, "impinge/bcf"), and SHA-1 over that and the bytes.
        assert_eq!(Guid::of(&[]).to_string(), "c5767a1a-f697-5a5b-a487-83e13d7b6edb");
        assert_eq!(Guid::of(&["a"]).to_string(), "155da2ae-513c-5d44-8d30-71ea89455b2c");
    }

    #[test]
    fn ids_of_ifc_are_found_in_names() {
        let id = "0$_9aZbYcXdWeVfUgThSiR";
        for name in
            [id.to_owned(), format!("a/{id}"), format!("{id}#3"), format!("product-{id}-body")]
        {
            assert_eq!(ifc_guid(&name), Some(id), "{name}");
        }
        for name in
            ["", "connecting_rod_left_a1", "4$_9aZbYcXdWeVfUgThSiR", "0$_9aZbYcXdWeVfUgThSiRx"]
        {
            assert_eq!(ifc_guid(name), None, "{name}");
        }
        assert_eq!(ifc_guid(&format!("äé{id}ü")), Some(id));
    }
}
