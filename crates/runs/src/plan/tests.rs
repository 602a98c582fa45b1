use super::*;
use canonry_model::canon::plan::{PlanStep, StepStatus};
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_text::Span;
use canonry_text::node::SpannedText;
use proptest::prelude::*;

fn text(text: impl Into<String>) -> SpannedText {
    SpannedText { text: text.into(), span: Span::default() }
}

fn step(id: &str, deps: &[&str]) -> PlanStep {
    PlanStep {
        span: Span::default(),
        id: Some(text(id)),
        description: String::new(),
        owner: None,
        status: StepStatus::Pending,
        status_span: None,
        deps: deps.iter().copied().map(text).collect(),
        parallel: false,
        has_criteria: true,
        criteria: Vec::new(),
        commands: Vec::new(),
        files: Vec::new(),
        approval: false,
        max_diff_lines: None,
        risk_notes: Vec::new(),
    }
}

fn numbered(deps: &[Vec<usize>]) -> Vec<PlanStep> {
    let one = |(at, deps): (usize, &Vec<usize>)| {
        let ids: Vec<String> = deps.iter().map(ToString::to_string).collect();
        step(&at.to_string(), &ids.iter().map(String::as_str).collect::<Vec<_>>())
    };
    deps.iter().enumerate().map(one).collect()
}

#[test]
fn cycles_follow_dependencies() {
    type Dependencies<'a> = &'a [(&'a str, &'a [&'a str])];
    let table: [(Dependencies<'_>, &[&[usize]]); 5] = [
        (&[("a", &["c"]), ("b", &["a"]), ("c", &["b"])], &[&[0, 2, 1]]),
        (&[("a", &["a"])], &[&[0]]),
        (&[("a", &["b", "a"]), ("b", &["a"])], &[&[0], &[0, 1]]),
        (&[("x", &["y"]), ("y", &["x"]), ("p", &["q", "x"]), ("q", &["p"])], &[&[0, 1], &[2, 3]]),
        (&[("a", &["gone"]), ("a", &["a"])], &[]),
    ];
    for (given, want) in table {
        let steps: Vec<PlanStep> = given.iter().map(|(id, deps)| step(id, deps)).collect();
        assert_eq!(PlanGraph::new(&steps).cycles(), want, "{given:?}");
    }
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let mut deps: Vec<Vec<usize>> = (0..100_000).map(|at: usize| at.checked_sub(1).into_iter().collect()).collect();
    assert!(PlanGraph::new(&numbered(&deps)).cycles().is_empty());
    deps[0].push(99_999);
    assert_eq!(PlanGraph::new(&numbered(&deps)).cycles().len(), 1);
}

#[test]
fn file_in_many_steps_is_cheap() {
    let deps: Vec<Vec<usize>> = (0..20_000).map(|at: usize| at.checked_sub(1).into_iter().collect()).collect();
    let mut steps = numbered(&deps);
    for step in &mut steps {
        step.parallel = true;
        step.files = vec![text("src/lib.rs")];
    }
    assert!(overlaps(&steps, &PlanGraph::new(&steps)).is_empty());
    steps[700].deps.clear();
    let pairs: Vec<_> =
        overlaps(&steps, &PlanGraph::new(&steps)).iter().map(|o| (o.first.step, o.second.step)).collect();
    assert_eq!(pairs.len(), 1, "{pairs:?}");
}

/// Every file is shared by two steps far from each other.
#[test]
fn files_of_distant_steps_are_cheap() {
    let count = 20_000;
    let deps: Vec<Vec<usize>> =
        (0..count).map(|at: usize| [1, 10].iter().filter_map(|back| at.checked_sub(*back)).collect()).collect();
    let mut steps = numbered(&deps);
    for (at, step) in steps.iter_mut().enumerate() {
        step.parallel = true;
        step.files = vec![text(format!("src/{}.rs", at.min(count - 1 - at)))];
    }
    assert!(overlaps(&steps, &PlanGraph::new(&steps)).is_empty());
}

#[test]
fn different_spellings_of_a_path_overlap() {
    let mut steps = vec![step("a", &[]), step("b", &[]), step("c", &[])];
    for (step, file) in steps.iter_mut().zip(["./src/lib.rs", "src//lib.rs", "src/lib.rs.md"]) {
        step.parallel = true;
        step.files = vec![text(file)];
    }
    let pairs: Vec<_> =
        overlaps(&steps, &PlanGraph::new(&steps)).iter().map(|o| (o.first.step, o.second.step)).collect();
    assert_eq!(pairs, [(0, 1)]);
    steps[1].parallel = false;
    assert!(overlaps(&steps, &PlanGraph::new(&steps)).is_empty());
}

/// Dependencies on lower numbers only, so there are no cycles.
fn dag() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1usize..25).prop_flat_map(|n| {
        let row = |at: usize| proptest::collection::btree_set(0..at.max(1), 0..=at.min(4));
        let rows: Vec<_> = (0..n).map(row).collect();
        rows.prop_map(|rows| {
            let below =
                |(at, row): (usize, std::collections::BTreeSet<usize>)| row.into_iter().filter(|d| *d < at).collect();
            rows.into_iter().enumerate().map(below).collect()
        })
    })
}

/// Whether `from` reaches `to` in at least one step; exponential, for comparison.
fn reaches(deps: &[Vec<usize>], from: usize, to: usize) -> bool {
    deps[from].iter().any(|dep| *dep == to || reaches(deps, *dep, to))
}

proptest! {
    #[test]
    fn acyclic_plans_have_no_cycles(deps in dag(), turned in any::<bool>()) {
        let mut steps = numbered(&deps);
        if turned {
            steps.reverse();
        }
        prop_assert!(PlanGraph::new(&steps).cycles().is_empty());
    }

    #[test]
    fn back_edge_creates_a_cycle_that_contains_it(deps in dag(), pick in any::<(usize, usize)>()) {
        let pairs: Vec<(usize, usize)> = (0..deps.len())
            .flat_map(|from| (0..from).map(move |to| (from, to)))
            .filter(|(from, to)| reaches(&deps, *from, *to))
            .collect();
        prop_assume!(!pairs.is_empty());
        let (from, to) = pairs[pick.0 % pairs.len()];
        let mut deps = deps;
        deps[to].push(from);
        let steps = numbered(&deps);
        let cycles = PlanGraph::new(&steps).cycles();
        prop_assert_eq!(cycles.len(), 1);
        let cycle = &cycles[0];
        let next = |at: usize| cycle[(at + 1) % cycle.len()];
        prop_assert!((0..cycle.len()).any(|at| cycle[at] == to && next(at) == from), "{:?}", cycle);
        prop_assert!((0..cycle.len()).all(|at| deps[cycle[at]].contains(&next(at))), "{:?}", cycle);
    }

    #[test]
    fn reachability_equals_a_search(deps in dag(), turned in any::<bool>()) {
        let mut steps = numbered(&deps);
        let count = steps.len();
        let at = |step: usize| if turned { count - 1 - step } else { step };
        if turned {
            steps.reverse();
        }
        let index = reachability::Reachability::new(&PlanGraph::new(&steps), count);
        for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))).filter(|(from, to)| from != to) {
            prop_assert_eq!(index.depends(at(from), at(to)), reaches(&deps, from, to), "{} {}", from, to);
        }
    }

    #[test]
    fn independent_steps_with_the_same_file_overlap(
        deps in dag(),
        writes in proptest::collection::vec(any::<bool>(), 25),
    ) {
        let mut steps = numbered(&deps);
        for (step, writes) in steps.iter_mut().zip(&writes) {
            step.parallel = true;
            step.files = if *writes { vec![text("f")] } else { Vec::new() };
        }
        let writers: Vec<usize> = (0..steps.len()).filter(|at| writes[*at]).collect();
        let is_free = |a: usize, b: usize| a != b && !reaches(&deps, a, b) && !reaches(&deps, b, a);
        let want = writers.iter().any(|a| writers.iter().any(|b| is_free(*a, *b)));
        let found = overlaps(&steps, &PlanGraph::new(&steps));
        prop_assert_eq!(!found.is_empty(), want);
        prop_assert!(found.iter().all(|o| is_free(o.first.step, o.second.step)));
    }
}
