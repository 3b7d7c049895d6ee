//! Compares computed gaps with exact ones, in integers.

use super::*;
use crate::{
    Mesh,
    generate::Random,
    method::boxtree::{BoxtreeOptions, grid::GridBox, node::Kind},
};
use glam::DMat3;

/// A soup with parts of all sizes, so that its tree is deep and has cuts of all lengths.
fn soup(random: &mut Random) -> Mesh {
    let vector = |random: &mut Random| DVec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0)));
    let mut positions = Vec::new();
    for _ in 0..200 {
        let size = 0.1_f64.powf(random.range(0.0, 4.0));
        let at = vector(random) * 0.1_f64.powf(random.range(0.0, 3.0));
        positions.extend([(); 3].map(|()| at + vector(random) * size));
    }
    let faces = (0..200).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Mesh::new(positions, faces).expect("finite")
}

/// A relative pose whose entries are multiples of 2⁻⁴⁰, so that gaps along the axes of
/// the first box can be computed in integers.
fn relative(random: &mut Random) -> Relative {
    let coarse = |x: f64| (x * 2_f64.powi(40)).round() / 2_f64.powi(40);
    let shrunk = random.rotation() * random.range(0.3, 0.9);
    let matrix = DMat3::from_cols_array(&shrunk.to_cols_array().map(coarse));
    let offset = DVec3::from_array((random.direction() * 0.3).to_array().map(coarse));
    Relative { matrix, offset, slack: 0.0, buffer: 0.0, is_translation: false }
}

/// The exact gaps along the axes of the first box, in units of 2⁻⁶⁴.
fn exact(a: &GridBox, b: &GridBox, relative: &Relative) -> [i128; ALIGNED] {
    let whole = |x: f64| (x * 2_f64.powi(40)) as i128;
    let columns = relative.matrix.to_cols_array_2d();
    std::array::from_fn(|gap| {
        let i = gap % 3;
        let mut ends = [whole(relative.offset[i]) << 24; 2];
        for (j, column) in columns.iter().enumerate() {
            let m = whole(column[i]);
            let products = [b.min[j], b.max[j]].map(|y| m * i128::from(y));
            ends[0] += products[0].min(products[1]);
            ends[1] += products[0].max(products[1]);
        }
        let [low, high] = [a.min[i], a.max[i]].map(|x| i128::from(x) << 40);
        if gap < 3 { ends[0] - high } else { low - ends[1] }
    })
}

/// Follows a random path down both trees. Calls `check` for every pair of boxes on it that
/// is not proved apart, with the computed gaps and their slack.
fn follow<G: Gaps>(
    [a, b]: [&Boxtree; 2],
    (gaps, state): (&G, G::State),
    (extent, allowance, units): (Extent, f32, [f32; 2]),
    random: &mut Random,
    mut check: impl FnMut([&GridBox; 2], &G::State, f32),
) {
    let mut state = state;
    let mut extent = extent;
    let mut nodes = [a.root, b.root].map(|root| root.expect("there are faces"));
    let mut boxes = [a.bounds, b.bounds];
    check([&boxes[0], &boxes[1]], &state, extent.slack);
    while !G::are_apart(&state, extent.slack) {
        let inner = nodes.map(|node| node.kind() == Kind::Inner);
        if inner == [false, false] {
            break;
        }
        extent.slack = extent.slack_below::<G>(allowance);
        for (which, tree) in [a, b].into_iter().enumerate() {
            if inner[which] {
                let children = tree.pairs[nodes[which].link as usize];
                let child = children[random.below(2) as usize];
                state = match which {
                    0 => gaps.descended(&state, child),
                    _ => G::changed(&state, &gaps.change(child)),
                };
                extent.sizes[which] -= child.loss() * units[which];
                boxes[which] = child.of(boxes[which].into()).into();
                nodes[which] = child;
            }
        }
        check([&boxes[0], &boxes[1]], &state, extent.slack);
    }
}

fn trees(random: &mut Random) -> [Boxtree; 2] {
    [(); 2].map(|()| Boxtree::build(&soup(random), BoxtreeOptions::default().leaf(1)))
}

/// A computed gap less its slack never exceeds the exact gap; and the slack is needed.
fn never_exceeds_the_exact_gap<R: Real + Into<f64>>(
    linear: impl Fn(&Start<ALIGNED>) -> Linear<R, ALIGNED>,
) {
    let (mut checked, mut above) = (0, 0);
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let trees = trees(random);
        let relative = relative(random);
        let start = Start::<ALIGNED>::new(&trees[0], &trees[1], &relative);
        // Without the allowance, which would hide the rounding errors of `f64`.
        let exact_roots = exact(&trees[0].bounds, &trees[1].bounds, &relative);
        let roots = exact_roots.map(|gap| R::nearest(gap as f64 / 2_f64.powi(64)));
        let mut extent = start.extent;
        extent.slack = extent.slack_below::<Linear<R, ALIGNED>>(0.0);
        for _ in 0..20 {
            let how = (extent, 0.0, start.units);
            let trees = [&trees[0], &trees[1]];
            follow(trees, (&linear(&start), roots), how, random, |[a, b], state, slack| {
                let exact = exact(a, b, &relative);
                for (gap, exact) in state.iter().zip(exact) {
                    let gap: f64 = (*gap).into();
                    // Both are below 2¹¹⁰, and integers up to the resolution of `f64`.
                    let scaled = |x: f64| (x * 2_f64.powi(64)) as i128;
                    let limit = exact + scaled(f64::from(slack));
                    assert!(scaled(gap) <= limit, "seed {seed}: {gap} exceeds the exact gap");
                    checked += 1;
                    above += usize::from(scaled(gap) > exact);
                }
            });
        }
    }
    assert!(
        checked > 50_000 && above > checked / 10,
        "{above} of {checked} gaps exceed the exact ones without slack"
    );
}

#[test]
fn coarse_gaps_less_their_slack_never_exceed_exact_gaps() {
    never_exceeds_the_exact_gap::<f32>(Start::coarse);
}

#[test]
fn fine_gaps_less_their_slack_never_exceed_exact_gaps() {
    never_exceeds_the_exact_gap::<f64>(|start| Linear {
        first: start.fine.first,
        second: start.fine.second,
    });
}

/// The gaps of the roots include an allowance, so they need no slack.
#[test]
fn gaps_of_roots_never_exceed_exact_gaps() {
    for seed in 0..20_000 {
        let random = &mut Random::new(seed);
        let trees = [(); 2].map(|()| {
            let corners = [(); 3].map(|()| random.direction()).to_vec();
            let mesh = Mesh::new(corners, vec![[0, 1, 2]]).expect("finite");
            Boxtree::build(&mesh, BoxtreeOptions::default())
        });
        let mut relative = relative(random);
        relative.offset *= 2_f64.powi(random.below(12) as i32);
        let start = Start::<ALIGNED>::new(&trees[0], &trees[1], &relative);
        let exact = exact(&trees[0].bounds, &trees[1].bounds, &relative);
        for (gap, exact) in start.gaps.into_iter().zip(exact) {
            let scaled = (gap * 2_f64.powi(64)) as i128;
            assert!(scaled <= exact, "seed {seed}: {gap} exceeds the exact gap");
        }
    }
}

/// The same along all axes, with gaps in `f64` as the reference.
#[test]
fn coarse_gaps_along_all_axes_never_exceed_fine_ones() {
    let mut checked = 0;
    for seed in 0..100 {
        let random = &mut Random::new(seed);
        let mut trees = trees(random);
        let mut relative = relative(random);
        // Every other seed has the slack of bodies far from the origin, much larger than the boxes.
        relative.slack = if seed % 2 == 0 { 0.0 } else { 100.0 };
        let start = Start::<FULL>::new(&trees[0], &trees[1], &relative);
        let mut extent = start.extent;
        extent.slack = extent.slack_below::<Linear<f32, FULL>>(start.allowance);
        let roots = start.gaps.map(f32::nearest);
        let mut found = Vec::new();
        for _ in 0..10 {
            let how = (extent, start.allowance, start.units);
            let (pair, coarse) = ([&trees[0], &trees[1]], start.coarse());
            follow(pair, (&coarse, roots), how, random, |[a, b], state, slack| {
                found.push((*a, *b, *state, slack));
            });
        }
        for (a, b, state, slack) in found {
            // Gaps computed directly, as if the traversal started at this pair.
            (trees[0].bounds, trees[1].bounds) = (a, b);
            let direct = Start::<FULL>::new(&trees[0], &trees[1], &relative);
            for (gap, direct) in state.into_iter().zip(direct.gaps) {
                assert!(f64::from(gap) - f64::from(slack) <= direct + 1e-11, "seed {seed}");
                checked += 1;
            }
        }
    }
    assert!(checked > 50_000, "too few gaps were checked: {checked}");
}
