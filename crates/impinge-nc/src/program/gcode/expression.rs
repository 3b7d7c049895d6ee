//! Numbers and expressions, evaluated while they are read.
//!
//! The grammar is that of RS274/NGC: `1.5`, `#1`, `#<name>`, `[1 + 2 * #3]`, `sin[30]`, `atan[1]/[2]`, `exists[#<a>]`.
//! Operators from the tightest: `**`; `*`, `/`, `mod`; `+`, `-`; `eq`, `ne`, `gt`, `ge`, `lt`, `le`; `and`, `or`, `xor`.
//! Operators of one level are evaluated from left to right. Angles are in degrees.

use super::{
    fault::{Fault, Result},
    source::Text,
};

/// Deeper nesting of brackets is refused, because each level takes stack.
const DEEPEST: u32 = 100;

/// `eq` and `ne` take numbers closer than this as equal, as LinuxCNC does.
const EQUAL: f64 = 1e-6;

/// The index of a parameter may differ by this from a whole number.
const WHOLE: f64 = 0.0001;

/// The parameters that an expression may use. An `Err` says why there is no value.
pub(super) trait Variables {
    /// The value of `#index`.
    fn numbered(&mut self, index: u32) -> Result<f64, String>;
    /// The value of `#<name>`.
    fn named(&mut self, name: &str) -> Result<f64, String>;
    /// Whether `#index` has a value.
    fn has_numbered(&self, index: u32) -> bool;
    /// Whether `#<name>` has a value.
    fn has_named(&self, name: &str) -> bool;
}

/// A parameter, as a program names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Numbered(u32),
    Named(String),
}

/// A place in the text of a line, from which values are read.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a Text,
    pub(super) at: usize,
    depth: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a Text, at: usize) -> Self {
        Self { text, at, depth: 0 }
    }

    /// The next character, without taking it.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.bytes.get(self.at).copied()
    }

    /// Where the next character is in the line, from 1.
    pub(super) fn column(&self) -> u32 {
        self.text.column(self.at)
    }

    /// Takes `wanted` if it comes next.
    pub(super) fn take(&mut self, wanted: &[u8]) -> bool {
        let found = self.text.bytes[self.at..].starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// Takes the letters that come next.
    pub(super) fn letters(&mut self) -> &'a str {
        let rest = &self.text.bytes[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        self.at += length;
        std::str::from_utf8(&rest[..length]).unwrap_or_default()
    }

    pub(super) fn fault<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Fault::at(self.column(), message))
    }

    fn expect(&mut self, wanted: u8) -> Result<()> {
        if self.take(&[wanted]) {
            return Ok(());
        }
        self.fault(match self.peek() {
            Some(found) => format!("expected '{}', found '{}'", wanted as char, found as char),
            None => format!("expected '{}', but the line ends", wanted as char),
        })
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fault(format!("brackets and '#' are nested more than {DEEPEST} deep"));
        }
        Ok(())
    }

    /// Reads a value: a number, a parameter, an expression in brackets or a function of one; each may have a sign.
    pub(super) fn value(&mut self, variables: &mut dyn Variables) -> Result<f64> {
        let start = self.at;
        let value = match self.peek() {
            Some(b'0'..=b'9' | b'.') => return self.number(false),
            Some(sign @ (b'+' | b'-')) => {
                self.at += 1;
                if matches!(self.peek(), Some(b'0'..=b'9' | b'.')) {
                    return self.number(sign == b'-');
                }
                self.deeper()?;
                let value = self.value(variables)?;
                self.depth -= 1;
                if sign == b'-' { -value } else { value }
            }
            Some(b'#') => {
                let parameter = self.parameter(variables)?;
                let value = match &parameter {
                    Parameter::Numbered(index) => variables.numbered(*index),
                    Parameter::Named(name) => variables.named(name),
                };
                value.map_err(|message| Fault::at(self.text.column(start), message))?
            }
            Some(b'[') => self.bracketed(variables)?,
            Some(b'a'..=b'z') => self.function(variables)?,
            Some(found) => {
                return self.fault(format!("expected a number, found '{}'", found as char));
            }
            None => return self.fault("expected a number, but the line ends"),
        };
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Fault::at(self.text.column(start), "the result is not a finite number"))
        }
    }

    /// Reads `#5`, `##5`, `#[4 + 1]` or `#<name>`.
    pub(super) fn parameter(&mut self, variables: &mut dyn Variables) -> Result<Parameter> {
        let column = self.column();
        self.expect(b'#')?;
        if self.take(b"<") {
            let rest = &self.text.bytes[self.at..];
            let Some(length) = rest.iter().position(|&byte| byte == b'>') else {
                return Err(Fault::at(column, "the name of the parameter is not closed by '>'"));
            };
            let name = String::from_utf8_lossy(&rest[..length]).into_owned();
            self.at += length + 1;
            return Ok(Parameter::Named(name));
        }
        self.deeper()?;
        let index = self.value(variables)?;
        self.depth -= 1;
        let rounded = index.round();
        if (index - rounded).abs() > WHOLE || !(0.0..1e9).contains(&rounded) {
            return Err(Fault::at(column, format!("there is no parameter #{index}")));
        }
        Ok(Parameter::Numbered(rounded as u32))
    }

    /// Reads `[` expression `]`.
    pub(super) fn bracketed(&mut self, variables: &mut dyn Variables) -> Result<f64> {
        self.expect(b'[')?;
        self.deeper()?;
        let value = self.level(0, variables)?;
        self.depth -= 1;
        self.expect(b']')?;
        Ok(value)
    }

    /// Reads operands that are joined by operators of one level or tighter ones.
    fn level(&mut self, level: usize, variables: &mut dyn Variables) -> Result<f64> {
        /// Longer names come before names that they start with.
        const LEVELS: [&[&str]; 5] = [
            &["and", "or", "xor"],
            &["eq", "ne", "gt", "ge", "lt", "le"],
            &["+", "-"],
            &["*", "/", "mod"],
            &["**"],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.value(variables) };
        let mut left = self.level(level + 1, variables)?;
        loop {
            let column = self.column();
            // A single star multiplies only if no second follows.
            let power = self.text.bytes[self.at..].starts_with(b"**");
            let operator = operators.iter().find(|&&operator| {
                (operator != "*" || !power)
                    && self.text.bytes[self.at..].starts_with(operator.as_bytes())
            });
            let Some(&operator) = operator else { return Ok(left) };
            self.at += operator.len();
            let right = self.level(level + 1, variables)?;
            left = apply(operator, left, right).map_err(|message| Fault::at(column, message))?;
        }
    }

    fn function(&mut self, variables: &mut dyn Variables) -> Result<f64> {
        let column = self.column();
        let name = self.letters();
        let fault = |message: &str| Fault::at(column, message);
        if name == "exists" {
            self.expect(b'[')?;
            let parameter = self.parameter(variables)?;
            self.expect(b']')?;
            let exists = match &parameter {
                Parameter::Numbered(index) => variables.has_numbered(*index),
                Parameter::Named(name) => variables.has_named(name),
            };
            return Ok(f64::from(u8::from(exists)));
        }
        if self.peek() != Some(b'[') {
            return Err(Fault::at(column, format!("expected a number, found '{name}'")));
        }
        let x = self.bracketed(variables)?;
        Ok(match name {
            "abs" => x.abs(),
            "acos" if x.abs() <= 1.0 => libm::acos(x).to_degrees(),
            "asin" if x.abs() <= 1.0 => libm::asin(x).to_degrees(),
            "acos" | "asin" => return Err(fault("the argument is not between -1 and 1")),
            "atan" => {
                self.expect(b'/')?;
                libm::atan2(x, self.bracketed(variables)?).to_degrees()
            }
            "cos" => libm::cos(x.to_radians()),
            "exp" => libm::exp(x),
            "fix" => x.floor(),
            "fup" => x.ceil(),
            "ln" if x > 0.0 => libm::log(x),
            "ln" => return Err(fault("the logarithm of a number that is not positive")),
            "round" => x.round(),
            "sin" => libm::sin(x.to_radians()),
            "sqrt" if x >= 0.0 => x.sqrt(),
            "sqrt" => return Err(fault("the square root of a negative number")),
            "tan" => libm::tan(x.to_radians()),
            _ => return Err(Fault::at(column, format!("there is no function '{name}'"))),
        })
    }
}

fn apply(operator: &str, left: f64, right: f64) -> Result<f64, &'static str> {
    let truth = |holds: bool| f64::from(u8::from(holds));
    let (a, b) = (left != 0.0, right != 0.0);
    Ok(match operator {
        "and" => truth(a && b),
        "or" => truth(a || b),
        "xor" => truth(a != b),
        "eq" => truth((left - right).abs() < EQUAL),
        "ne" => truth((left - right).abs() >= EQUAL),
        "gt" => truth(left > right),
        "ge" => truth(left >= right),
        "lt" => truth(left < right),
        "le" => truth(left <= right),
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" if right == 0.0 => return Err("division by zero"),
        "/" => left / right,
        "mod" if right == 0.0 => return Err("division by zero"),
        "mod" => left.rem_euclid(right),
        _ if left < 0.0 && right.fract() != 0.0 => {
            return Err("a negative number raised to a power that is not whole");
        }
        _ => libm::pow(left, right),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `#n` is n + 0.5, except `#7`, which is 3; `#<a>` is 4; nothing else exists.
    struct Sample;

    impl Variables for Sample {
        fn numbered(&mut self, index: u32) -> Result<f64, String> {
            Ok(if index == 7 { 3.0 } else { f64::from(index) + 0.5 })
        }
        fn named(&mut self, name: &str) -> Result<f64, String> {
            if name == "a" { Ok(4.0) } else { Err(format!("no {name}")) }
        }
        fn has_numbered(&self, index: u32) -> bool {
            index < 10
        }
        fn has_named(&self, name: &str) -> bool {
            name == "a"
        }
    }

    fn evaluate(text: &str) -> Result<f64> {
        let mut line = Text::default();
        line.read(text.as_bytes())?;
        let mut cursor = Cursor::new(&line, 0);
        let value = cursor.value(&mut Sample)?;
        assert_eq!(cursor.peek(), None, "{text}: not read to its end");
        Ok(value)
    }

    #[track_caller]
    fn is(text: &str, expected: f64) {
        let value = evaluate(text).unwrap();
        assert!((value - expected).abs() < 1e-12, "{text} = {value}, expected {expected}");
    }

    #[test]
    fn operators_bind_as_rs274_says() {
        is("[2 + 3 * 4 ** 2]", 50.0);
        is("[2 * 3 - 4 / 2 - 1]", 3.0);
        is("[2 ** 3 ** 2]", 64.0);
        is("[-2 ** 2]", 4.0);
        is("[7 mod 4 + -7 mod 4]", 4.0);
        is("[1 + 1 eq 2]", 1.0);
        is("[1 gt 2 or 3 ge 3]", 1.0);
        is("[1 lt 2 and 3 ne 3]", 0.0);
        is("[1 xor 0] ", 1.0);
        is("[[1 le 1] xor 1]", 0.0);
        is("[0.0000001 eq 0]", 1.0);
        is("[0.00001 eq 0]", 0.0);
    }

    #[test]
    fn functions_use_degrees() {
        is("sin[30]", 0.5);
        is("cos[60]", 0.5);
        is("tan[45]", 1.0);
        is("asin[0.5]", 30.0);
        is("acos[0.5]", 60.0);
        is("atan[1]/[-1]", 135.0);
        is("sqrt[[3*3]+[4*4]]", 5.0);
        is("abs[-2.5]", 2.5);
        is("fix[-2.5]", -3.0);
        is("fup[-2.5]", -2.0);
        is("round[2.5]", 3.0);
        is("ln[exp[2]]", 2.0);
        is("-sin[30]", -0.5);
    }

    #[test]
    fn parameters() {
        is("#2", 2.5);
        is("##7", 3.5);
        is("#[1+1]", 2.5);
        is("-#<A>", -4.0);
        is("#< a >", 4.0);
        is("[exists[#<a>] + exists[#<b>] + exists[#12]]", 1.0);
        assert_eq!(evaluate("[1+#<b>]"), Err(Fault::at(4, "no b")));
        assert!(evaluate("#2.5").is_err());
        assert!(evaluate("#-1").is_err());
        assert!(evaluate("#<a").is_err());
    }

    #[test]
    fn faults_name_the_character() {
        assert_eq!(evaluate("[1 / 0]"), Err(Fault::at(4, "division by zero")));
        assert_eq!(evaluate("[1 + ]"), Err(Fault::at(6, "expected a number, found ']'")));
        assert_eq!(evaluate("[1"), Err(Fault::at(3, "expected ']', but the line ends")));
        assert_eq!(evaluate("foo[1]"), Err(Fault::at(1, "there is no function 'foo'")));
        assert!(evaluate("sqrt[-1]").is_err());
        assert!(evaluate("[10 ** 400]").is_err());
        assert!(evaluate("[[-8] ** 0.5]").is_err());
        for open in ["[", "#", "-", "sin["] {
            let fault = evaluate(&open.repeat(10_000)).unwrap_err();
            assert!(fault.to_string().contains("nested"), "{open}: {fault}");
        }
    }
}
