//! The contenders of a comparison: methods, and variants of one.

use crate::failure::Failure;
use impinge::{
    Mesh, Method, Shape,
    method::boxtree::{BoxtreeOptions, OverlapTest},
};
use std::sync::Arc;

/// A method or a variant of one, with its name in tables and plots.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contender {
    pub(super) name: String,
    way: Way,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Method(Method),
    Boxtree(BoxtreeOptions),
}

/// The overlap tests of the boxtree, and the tree of the paper.
fn boxtrees() -> [(&'static str, BoxtreeOptions); 5] {
    let with = |test| BoxtreeOptions::default().overlap(test);
    [
        ("boxtree:aligned", with(OverlapTest::AxisAlignment)),
        ("boxtree:lookup", with(OverlapTest::LookupTables)),
        ("boxtree:full", with(OverlapTest::SeparatingAxes)),
        ("boxtree:lite", with(OverlapTest::SatLite)),
        ("boxtree:paper", BoxtreeOptions::of_paper()),
    ]
}

impl Contender {
    /// Returns the contenders with these names; `all` stands for every method but those without an index.
    pub(super) fn named(names: &[String]) -> Result<Vec<Self>, Failure> {
        if names == ["all"] {
            let without_index = [Method::BRUTE, Method::NAIVE, Method::FACE_OCTREE];
            let methods = Method::ALL.iter().filter(|method| !without_index.contains(method));
            return Ok(methods.map(|&method| Self::method(method)).collect());
        }
        names.iter().map(|name| Self::of_name(name)).collect()
    }

    fn of_name(name: &str) -> Result<Self, Failure> {
        let boxtree = boxtrees().into_iter().find(|(other, _)| *other == name);
        match boxtree {
            Some((name, options)) => Ok(Self { name: name.to_owned(), way: Way::Boxtree(options) }),
            None if name.starts_with("boxtree:") => {
                let names = boxtrees().map(|(name, _)| name).join(", ");
                Err(Failure::input(format!("unknown method `{name}`; the methods are: {names}")))
            }
            None => name.parse().map(Self::method).map_err(Failure::input),
        }
    }

    fn method(method: Method) -> Self {
        Self { name: method.name().to_owned(), way: Way::Method(method) }
    }

    /// Prepares a mesh.
    pub(super) fn shape(&self, mesh: &Arc<Mesh>) -> Shape {
        match self.way {
            Way::Method(method) => Shape::build(method, Arc::clone(mesh)),
            Way::Boxtree(options) => Shape::build(options, Arc::clone(mesh)),
        }
    }
}
