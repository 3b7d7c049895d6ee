//! Collects remarks about a program, each once.

use crate::program::Note;
use std::collections::HashMap;

/// The most remarks that are kept.
const MOST_NOTES: usize = 1000;

/// The remarks, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    by_message: HashMap<String, usize>,
}

impl Notes {
    /// Adds a remark, or counts it if it was made before.
    pub(super) fn add(&mut self, line: u32, message: &str) {
        let message = if self.notes.len() < MOST_NOTES || self.by_message.contains_key(message) {
            message
        } else {
            "further remarks are left out"
        };
        match self.by_message.get(message) {
            Some(&index) => self.notes[index].count = self.notes[index].count.saturating_add(1),
            None => {
                self.by_message.insert(message.to_owned(), self.notes.len());
                self.notes.push(Note { line, count: 1, message: message.to_owned() });
            }
        }
    }

    /// The remarks.
    pub(super) fn into_vec(self) -> Vec<Note> {
        self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_kept_once_and_counted() {
        let mut notes = Notes::default();
        for line in 1..=3 {
            notes.add(line, "a");
        }
        for line in 0..5000 {
            notes.add(line, &line.to_string());
        }
        let notes = notes.into_vec();
        assert_eq!(notes[0].to_string(), "line 1: a (3 times)");
        assert_eq!(notes.len(), MOST_NOTES + 1);
        assert_eq!(notes[MOST_NOTES].count, 5000 - 999);
    }
}
