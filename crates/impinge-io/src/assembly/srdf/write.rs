//! Writes the allowed-collision matrix as an SRDF file.

use super::{LinkPair, Srdf};
use crate::xml::Tree;
use std::fmt::Write;

/// The reasons that generators write. Pairs with another reason were entered by a person and are kept.
const GENERATED: [&str; 6] = ["Adjacent", "Always", "Default", "Never", "Never in Collision", ""];

impl Srdf {
    /// Returns a file that holds nothing but these pairs.
    pub fn new_text(robot: &str, pairs: &[LinkPair], comment: &str) -> String {
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot name=\"{}\">\n",
            escaped(robot)
        );
        push(&mut text, pairs, comment);
        text.push_str("</robot>\n");
        text
    }

    /// Returns the text of this file with these pairs in place of those that a generator wrote.
    ///
    /// Everything else stays as it is: groups, states, comments, `enable_collisions`, and pairs whose reason is not
    /// one of Adjacent, Always, Default and Never. A pair that the file keeps or enables is not written again.
    pub fn with_matrix(&self, pairs: &[LinkPair], comment: &str) -> String {
        let is_kept = |pair: &&LinkPair| !is_generated(&pair.reason);
        let kept: Vec<&LinkPair> =
            self.disabled.iter().filter(is_kept).chain(&self.enabled).collect();
        let is_new = |pair: &&LinkPair| !kept.iter().any(|kept| kept.is_same(&pair.links));
        let pairs: Vec<LinkPair> = pairs.iter().filter(is_new).cloned().collect();
        let mut text = String::with_capacity(self.text.len());
        let (mut rest, mut end) = (self.text.as_str(), None);
        while let Some(start) = rest.find('<') {
            let (before, tag) = rest.split_at(start);
            text.push_str(before);
            let length = tag_length(tag);
            let (tag, after) = tag.split_at(length);
            rest = after;
            if tag.starts_with("</robot") {
                end = Some(text.len());
            }
            let is_pair = tag.strip_prefix("<disable_collisions").is_some_and(|tag| {
                tag.starts_with(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>')
            });
            if !is_pair || !is_generated(&reason(tag)) {
                text.push_str(tag);
                continue;
            }
            if !tag.ends_with("/>") {
                // The element has content, which goes with it.
                let close = "</disable_collisions";
                let at = rest.find(close).map_or(rest.len(), |at| at + tag_length(&rest[at..]));
                rest = &rest[at..];
            }
            // The whole line goes if nothing else is on it.
            let line = text.rfind('\n').map_or(0, |at| at + 1);
            let next = rest.find('\n').map_or(rest.len(), |at| at + 1);
            if text[line..].trim().is_empty() && rest[..next].trim().is_empty() {
                text.truncate(line);
                rest = &rest[next..];
            }
        }
        text.push_str(rest);
        let mut list = String::new();
        push(&mut list, &pairs, comment);
        match end {
            Some(end) => {
                // The list begins on a line of its own.
                let is_line = text[..end].ends_with('\n') || end == 0;
                text.insert_str(end, &if is_line { list } else { format!("\n{list}") });
                text
            }
            // `<robot/>` has no place for a list.
            None => Self::new_text(&self.robot, &pairs, comment),
        }
    }
}

fn is_generated(reason: &str) -> bool {
    GENERATED.iter().any(|known| reason.eq_ignore_ascii_case(known))
}

/// Returns the reason that an opening tag gives.
fn reason(tag: &str) -> String {
    let inner = tag.strip_suffix('>').unwrap_or(tag);
    let alone = format!("{}/>", inner.strip_suffix('/').unwrap_or(inner));
    let tree = Tree::parse(alone.as_bytes());
    tree.ok()
        .and_then(|tree| tree.root().attribute("reason").map(str::to_owned))
        .unwrap_or_default()
}

/// Returns the length of a tag, comment or other markup at the beginning of a text that is valid XML.
fn tag_length(text: &str) -> usize {
    let until = |end: &str| text.find(end).map_or(text.len(), |at| at + end.len());
    if text.starts_with("<!--") {
        return until("-->");
    }
    if text.starts_with("<![CDATA[") {
        return until("]]>");
    }
    if text.starts_with("<?") {
        return until("?>");
    }
    // A value may hold `>`.
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    text.len()
}

fn push(text: &mut String, pairs: &[LinkPair], comment: &str) {
    if !comment.is_empty() {
        // Two hyphens would end the comment.
        let _ = writeln!(text, "  <!-- {} -->", comment.replace("--", "- -"));
    }
    for LinkPair { links: [a, b], reason, .. } in pairs {
        let [a, b, reason] = [a, b, reason].map(|text| escaped(text));
        let _ = writeln!(
            text,
            "  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>"
        );
    }
}

fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\t' | '\n' | '\r' => _ = write!(text, "&#{};", c as u32),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str, &str)]) -> Vec<LinkPair> {
        let pair =
            |&(a, b, reason): &(&str, &str, &str)| LinkPair::new([a, b].map(str::to_owned), reason);
        list.iter().map(pair).collect()
    }

    fn read(text: &str) -> Srdf {
        Srdf::read(text.as_bytes(), "a.srdf").unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn listed(srdf: &Srdf) -> Vec<(&str, &str, &str)> {
        let all = srdf.disabled.iter();
        all.map(|pair| (&*pair.links[0], &*pair.links[1], &*pair.reason)).collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let list = [("a", "b", "Never"), ("x<>&\"'\n", "ü -- ", "Adjacent")];
        let text = Srdf::new_text("r & s", &pairs(&list), "made -- for a test");
        let back = read(&text);
        assert_eq!((&*back.robot, listed(&back)), ("r & s", list.to_vec()));
        // Writing the same list again changes nothing but the comment.
        assert_eq!(listed(&read(&back.with_matrix(&pairs(&list), ""))), list);
    }

    #[test]
    fn everything_but_generated_pairs_is_kept() {
        let before = "<?xml version='1.0'?>\n<!-- <disable_collisions link1='no' link2='comment'/> -->\n\
            <robot name='r'>\n  <group name='arm'><chain base_link='a' tip_link='c'/></group>\n  \
            <disable_collisions link1='a' link2='b' reason='Adjacent'/>\n  \
            <disable_collisions link1='a>' reason='Never' link2='c'>\n  <x/></disable_collisions>\n  \
            <disable_collisions link1='c' link2='d' reason='User'/> <!-- mine -->\n  \
            <enable_collisions link1='b' link2='d'/>\n</robot>\n<!-- end -->\n";
        let new = pairs(&[("b", "c", "Never"), ("d", "c", "Never"), ("b", "d", "Never")]);
        let text = read(before).with_matrix(&new, "");
        assert_eq!(listed(&read(&text)), [("c", "d", "User"), ("b", "c", "Never")], "{text}");
        for kept in ["link1='no'", "<chain", "<!-- mine -->", "<enable_collisions", "<!-- end -->"]
        {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        assert!(!text.contains("Adjacent") && !text.contains("<x/>"), "{text}");
        assert!(
            !text.contains("\n\n") && !text.contains("  \n"),
            "no empty lines are left: {text}"
        );
        let empty = read("<robot name='r'/>").with_matrix(&new, "");
        assert_eq!(listed(&read(&empty)).len(), 3);
    }
}
