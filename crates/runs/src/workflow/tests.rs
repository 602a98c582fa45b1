use super::cycles::unbounded;
use super::dominators::Dominators;
use super::inputs::{MissingInputKind, missing, not_from_before};
use super::outputs::{OutputCollision, collisions};
use super::target::{GateAnswer, GateTimeout, RunAction};
use super::*;
use canonry_model::canon::Blob;
use canonry_model::canon::schema::Schemas;
use canonry_model::canon::workflow::{Workflow, WorkflowDefinition, WorkflowFiles};
use canonry_text::{RepoPath, yaml};
use proptest::prelude::*;

fn definition(text: &str) -> WorkflowDefinition {
    let path = RepoPath::from("w.yaml");
    let workflow = Workflow::parse(path, Blob::Bytes(text.as_bytes().to_vec()), &Schemas::default());
    workflow.document.unwrap().definition().unwrap().clone()
}

/// A durable workflow with steps in flow style.
fn durable(steps: &[&str]) -> WorkflowDefinition {
    let steps: String = steps.iter().map(|step| format!("  {}\n", step.replacen(": ", ": {", 1) + "}")).collect();
    definition(&format!("workflow: w\nsteps:\n{steps}"))
}

fn names(definition: &WorkflowDefinition, which: &[bool]) -> Vec<String> {
    let steps = definition.steps.iter().map(|step| &step.name.text);
    let all = steps.chain(definition.gates.iter().map(|gate| &gate.id.text));
    all.zip(which).filter(|(_, holds)| **holds).map(|(name, _)| name.clone()).collect()
}

#[test]
fn reachability_and_endings() {
    let gate = "gates: [{gate_id: g, options: [{value: b}, {value: x, goto: end}]}]";
    for (steps, gates, reached, ends) in [
        ("a: {next: [{goto: b}]}, b: {next: [{goto: end}]}", "", "a b", "a b"),
        ("a: {next: [{goto: end}]}, b: {next: [{goto: end}]}", "", "a", "a b"),
        ("a: {next: [{goto: b}]}, b: {next: [{goto: a}]}", "", "a b", ""),
        ("a: {next: [{goto: abort}]}", "", "a", ""),
        ("a: {on_failure: b, next: [{goto: end}]}, b: {next: [{goto: end}]}", "", "a b", "a b"),
        ("a: {next: [{goto: g}]}, b: {next: [{goto: a}]}", gate, "a b g", "a b g"),
        ("a: {next: [{goto: nowhere}]}", "", "a", ""),
    ] {
        let found = definition(&format!("workflow: w\nsteps: {{{steps}}}\n{gates}\n"));
        let graph = WorkflowGraph::new(&found);
        assert_eq!(names(&found, &graph.reachable()).join(" "), reached, "{steps}");
        assert_eq!(names(&found, &graph.ending()).join(" "), ends, "{steps}");
    }
}

#[test]
fn loops_need_a_bound() {
    let three = ["a: next: [{goto: b}]", "b: next: [{goto: c}]", "c: next: [{if: X, goto: a}, {goto: end}]"];
    assert_eq!(unbounded(&durable(&three), &WorkflowGraph::new(&durable(&three))), [[0, 1, 2]]);
    let cases: [(&[&str], usize); 4] = [
        (&["a: next: [{goto: a}]"], 1),
        (&["a: max_retries: 2, next: [{goto: a}]"], 0),
        (&["a: max_retries: 0, next: [{goto: a}]"], 1),
        (&["a: next: [{goto: b}, {goto: c}]", "b: next: [{goto: a}]", "c: next: [{goto: c}]"], 2),
    ];
    for (steps, count) in cases {
        let found = durable(steps);
        assert_eq!(unbounded(&found, &WorkflowGraph::new(&found)).len(), count, "{steps:?}");
    }
    let gate = |rest: &str| {
        definition(&format!(
            "workflow: w\nsteps: {{a: {{next: [{{goto: g}}]}}}}\ngates: [{{gate_id: g, {rest}, options: [{{value: a}}]}}]\n"
        ))
    };
    for (rest, count) in [
        ("type: approval", 0),
        ("type: notification", 1),
        // It waits for ever.
        ("timeout_action: continue, default: a", 0),
        ("timeout: 1h, timeout_action: continue, default: a", 1),
        ("timeout: 1h, timeout_action: a", 1),
        ("timeout: 1h, timeout_action: pause", 0),
        ("timeout: 1h, timeout_action: abort", 0),
    ] {
        let found = gate(rest);
        assert_eq!(unbounded(&found, &WorkflowGraph::new(&found)).len(), count, "{rest}");
    }
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let mut edges: Vec<Vec<usize>> = (0..100_000).map(|at| vec![(at + 1).min(99_999), 0]).collect();
    let dominators = Dominators::new(&edges);
    assert!(dominators.dominates(50_000, 99_998) && !dominators.dominates(99_998, 50_000));
    edges[0].push(70_000);
    assert!(!Dominators::new(&edges).dominates(50_000, 99_998));
}

/// Whether 0 reaches `to` without passing `without`; slow, for comparison.
fn reaches(edges: &[Vec<usize>], to: usize, without: Option<usize>) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut open: Vec<usize> = [0].into_iter().filter(|start| Some(*start) != without).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(edges[at].iter().filter(|next| Some(**next) != without));
        }
    }
    seen[to]
}

proptest! {
    #[test]
    fn a_dominator_is_on_every_path(
        edges in (1usize..12).prop_flat_map(|n| proptest::collection::vec(proptest::collection::vec(0..n, 0..4), n))
    ) {
        let dominators = Dominators::new(&edges);
        for before in 0..edges.len() {
            for node in (0..edges.len()).filter(|node| reaches(&edges, *node, None)) {
                let want = !reaches(&edges, node, Some(before));
                prop_assert_eq!(dominators.dominates(before, node), want, "{} of {} in {:?}", before, node, &edges);
            }
        }
    }

    #[test]
    fn a_loop_is_found_if_a_step_reaches_itself(
        edges in (1usize..10).prop_flat_map(|n| proptest::collection::vec(proptest::collection::vec(0..n, 0..3), n))
    ) {
        let step = |(at, to): (usize, &Vec<usize>)| {
            let routes: Vec<String> = to.iter().map(|to| format!("{{goto: s{to}}}")).collect();
            format!("s{at}: next: [{}]", routes.join(", "))
        };
        let steps: Vec<String> = edges.iter().enumerate().map(step).collect();
        let found = durable(&steps.iter().map(String::as_str).collect::<Vec<_>>());
        let cycles = unbounded(&found, &WorkflowGraph::new(&found));
        let leads_back = |from: usize| {
            edges[from].iter().any(|next| {
                let shifted: Vec<Vec<usize>> = std::iter::once(vec![next + 1])
                    .chain(edges.iter().map(|to| to.iter().map(|to| to + 1).collect())).collect();
                reaches(&shifted, from + 1, None)
            })
        };
        prop_assert_eq!(!cycles.is_empty(), (0..edges.len()).any(leads_back), "{:?}", &edges);
        for cycle in cycles {
            let next = |at: usize| cycle[(at + 1) % cycle.len()];
            prop_assert!((0..cycle.len()).all(|at| edges[cycle[at]].contains(&next(at))), "{:?}", &cycle);
        }
    }
}

#[test]
fn missing_inputs_are_found() {
    let output = "output: {schema: {x: string}}";
    let found = durable(&[
        &format!("a: {output}, next: [{{if: X, goto: b}}, {{goto: c}}]"),
        &format!("b: context_inputs: [a.x, a.y, c.x], {output}, next: [{{goto: c}}]"),
        &format!(
            "c: context_inputs: [b.x, a.x, gone.x, c.x], context_mode: last_only, {output}, next: [{{goto: end}}]"
        ),
    ]);
    let graph = WorkflowGraph::new(&found);
    let brief: Vec<_> =
        missing(&found, &graph, &WorkflowFiles::default()).into_iter().map(|m| (m.step, m.input, m.what)).collect();
    let want = [
        (1, 1, MissingInputKind::Field(0)),
        (1, 2, MissingInputKind::Run),
        (2, 0, MissingInputKind::Run),
        (2, 2, MissingInputKind::Source),
        (2, 3, MissingInputKind::Run),
    ];
    assert_eq!(brief, want);
    assert_eq!(not_from_before(&found, &graph), [(2, 3, vec!["a", "b"])]);
}

#[test]
fn conditions_are_checked() {
    let fields = "{passed: bool, score: 'number[0..1]', count: int, kind: string, list: 'string[]'}";
    let with = durable(&[&format!("s: output: {{schema: {fields}}}")]);
    let without = durable(&["s: owner: A"]);
    for text in [
        "APPROVED",
        "NEEDS-WORK",
        "score >= 0.9",
        "score>=0.9",
        "s.score < 1",
        "passed",
        "NOT passed",
        "!passed",
        "passed == true",
        "count != 12",
        "kind == bug",
        "kind = 'two words'",
        "passed AND (score > 0.5 OR APPROVED)",
        "list in [a, b]",
        "score <= 1.0",
    ] {
        assert_eq!(check_condition(text, &with.steps[0]), None, "{text}");
    }
    for text in [
        "looks good to me",
        "score",
        "kind",
        "score >= 95",
        "score > high",
        "passed > 1",
        "passed == yes",
        "kind > 3",
        "approved",
        "points > 3",
        "other.score > 0.5",
        "",
        "AND",
        ">= 3",
        "score >=",
        "passed AND it reads well",
        "max(score) > 1",
    ] {
        let fine = matches!(text, "AND");
        assert_eq!(check_condition(text, &with.steps[0]).is_none(), fine, "{text}");
    }
    for (text, fine) in [("approved", true), ("NEEDS-WORK", true), ("two words", false), ("score > 1", false)] {
        assert_eq!(check_condition(text, &without.steps[0]).is_none(), fine, "{text}");
    }
}

#[test]
fn parses_field_types() {
    for (text, want) in [
        ("bool", FieldType::Bool),
        ("Boolean", FieldType::Bool),
        ("number[0..1]", FieldType::Number(Some((0.0, 1.0)))),
        ("int [ -5 .. 5 ]", FieldType::Number(Some((-5.0, 5.0)))),
        ("number", FieldType::Number(None)),
        ("number[0-1]", FieldType::Number(None)),
        ("string[]", FieldType::Other),
        ("", FieldType::Other),
    ] {
        assert_eq!(FieldType::parse(text), want, "{text}");
    }
}

#[test]
fn output_collisions_are_found() {
    let out = |file: &str| format!("output: {{file: '{file}'}}");
    let found = durable(&[
        &format!("a: {}", out("x.json")),
        &format!("b: {}", out("./x.json")),
        &format!("c: parallel_candidates: 3, {}", out("c/{{ candidate }}.json")),
        &format!("d: parallel_candidates: 3, {}", out("d.json")),
        &format!("e: parallel: [{{{}}}, {{{}}}]", out("e.json"), out("e//../e.json")),
    ]);
    let brief: Vec<String> = collisions(&found)
        .iter()
        .map(|collision| match collision {
            OutputCollision::Two { first, second } => format!("{}+{}", first.step.name.text, second.step.name.text),
            OutputCollision::Candidates(writer) => format!("{}x{}", writer.step.name.text, writer.copies),
        })
        .collect();
    assert_eq!(brief, ["a+b", "dx3", "e+e"]);
}

#[test]
fn versions_have_three_numbers() {
    for (text, want) in [("1.2.3", true), ("0.0.0", true), ("1.2", false), ("v1.2.3", false), ("1.2.3.4", false)] {
        assert_eq!(WorkflowVersion::parse(text).is_some(), want, "{text}");
    }
    for text in ["01.2.3", "1..3", "1.2.x", "", "1.2.-3", "99999999999999999999.0.0", "1.2.3 ", "١.٢.٣"] {
        assert_eq!(WorkflowVersion::parse(text), None, "{text}");
    }
    assert!(WorkflowVersion::parse("1.10.0") > WorkflowVersion::parse("1.9.9"));
}

#[test]
fn changes_need_a_version_bump() {
    let base = "workflow: w\nworkflow_version: 1.2.3\nsteps:\n  a: {owner: A, timeout: 1m, output: {schema: {x: bool}}, next: [{goto: b}]}\n  b: {owner: B, next: [{goto: end}]}\n";
    let old = WorkflowVersion { major: 1, minor: 2, patch: 3 };
    let swapped = "workflow: w\nworkflow_version: 1.2.3\nsteps:\n  b: {owner: B, next: [{goto: end}]}\n  a: {owner: A, timeout: 1m, output: {schema: {x: bool}}, next: [{goto: b}]}\n";
    for (from, to, version, want) in [
        ("", "", "1.2.3", None),
        ("", "", "1.0.0", None),
        ("w\n", "w # a comment\n", "1.2.3", None),
        ("1m", "2m", "1.2.3", Some(VersionBumpError::Missing(old))),
        ("1m", "2m", "1.2.4", None),
        ("1m", "2m", "1.2.2", Some(VersionBumpError::Back(old))),
        ("goto: end", "goto: a", "1.2.4", Some(VersionBumpError::TooSmall(old))),
        ("goto: end", "goto: a", "1.3.0", None),
        ("goto: end", "goto: a", "2.0.0", None),
        ("x: bool", "y: bool", "1.2.4", Some(VersionBumpError::TooSmall(old))),
        ("x: bool", "prompt: bool", "1.2.4", Some(VersionBumpError::TooSmall(old))),
        ("goto: end", "goto: a", "next", None),
        (base, swapped, "1.2.3", Some(VersionBumpError::Missing(old))),
    ] {
        let now = base.replace(from, to).replace("1.2.3", version);
        let now = if from.is_empty() { base.replace("1.2.3", version) } else { now };
        let before = yaml::parse(base, 0).unwrap();
        let now = yaml::parse(&now, 0).unwrap();
        assert_eq!(check_version_bump(&before.root, &now.root), want, "{from} -> {to}, {version}");
    }
}

#[test]
fn duplicate_names_refer_to_the_first() {
    let found =
        definition("workflow: w\nsteps: {a: {owner: A}}\ngates: [{gate_id: a}, {gate_id: g}, {gate_id: end}]\n");
    let graph = WorkflowGraph::new(&found);
    for (name, want) in [
        ("a", Some(StepTarget::Step(0))),
        ("g", Some(StepTarget::Gate(1))),
        ("end", Some(StepTarget::End)),
        ("", None),
        ("abort", Some(StepTarget::Action(RunAction::Abort))),
    ] {
        assert_eq!(graph.resolve(name), want, "{name}");
    }
    assert_eq!((graph.node_count(), graph.is_step(0), graph.is_step(1)), (4, true, false));
}

#[test]
fn names_stand_for_steps_gates_and_actions() {
    let found = definition(
        "workflow: w\nsteps: {a: {owner: A}, retry: {owner: A}}\ngates: [{gate_id: gate_b}, {gate_id: c}, {gate_id: trigger_d}]\n",
    );
    let graph = WorkflowGraph::new(&found);
    let action = |action| Some(StepTarget::Action(action));
    for (name, want) in [
        ("trigger_gate_b", Some(StepTarget::Gate(0))),
        ("trigger_b", Some(StepTarget::Gate(0))),
        ("trigger_c", Some(StepTarget::Gate(1))),
        ("trigger_d", Some(StepTarget::Gate(2))),
        ("trigger_a", None),
        ("trigger_", None),
        ("b", None),
        ("retry", Some(StepTarget::Step(1))),
        ("skip", action(RunAction::Skip)),
        ("ignore", action(RunAction::Continue)),
        ("continue", action(RunAction::Continue)),
        ("stop", action(RunAction::Abort)),
        ("cancel", action(RunAction::Abort)),
        ("fail", action(RunAction::Fail)),
        ("pause", action(RunAction::Pause)),
        ("escalate", action(RunAction::Escalate)),
        ("human_escalation", action(RunAction::Escalate)),
        ("Abort", None),
    ] {
        assert_eq!(graph.resolve(name), want, "{name}");
    }
}

#[test]
fn options_without_a_target_are_answers() {
    let found = definition(
        "workflow: w\nsteps: {a: {owner: A}}\ngates: [{gate_id: g, options: [a, g, end, retry, Stop, yes, OK, proceed, continue, skip, reject, No, {value: x, goto: a}, {value: retry, goto: end}, later, {label: z}]}]\n",
    );
    let graph = WorkflowGraph::new(&found);
    let go = |target| Some(GateAnswer::Go(target));
    let act = |action| go(StepTarget::Action(action));
    let want = [
        go(StepTarget::Step(0)),
        go(StepTarget::Gate(0)),
        go(StepTarget::End),
        act(RunAction::Retry),
        act(RunAction::Abort),
        Some(GateAnswer::Approve),
        Some(GateAnswer::Approve),
        Some(GateAnswer::Approve),
        Some(GateAnswer::Approve),
        act(RunAction::Skip),
        Some(GateAnswer::Reject),
        Some(GateAnswer::Reject),
        go(StepTarget::Step(0)),
        go(StepTarget::End),
        None,
        None,
        None,
    ];
    for (option, want) in want.into_iter().enumerate() {
        assert_eq!(graph.resolve_option(0, option), want, "{option}");
    }
    assert_eq!(graph.resolve_option(1, 0), None);
}

#[test]
fn timeouts_choose_an_option() {
    for (gate, want) in [
        ("options: [retry, stop], timeout_action: stop", Some(GateTimeout::Choose(1))),
        ("options: [retry, stop], timeout_action: pause", Some(GateTimeout::Pause)),
        ("options: [retry, stop], timeout_action: abort", Some(GateTimeout::Abort)),
        ("options: [retry, abort], timeout_action: abort", Some(GateTimeout::Choose(1))),
        ("options: [retry, stop], timeout_action: wait", None),
        ("options: [retry, stop], timeout_action: continue", None),
        ("options: [continue, stop], timeout_action: continue", Some(GateTimeout::Choose(0))),
        ("options: [continue, {value: stop, default: true}], timeout_action: continue", Some(GateTimeout::Choose(1))),
        ("options: [retry, stop], default: stop, timeout_action: continue", Some(GateTimeout::Choose(1))),
        ("options: [retry, stop]", None),
    ] {
        let found = definition(&format!("workflow: w\nsteps: {{a: {{owner: A}}}}\ngates: [{{gate_id: g, {gate}}}]\n"));
        assert_eq!(WorkflowGraph::new(&found).resolve_timeout(0), want, "{gate}");
    }
}

#[test]
fn answers_about_a_step_return_to_it() {
    let steps = "a: {next: [{if: ASK, goto: g}, {goto: b}]}, b: {next: [{goto: end}]}";
    for (options, edges, returns, ends, loops) in [
        ("[retry, stop]", vec![], vec![true], "a b g h", 1),
        ("[approve]", vec![], vec![false], "a b g h", 0),
        ("[reject, skip]", vec![], vec![true, false], "a b g h", 1),
        ("[end]", vec![], vec![], "a b g h", 0),
        ("[stop]", vec![], vec![], "a b h", 0),
        ("[h]", vec![3], vec![], "a b g h", 0),
    ] {
        let gates = format!(
            "[{{gate_id: g, type: notification, options: {options}}}, {{gate_id: h, type: interrupt, options: [yes, end]}}]"
        );
        let found = definition(&format!("workflow: w\nsteps: {{{steps}}}\ngates: {gates}\n"));
        let graph = WorkflowGraph::new(&found);
        assert_eq!(graph.edges(2), edges, "{options}");
        let of_gate = graph.returns().iter().filter(|answer| answer.gate == 2);
        assert_eq!(of_gate.map(|answer| answer.repeats).collect::<Vec<_>>(), returns, "{options}");
        assert_eq!(names(&found, &graph.ending()).join(" "), ends, "{options}");
        assert_eq!(unbounded(&found, &graph).len(), loops, "{options}");
    }
}

/// A gate that several steps share does not connect them.
#[test]
fn shared_gates_do_not_skip_steps() {
    let found = definition(
        "workflow: w\nsteps: {a: {on_failure: g, next: [{goto: b}]}, b: {output: {schema: {x: bool}}, on_failure: g, next: [{goto: c}]}, c: {context_inputs: [b.x], next: [{goto: end}]}}\ngates: [{gate_id: g, options: [retry, continue, stop]}]\n",
    );
    assert_eq!(missing(&found, &WorkflowGraph::new(&found), &WorkflowFiles::default()), []);
}
