//! Learnings of finished tasks: proposals for the spec, and their place in its pages.

use super::lessons::{normalized, single_line};
use super::promotion::MAX_PENDING;
use super::proposals::digest;
use super::review::{CandidateKind, ReviewQueue, StagedCandidate};
use canonry_model::canon::task::{Task, TaskStatus, inside};
use canonry_text::RepoPath;

/// The heading that accepted learnings are listed under.
const HEADING: &str = "## Learnings";
/// Prefix of the names of these candidates.
const PREFIX: &str = "spec:";
/// Digits of the id that tells the learnings of a task apart.
const ID_DIGITS: usize = 8;

/// The learnings of finished tasks, each with the id of its task, that the queue does not have yet; as many as fit.
pub fn propose_learnings(tasks: &[(String, Task)], queue: &ReviewQueue, date: &str) -> Vec<StagedCandidate> {
    let pending = queue.pending().filter(|entry| entry.staged.kind == CandidateKind::Spec).count();
    let mut staged: Vec<StagedCandidate> = Vec::new();
    for (id, task) in tasks.iter().filter(|(_, task)| task.status == TaskStatus::Done) {
        for learning in &task.learnings {
            let text = single_line(&learning.text);
            let candidate = format!("{PREFIX}{id}:{}", short_id(&text, &learning.spec));
            let is_known = queue.contains(CandidateKind::Spec, &candidate, &text)
                || staged.iter().any(|other| normalized(&other.text) == normalized(&text));
            if is_known || text.is_empty() || page(&learning.spec).is_none() {
                continue;
            }
            staged.push(StagedCandidate {
                target: Some(learning.spec.clone()),
                ..StagedCandidate::new(CandidateKind::Spec, candidate, text, date.to_owned())
            });
        }
    }
    staged.truncate(MAX_PENDING.saturating_sub(pending));
    staged
}

/// The page below `spec/`; `None` if it is outside, or no Markdown file.
pub fn page(target: &str) -> Option<RepoPath> {
    inside(target).filter(|path| path.as_bstr().ends_with(b".md"))
}

/// Text that adds a learning with its origin to a page. `before` is the page's text, if it exists.
pub fn learning_addition(
    before: Option<&str>,
    page: &RepoPath,
    staged: &StagedCandidate,
    text: &str,
    origin: &str,
) -> String {
    let task =
        staged.candidate.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once(':')).map_or("", |(task, _)| task);
    let line = format!("- {} (task {}, {origin})\n", single_line(text), single_line(task));
    let Some(before) = before.filter(|before| !before.trim().is_empty()) else {
        let file = page.file_name_lossy();
        return format!("# {}\n\n{HEADING}\n\n{line}", file.trim_end_matches(".md"));
    };
    let end_of_line = if before.ends_with('\n') { "" } else { "\n" };
    let last_heading = before.lines().rfind(|line| line.starts_with("# ") || line.starts_with("## "));
    match last_heading.map(str::trim_end) {
        Some(HEADING) => format!("{end_of_line}{line}"),
        _ => format!("{end_of_line}\n{HEADING}\n\n{line}"),
    }
}

fn short_id(text: &str, spec: &str) -> String {
    digest(&["learning", spec, &normalized(text)], ID_DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::task::Learning;

    fn task(status: TaskStatus, learnings: &[(&str, &str)]) -> (String, Task) {
        let learning = |(text, spec): &(&str, &str)| Learning { text: (*text).to_owned(), spec: (*spec).to_owned() };
        let learnings = learnings.iter().map(learning).collect();
        ("login".to_owned(), Task { status, learnings, ..Task::default() })
    }

    #[test]
    fn only_finished_tasks_propose_and_only_once() {
        let done =
            task(TaskStatus::Done, &[("Count failures.", "a.md"), ("count  failures", "b.md"), ("Out.", "../x.md")]);
        let staged = propose_learnings(
            &[task(TaskStatus::InProgress, &[("No.", "a.md")]), done.clone()],
            &ReviewQueue::default(),
            "2026-05-01",
        );
        assert_eq!(staged.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["Count failures."]);
        assert!(staged[0].candidate.starts_with("spec:login:") && staged[0].target.as_deref() == Some("a.md"));
        let line = crate::review::ReviewEvent::Staged(staged[0].clone()).to_line();
        assert_eq!(propose_learnings(&[done], &ReviewQueue::parse(&line), "2026-05-02"), []);
    }

    #[test]
    fn a_learning_is_listed_under_its_heading() {
        let (_, task) = task(TaskStatus::Done, &[("Count failures.", "a.md")]);
        let staged = propose_learnings(&[("login".to_owned(), task)], &ReviewQueue::default(), "2026-05-01").remove(0);
        let page = RepoPath::from("agent/spec/errors.md");
        let added = |before: Option<&str>| learning_addition(before, &page, &staged, &staged.text, "2026-05-01, ann");
        let line = "- Count failures. (task login, 2026-05-01, ann)\n";
        assert_eq!(added(None), format!("# errors\n\n## Learnings\n\n{line}"));
        assert_eq!(added(Some("# E\n\nText.")), format!("\n\n## Learnings\n\n{line}"));
        assert_eq!(added(Some("# E\n\n## Learnings\n\n- One.\n")), line);
        assert_eq!(added(Some("## Learnings\n\n- One.\n\n## Later\n")), format!("\n## Learnings\n\n{line}"));
    }
}
