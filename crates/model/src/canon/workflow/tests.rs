use super::*;
use canonry_text::node::SpannedText;
use proptest::prelude::*;

fn document(text: &str) -> WorkflowDocument {
    let blob = Blob::Bytes(text.as_bytes().to_vec());
    Workflow::parse(RepoPath::from("agent/workflows/w.yaml"), blob, &Schemas::default()).document.unwrap()
}

/// The routes of each step: `name: condition>target …`.
fn routes(text: &str) -> Vec<String> {
    let document = document(text);
    let step = |step: &WorkflowStep| {
        let route = |route: &Route| {
            let text = |text: &Option<SpannedText>| text.as_ref().map_or("", |text| &text.text).to_owned();
            format!(" {}>{}", text(&route.condition), text(&route.target))
        };
        format!("{}:{}", step.name.text, step.routes.iter().map(route).collect::<String>())
    };
    document.definition().unwrap().steps.iter().map(step).collect()
}

#[test]
fn all_dialects_give_the_same_routes() {
    let want = ["plan: >build", "build: BLOCKED>plan >review", "review: >end"];
    for text in [
        "workflow: w\nsteps:\n  plan: {owner: A, next: [{goto: build}]}\n  build: {owner: A, next: [{if: BLOCKED, goto: plan}, {goto: review}]}\n  review: {owner: A, next: [{goto: end}]}\n",
        "name: w\nsteps:\n- {name: plan, agent: A}\n- {name: build, agent: A, conditions: [{keyword: BLOCKED, goto: plan}], next: review}\n- {name: review, agent: A, end: true}\n",
        "name: w\nsteps:\n  plan: {agent: A, next: [{goto: build}]}\n  build: {agent: A, next: [{if: BLOCKED, goto: plan}, {goto: review}]}\n  review: {agent: A, goto: end}\n",
    ] {
        assert_eq!(routes(text), want, "{text}");
    }
}

#[test]
fn keys_decide_the_dialect() {
    for (text, want) in [
        ("workflow: w\nsteps: {}", Some(WorkflowDialect::Durable)),
        ("workflow_version: 1.0.0", Some(WorkflowDialect::Durable)),
        ("gates: []\nsteps: []", Some(WorkflowDialect::Durable)),
        ("steps: {a: {owner: A}}", Some(WorkflowDialect::Durable)),
        ("steps: {a: {agent: A, prompt: p}}", Some(WorkflowDialect::Routed)),
        ("steps: [{name: a, agent: A}]", Some(WorkflowDialect::Listed)),
        ("steps: []", Some(WorkflowDialect::Listed)),
        ("steps: text", Some(WorkflowDialect::Listed)),
        ("steps: [{name: a, agent: A, timeout: 1m}]", Some(WorkflowDialect::Listed)),
        ("steps: {a: {agent: A, timeout: 1m}}", Some(WorkflowDialect::Routed)),
        ("steps: {a: {next: []}}", Some(WorkflowDialect::Routed)),
        ("phases: {a: {owner: A}}", Some(WorkflowDialect::Durable)),
        ("phases: {a: {generator: A, evaluator: B}}", Some(WorkflowDialect::Durable)),
        ("phases: {a: {owner: A}}\nsteps: [{name: a, agent: A}]", Some(WorkflowDialect::Listed)),
        ("phases: {a: {run: make}}", None),
        ("name: w\nplan: login", Some(WorkflowDialect::Listed)),
        ("name: w\nplan: [login]", None),
        ("max_steps: 3\nsteps: {a: {agent: A}}", Some(WorkflowDialect::Routed)),
        ("policy: p.md\nsteps: [{name: a, prompt: p}]", Some(WorkflowDialect::Listed)),
        ("steps: [{id: a, owner: A}]", None),
        ("steps: {a: {run: make}}", None),
        ("workflow: {name: x}\nsequence: []", None),
        ("workflow: [{id: design, status: done}]\nfeature: login", None),
        ("steps: [{run: make}]", None),
        ("steps: [a, b]", None),
        ("jobs: {a: {steps: []}}", None),
        ("name: x", None),
        ("- a", None),
        ("text", None),
        ("", None),
        ("{}", None),
    ] {
        let found = document(text);
        assert_eq!(found.definition().map(|definition| definition.dialect), want, "{text}");
        assert!(found.definition().is_some() || found.violations.is_empty(), "{text}");
    }
}

#[test]
fn files_elsewhere_need_more_than_a_name_to_be_workflows() {
    for (text, want) in [
        ("workflow: w\nsteps: {a: {owner: A}}", true),
        ("steps: [{name: a, agent: A}]", true),
        ("phases: {a: {owner: A}}", true),
        ("name: w\nplan: login", true),
        ("workflow_version: 1.0.0", false),
        ("schema_version: 1\nfeature: login\nworkflow: [{id: design, status: done}]", false),
        ("workflow: release\nstatus: done", false),
        ("workflow: w\ngates: {review: {status: open}}", false),
    ] {
        assert_eq!(is_workflow_text(text), want, "{text}");
    }
}

/// The built-in schema and the parser must detect the same dialect.
#[test]
fn schema_detects_the_same_dialect() {
    for (text, want) in [
        ("workflow: w\nsteps: {a: {}}", "owner"),
        ("steps: {a: {owner: A}}\nworkflow: w", ""),
        ("steps: {a: {owner: A}}", "workflow"),
        ("steps: {a: {agent: A, timeout: 1m}}", "timeout"),
        ("steps: [{name: a, agent: A, timeout: 1m}]", "timeout"),
        ("steps: {a: {next: [{goto: end}]}}", "agent"),
        ("workflow: w\nphases: {a: {prompt: p}, b: {plan: p}, c: {human: true}}", ""),
        ("workflow: w\nphases: {a: {}}", "owner"),
        ("workflow: w\nsteps: {a: {prompt: p}}", "owner"),
        ("phases: {a: {owner: A}}", "workflow"),
        ("workflow: w\nphases: {a: {generator: A}}", "evaluator"),
        ("workflow: w\nphases: {a: {evaluator: A}}", "generator"),
        ("workflow: w\nworkflow_version: 1.0.0\nplan: p", ""),
        ("name: w\nplan: p\nparameters: [x]\npolicy: p.md", ""),
        ("steps: [{name: a, prompt: p, end: true}, {name: b, plan: p, next: a}]", ""),
        ("steps: [{name: a, prompt: p, report: {name: r, format: f, validation: v}, next: [{goto: a}]}]", ""),
        ("steps: [{name: a, prompt: p, report: {format: f}}]", "name"),
        ("name: w\nsteps: [{name: a, agent: A, conditions: [{keyword: X, goto: a}], end: true}]", ""),
        ("name: w\nsteps: {a: {agent: A, next: [{if: X, goto: a}, {goto: end}]}}", ""),
    ] {
        let found = document(text);
        let keys: Vec<&str> = found.violations.iter().filter_map(|v| v.key.as_deref()).collect();
        assert_eq!(keys.join(","), want, "{text}: {:?}", found.violations);
        assert_eq!(keys.len(), found.violations.len(), "{text}: {:?}", found.violations);
    }
}

#[test]
fn parses_both_forms_of_inputs() {
    let text = "workflow: w\nsteps:\n  a:\n    context_inputs: [b.c.d, b, {source: b, fields: [c, d]}, {source: b, fields: c}, [x], 7]\n";
    let found = document(text);
    let inputs = &found.definition().unwrap().steps[0].context.inputs;
    let brief = |input: &StepInput| {
        let fields: Vec<&str> = input.fields.iter().map(|field| field.text.as_str()).collect();
        format!("{} {}", input.source.as_ref().map_or("-", |source| &source.text), fields.join(","))
    };
    let brief: Vec<String> = inputs.iter().map(brief).collect();
    assert_eq!(brief, ["b c.d", "b ", "b c,d", "b c", "- ", "7 "]);
}

#[test]
fn phases_continue_with_the_next_one() {
    let text = "workflow: w\nphases:\n  a: {owner: A}\n  b: {owner: A, next: [{if: X, goto: a}]}\n  c: {owner: A, next: a}\n  d: {owner: A, end: true}\n  e: {owner: A}\n";
    assert_eq!(routes(text), ["a: >b", "b: X>a >c", "c: >a", "d: >end", "e: >end"]);
}

#[test]
fn fields_may_be_dotted_or_unknown() {
    let text = "workflow: w\nsteps:\n  a: {output: {schema: {x: bool, bug: object}}}\n  b: {output: {schema: s.json}}\n  c: {generator: A, evaluator: B}\n  d: {owner: A}\n";
    let found = document(text);
    let steps = &found.definition().unwrap().steps;
    let declares = |step: usize, field: &str| steps[step].declares(field);
    assert_eq!([declares(0, "x"), declares(0, "bug.trace"), declares(0, "y")], [Some(true), Some(true), Some(false)]);
    assert_eq!([declares(1, "x"), declares(2, "x"), declares(3, "x")], [None, None, Some(false)]);
}

#[test]
fn reports_have_a_name() {
    let text = "steps:\n- {name: a, prompt: p, report: r}\n- {name: b, prompt: p, report: {name: s, format: f}}\n- {name: c, prompt: p, report: false}\n";
    let found = document(text);
    let names: Vec<Option<&str>> =
        found.definition().unwrap().steps.iter().map(|step| step.report.as_ref().map(|r| r.text.as_str())).collect();
    assert_eq!(names, [Some("r"), Some("s"), None]);
}

#[test]
fn unusual_names_are_kept() {
    let text = "workflow: w\nsteps:\n  1: {owner: A, next: [{goto: 2}]}\n  2: {owner: A, next: [{goto: true}]}\n  true: {owner: A, next: [{goto: '~'}]}\n  ~: {owner: A, next: [{goto: end}]}\n";
    assert_eq!(routes(text), ["1: >2", "2: >true", "true: >~", "~: >end"]);
}

#[test]
fn aliases_and_line_endings_do_not_matter() {
    let text = "workflow: w\nsteps:\n  a: &a\n    owner: A\n    next: &next\n      - goto: b\n  b: {owner: A, next: *next}\n  c: *a\n";
    let want = ["a: >b", "b: >b", "c: >b"];
    assert_eq!(routes(text), want);
    assert_eq!(routes(&text.replace('\n', "\r\n")), want);
    assert_eq!(routes(&format!("\u{feff}{text}")), want);
}

/// Every span in the model.
fn spans(definition: &WorkflowDefinition) -> Vec<canonry_text::Span> {
    let of = |text: &Option<SpannedText>| text.as_ref().map(|text| text.span);
    let mut found = Vec::new();
    for step in &definition.steps {
        found.extend([step.span, step.head()]);
        found.extend(step.detours().map(|(_, target)| target.span));
        found.extend(step.routes.iter().flat_map(|r| [Some(r.span), of(&r.condition), of(&r.target)]).flatten());
        found.extend(step.context.inputs.iter().flat_map(|i| i.fields.iter().map(|f| f.span).chain([i.span])));
        found.extend(step.output.iter().flat_map(|o| o.fields.iter().map(|f| f.kind.span).chain([o.span])));
    }
    for gate in &definition.gates {
        found.extend([gate.span, gate.head()]);
        found.extend(gate.choices.iter().map(|choice| choice.span));
    }
    found
}

/// Text that resembles a workflow.
fn scribble() -> impl Strategy<Value = String> {
    const KEYS: [&str; 22] = [
        "workflow",
        "workflow_version",
        "steps",
        "gates",
        "name",
        "next",
        "if",
        "goto",
        "output",
        "schema",
        "a",
        "b",
        "context_inputs",
        "source",
        "fields",
        "parallel",
        "conditions",
        "keyword",
        "options",
        "max_retries",
        "end",
        "<<",
    ];
    const VALUES: [&str; 18] = [
        "",
        "~",
        "1.0.0",
        "a",
        "b",
        "end",
        "true",
        "7",
        "'é'",
        "\"\\u2028\"",
        "[]",
        "{}",
        "[a, {b: c}]",
        "&x a",
        "*x",
        "x >= 3",
        "|\n    text",
        "[[[[]]]]",
    ];
    let line = (0usize..5, any::<bool>(), 0..KEYS.len(), 0..VALUES.len(), any::<bool>()).prop_map(
        |(depth, dash, key, value, bare)| {
            let dash = if dash { "- " } else { "" };
            let value = if bare { "" } else { VALUES[value] };
            format!("{}{dash}{}: {value}", "  ".repeat(depth), KEYS[key])
        },
    );
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\0\n"), Just("\n\u{feff}")];
    (proptest::collection::vec(line, 0..20), end).prop_map(|(lines, end)| lines.join(end))
}

proptest! {
    #[test]
    fn spans_stay_inside_any_text(text in prop_oneof![scribble(), any::<String>()]) {
        let found = document(&text);
        let length = found.source.text().len();
        for span in found.definition().map(spans).unwrap_or_default() {
            prop_assert!(span.end() <= length, "{:?} of {}", span, length);
            prop_assert!(found.source.text().is_char_boundary(span.offset), "{:?}", span);
        }
        for violation in &found.violations {
            prop_assert!(violation.span.end() <= length);
        }
    }
}
