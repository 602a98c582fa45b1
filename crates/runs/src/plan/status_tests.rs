//! Tests of the ready set, the transitions and the edit of a status.

use super::status_edit::edit_status;
use super::*;
use canonry_model::canon::Blob;
use canonry_model::canon::plan::{Plan, PlanDocument, PlanStep, StepStatus};
use canonry_model::canon::report::AttemptOutcome;
use canonry_model::canon::schema::Schemas;
use canonry_model::finding::apply_edits;
use canonry_text::RepoPath;
use proptest::prelude::*;
use std::sync::Arc;

use StepStatus::{Blocked, Complete, InProgress, Pending};

fn document(text: &str) -> Arc<PlanDocument> {
    let bytes = Blob::Bytes(text.as_bytes().to_vec());
    Plan::parse(RepoPath::from("agent/plans/p/plan.yaml"), bytes, &Schemas::default()).document.unwrap()
}

fn set(text: &str, at: usize, status: StepStatus) -> Option<String> {
    let edit = edit_status(&document(text), at, status)?.edit;
    apply_edits(text, &[edit])
}

#[test]
fn status_edits_keep_everything_else() {
    let table = [
        ("steps:\n- id: a\n  status: pending # c\n", "steps:\n- id: a\n  status: blocked # c\n"),
        ("steps:\n- id: a\n  status: 'pending'\n", "steps:\n- id: a\n  status: 'blocked'\n"),
        (
            "steps:\r\n  - id: a # c\r\n    owner: b\r\n",
            "steps:\r\n  - id: a # c\r\n    status: blocked\r\n    owner: b\r\n",
        ),
        ("\u{feff}steps:\n- id: a", "\u{feff}steps:\n- id: a\n  status: blocked"),
        ("\u{feff}steps: [{id: a}]\n", "\u{feff}steps: [{id: a, status: blocked}]\n"),
        ("steps: [{id: 1, owner: b,}]", "steps: [{id: 1, status: blocked, owner: b,}]"),
        ("{\"steps\": [{\"id\": \"a\"}]}", "{\"steps\": [{\"id\": \"a\", \"status\": \"blocked\"}]}"),
        ("{\"steps\": [{\"status\":\"pending\",\"id\":1}]}", "{\"steps\": [{\"status\":\"blocked\",\"id\":1}]}"),
        (
            "steps:\n-\n  owner: b\n  id: a\n\n  # c\n  deps: []\n",
            "steps:\n-\n  owner: b\n  id: a\n  status: blocked\n\n  # c\n  deps: []\n",
        ),
        ("steps:\n- id: a\n  status: &s pending\n", "steps:\n- id: a\n  status: &s blocked\n"),
    ];
    for (before, after) in table {
        assert_eq!(set(before, 0, Blocked).as_deref(), Some(after), "{before:?}");
    }
}

#[test]
fn a_status_as_committed_has_the_committed_text() {
    let committed = "steps:\n- {id: a}\n- {id: b}\n";
    let begun = "steps:\n- {id: a, status: in_progress}\n- {id: b, status: in_progress}\n";
    let edited = format!("# c\n{begun}");
    let table = [
        (begun, Pending, "steps:\n- {id: a}\n- {id: b, status: in_progress}\n".to_owned()),
        (begun, Complete, begun.replacen("in_progress", "complete", 1)),
        (&edited, Pending, edited.replacen("in_progress", "pending", 1)),
    ];
    for (text, status, want) in table {
        let found = with_status(&document(text), Some(&document(committed)), "a", status);
        assert_eq!(found.as_deref(), Some(want.as_str()), "{text}");
    }
}

#[test]
fn statuses_of_two_versions_are_merged_without_their_lines() {
    let merge = |base: &str, ours: &str, theirs: &str| {
        let merged = merge_statuses(&document(base), &document(ours), &document(theirs));
        merged.map(|merged| merged.map(|merged| merged.text)).map_err(|conflict| conflict.to_string())
    };
    let forms = [
        "steps:\n- {id: a, status: X}\n- {id: b, status: Y} # c\n",
        "{\"steps\": [{\"id\": \"a\", \"status\": \"X\"}, {\"id\": \"b\", \"status\": \"Y\"}]}",
        "steps:\n- id: a\n  status: X\n- id: b\n  status: Y\n",
    ];
    for form in forms {
        let plan = |a: &str, b: &str| form.replace('X', a).replace('Y', b);
        let base = plan("pending", "pending");
        let ours = plan("complete", "pending");
        assert_eq!(merge(&base, &ours, &plan("pending", "complete")), Ok(Some(plan("complete", "complete"))));
        assert_eq!(merge(&base, &ours, &plan("complete", "blocked")), Ok(Some(plan("complete", "blocked"))));
        assert_eq!(merge(&base, &base, &plan("blocked", "pending")), Ok(Some(plan("blocked", "pending"))));
        assert_eq!(merge(&base, &ours, &plan("blocked", "pending")), Err("`a` is blocked there".to_owned()));
    }
    let base = "steps:\n- id: a\n- id: b\n";
    let ours = "steps:\n- id: a\n  status: complete\n- id: b\n";
    // Their other changes stay; with other changes of ours, lines are merged.
    let theirs = "# new\nsteps:\n- id: c\n- id: b\n- id: a\n";
    assert_eq!(merge(base, ours, theirs), Ok(Some(format!("{theirs}  status: complete\n"))));
    assert_eq!(merge(base, &format!("# mine\n{ours}"), theirs), Ok(None));
    assert_eq!(merge(base, ours, "steps: [{id: b}]\n"), Err("`a` is no longer in the plan there".to_owned()));
}

#[test]
fn an_edit_that_changes_another_step_is_refused() {
    let text = "steps:\n- id: a\n  status: &s pending\n- id: b\n  status: *s\n";
    assert_eq!(set(text, 0, Blocked), None);
    assert_eq!(
        set(text, 1, Blocked).as_deref(),
        Some("steps:\n- id: a\n  status: &s pending\n- id: b\n  status: blocked\n")
    );
    assert_eq!(set("steps:\n- id: a\n  status: pending\n  status: pending\n", 0, Blocked), None);
}

/// A plan: statuses, parallel flags, whether a step writes the shared file, and whether it depends on its predecessor.
fn steps(rows: &[(StepStatus, bool, bool, bool)]) -> Vec<PlanStep> {
    let mut text = "steps:\n".to_owned();
    for (at, (status, parallel, writes, depends)) in rows.iter().enumerate() {
        let files = if *writes { "[f]" } else { "[]" };
        let deps = if *depends && at > 0 { format!("['s{}']", at - 1) } else { "[]".to_owned() };
        text.push_str(&format!(
            "- {{id: s{at}, status: {}, parallel: {parallel}, files: {files}, deps: {deps}}}\n",
            status.as_str()
        ));
    }
    document(&text).steps.clone()
}

#[test]
fn steps_wait_for_dependencies_lone_steps_and_files() {
    let rows = [
        (Complete, false, false, false),
        (Pending, true, false, true),
        (Pending, true, false, true),
        (Pending, false, false, false),
        (Pending, true, true, false),
    ];
    let ready = |rows: &[(StepStatus, bool, bool, bool)]| {
        let steps = steps(rows);
        let states = StepStates::new(&steps);
        (0..rows.len()).filter(|at| states.is_ready(*at)).collect::<Vec<_>>()
    };
    assert_eq!(ready(&rows), [1, 3, 4]);
    let with = |more: (StepStatus, bool, bool, bool)| [&rows[..], &[more]].concat();
    assert_eq!(ready(&with((InProgress, true, false, false))), [1, 4]);
    assert_eq!(ready(&with((InProgress, true, true, false))), [1]);
    assert_eq!(ready(&with((InProgress, false, false, false))), [0_usize; 0]);
}

#[test]
fn transition_table() {
    let success = Proof::Reported(AttemptOutcome::Success);
    for from in StepStatus::VALID {
        let steps = steps(&[(from, true, false, false)]);
        let states = StepStates::new(&steps);
        for to in StepStatus::VALID {
            let check = |proof, has_reason| check_transition(&states, 0, to, &Gate::Open, proof, has_reason);
            let (without, with) = match (from, to) {
                (Pending, InProgress) | (InProgress, Complete | Blocked | Pending) => (Ok(()), Ok(())),
                (Blocked | Complete, Pending) | (Pending, Blocked) => (Err(TransitionError::NeedsReason), Ok(())),
                _ => (Err(TransitionError::NotAllowed), Err(TransitionError::NotAllowed)),
            };
            assert_eq!((check(success, false), check(success, true)), (without, with), "{from:?} {to:?}");
        }
    }
}

#[test]
fn a_step_that_needs_a_person_neither_starts_nor_ends() {
    let success = Proof::Reported(AttemptOutcome::Success);
    for gate in [Gate::NeedsApproval("why".to_owned()), Gate::Forbidden("why".to_owned())] {
        for (from, to, is_refused) in [
            (Pending, InProgress, true),
            (InProgress, Complete, true),
            (InProgress, Blocked, false),
            (InProgress, Pending, false),
            (Complete, Pending, false),
        ] {
            let steps = steps(&[(from, true, false, false)]);
            let found = check_transition(&StepStates::new(&steps), 0, to, &gate, success, true);
            let is_person = matches!(&found, Err(TransitionError::NeedsPerson(reason)) if reason.ends_with("why"));
            assert_eq!((is_person, found.is_ok()), (is_refused, !is_refused), "{from:?} {to:?} {found:?}");
        }
    }
    let pending = steps(&[(Pending, true, false, false)]);
    let states = StepStates::new(&pending);
    assert_eq!(check_transition(&states, 0, InProgress, &Gate::Approved, success, false), Ok(()));
}

#[test]
fn completion_needs_a_report_of_success() {
    let steps = steps(&[(InProgress, false, false, false)]);
    let states = StepStates::new(&steps);
    let failure = Proof::Reported(AttemptOutcome::Failure);
    let blocked = Proof::Reported(AttemptOutcome::Blocked);
    for proof in [Proof::Missing, Proof::Invalid, failure, blocked] {
        assert_eq!(
            check_transition(&states, 0, Complete, &Gate::Open, proof, true),
            Err(TransitionError::Unproved(proof))
        );
    }
}

fn status() -> impl Strategy<Value = StepStatus> {
    prop::sample::select(StepStatus::VALID.to_vec())
}

/// A step in one of the forms that people and programs write, with or without a status.
fn written_step(at: usize, form: u8, status: Option<StepStatus>, line_end: &str) -> String {
    let pair = |quote: &str| status.map(|s| format!("{quote}status{quote}: {quote}{}{quote}", s.as_str()));
    match form {
        0 => {
            let status = pair("").map(|pair| format!("    {pair}  # why{line_end}")).unwrap_or_default();
            format!("  - id: s{at} # note{line_end}{status}    owner: O{line_end}    # end{line_end}")
        }
        1 => {
            let status = pair("").map(|pair| format!("{pair}, ")).unwrap_or_default();
            format!("  - {{{status}id: 's{at}', owner: O}}{line_end}")
        }
        _ => {
            let status = pair("\"").map(|pair| format!(", {pair}")).unwrap_or_default();
            format!("  - {{\"id\": \"s{at}\", \"owner\": \"O\"{status}}}{line_end}")
        }
    }
}

proptest! {
    #[test]
    fn an_edit_changes_one_range_and_one_status(
        rows in prop::collection::vec((0u8..3, prop::option::of(status())), 1..8),
        pick in any::<prop::sample::Index>(),
        to in status(),
        windows in any::<bool>(),
        bom in any::<bool>(),
    ) {
        let line_end = if windows { "\r\n" } else { "\n" };
        let mut text = if bom { "\u{feff}".to_owned() } else { String::new() };
        text.push_str(&format!("# plan{line_end}steps:{line_end}"));
        for (at, (form, status)) in rows.iter().enumerate() {
            text.push_str(&written_step(at, *form, *status, line_end));
        }
        let at = pick.index(rows.len());
        let edit = edit_status(&document(&text), at, to).unwrap().edit;
        let after = apply_edits(&text, std::slice::from_ref(&edit)).unwrap();
        let (start, end) = (edit.span.offset, edit.span.end());
        prop_assert_eq!(&after[..start], &text[..start]);
        prop_assert_eq!(&after[start + edit.text.len()..], &text[end..]);
        prop_assert!(!text[start..end].contains('\n'));
        let statuses = |text: &str| document(text).steps.iter().map(|step| step.status).collect::<Vec<_>>();
        let mut wanted = statuses(&text);
        wanted[at] = to;
        prop_assert_eq!(statuses(&after), wanted);
    }

    #[test]
    fn started_steps_never_conflict(
        rows in prop::collection::vec((any::<bool>(), any::<bool>(), any::<bool>()), 1..10),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
    ) {
        let rows: Vec<_> = rows.iter().map(|(parallel, writes, depends)| (Pending, *parallel, *writes, *depends)).collect();
        let mut steps = steps(&rows);
        for pick in order {
            let at = pick.index(steps.len());
            let is_ready = StepStates::new(&steps).is_ready(at);
            if is_ready {
                steps[at].status = InProgress;
            } else if steps[at].status == InProgress {
                steps[at].status = Complete;
            }
            let running: Vec<&PlanStep> = steps.iter().filter(|step| step.status == InProgress).collect();
            prop_assert!(running.len() < 2 || running.iter().all(|step| step.parallel));
            prop_assert!(running.iter().filter(|step| !step.files.is_empty()).count() < 2);
            let mut started = steps.iter().enumerate().filter(|(_, step)| step.status != Pending);
            prop_assert!(started.all(|(at, step)| step.deps.is_empty() || steps[at - 1].status == Complete));
        }
    }
}
