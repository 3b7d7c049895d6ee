//! The identity of a node, which programs for building models and product data put into its extras.

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::fmt;

/// The names under which an identity is stored, in any case, the most specific first.
const IDS: [&str; 3] = ["globalid", "guid", "id"];

/// Any JSON value. Only texts and numbers are kept, and of objects the identity.
#[derive(Debug, Default)]
pub(super) struct Extras {
    /// The value itself, if it is a text or a whole number.
    text: Option<String>,
    /// If the value is an object: its identity.
    pub(super) id: Option<String>,
}

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl Any {
    fn text<E>(text: &(impl ToString + ?Sized)) -> Result<Extras, E> {
        Ok(Extras { text: Some(text.to_string()), id: None })
    }
}

impl<'de> Visitor<'de> for Any {
    type Value = Extras;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Extras, A::Error> {
        let mut found: [Option<String>; IDS.len()] = Default::default();
        while let Some(key) = map.next_key::<Extras>()? {
            let key = key.text.unwrap_or_default();
            match IDS.iter().position(|id| key.eq_ignore_ascii_case(id)) {
                Some(at) => found[at] = map.next_value::<Extras>()?.text,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let id = found.into_iter().flatten().find(|id| !id.is_empty());
        Ok(Extras { text: None, id })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Extras, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Extras::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<Extras, E> {
        Self::text(text)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Extras, E> {
        Self::text(&number)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Extras, E> {
        Self::text(&number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_unit<E>(self) -> Result<Extras, E> {
        Ok(Extras::default())
    }
}

/// Returns whether a name is the identity of an element of a building model (IFC): 128 bits as 22 digits to the base
/// of 64. IfcOpenShell names nodes so.
pub(super) fn is_ifc_guid(name: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    // The first digit has two bits only.
    name.len() == 22 && matches!(name.as_bytes()[0], b'0'..=b'3') && name.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_may_be_anything() {
        let id = |json: &str| serde_json::from_str::<Extras>(json).unwrap().id;
        for json in ["1", "-1.5", "null", "true", "\"id\"", "[{\"id\": \"x\"}]", "{}"] {
            assert_eq!(id(json), None, "{json}");
        }
        for json in [r#"{"id": ""}"#, r#"{"id": {"id": "x"}}"#, r#"{"id": [1], "x": "y"}"#] {
            assert_eq!(id(json), None, "{json}");
        }
        assert_eq!(id(r#"{"a": [1], "id": "x", "guid": "y"}"#).as_deref(), Some("y"));
        assert_eq!(id(r#"{"GlobalId": "2O2F", "id": 7}"#).as_deref(), Some("2O2F"));
        assert_eq!(id(r#"{"id": 7}"#).as_deref(), Some("7"));
        assert_eq!(id(r#"{"GUID": "\u0041"}"#).as_deref(), Some("A"));
    }

    #[test]
    fn guids_are_recognised() {
        assert!(is_ifc_guid("2O2Fr$t4X7Zf8NOew3FLOH"));
        for name in
            ["", "2O2Fr$t4X7Zf8NOew3FLO", "4O2Fr$t4X7Zf8NOew3FLOH", "2O2Fr-t4X7Zf8NOew3FLOH"]
        {
            assert!(!is_ifc_guid(name), "{name}");
        }
    }
}
