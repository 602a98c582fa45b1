//! `.jdi/LESSONS.md`: rejected work becomes rows of the log, from which a dream proposes lessons for review.

use super::super::plan::ImportPlan;
use canonry_model::canon::episode::Episode;
use canonry_text::RepoPath;
use canonry_text::secrets;
use serde_json::json;

/// Imports the lessons if the canon has no log of its own.
pub(super) fn import(plan: &mut ImportPlan<'_>, path: &RepoPath) {
    let Some(text) = plan.read(path) else { return };
    let sections = sections(&text);
    let rows: String = sections.iter().filter_map(row).map(|row| format!("{row}\n")).collect();
    if rows.is_empty() {
        return if text.trim().is_empty() {
            plan.skip(path, "it is empty", "")
        } else {
            plan.skip(path, "it has no lesson with a date", "log what still applies with `canonry log`")
        };
    }
    let to = plan.source.layout.log();
    let is_same = |state| plan.source.canon.get(&to).is_none_or(|known| *known == state);
    if !plan.source.state_of(&rows).is_some_and(is_same) {
        let reason = format!("{to} exists, and rows are appended only by `canonry log`");
        return plan.skip(path, reason, "log what still applies with `canonry log`");
    }
    let mut changes = vec![
        "converted the lessons to episodes; `canonry dream` proposes what recurs, and `canonry memory review` shows it"
            .to_owned(),
    ];
    let others = sections.iter().filter(|section| row(section).is_none());
    changes.extend(others.map(|section| format!("line {}: left out, it has no date or no lesson", section.line)));
    plan.add_text(path, to, rows, changes);
}

/// A part of the file below a heading `## DATE - Task #ID, Step: NAME`.
struct Section<'t> {
    line: usize,
    heading: &'t str,
    body: String,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found: Vec<Section<'_>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("## "), found.last_mut()) {
            (Some(heading), _) => {
                found.push(Section { line: number + 1, heading: heading.trim(), body: String::new() });
            }
            (None, Some(section)) => section.body.push_str(&format!("{line}\n")),
            (None, None) => {}
        }
    }
    found
}

/// The section as a row of the log.
fn row(section: &Section<'_>) -> Option<String> {
    let (date, rest) = section.heading.split_once(" - ").unwrap_or((section.heading, ""));
    let (task, step) = rest.split_once(", Step:").unwrap_or((rest, ""));
    let field = |name: &str| {
        let (_, after) = section.body.split_once(&format!("**{name}:**"))?;
        let end = after.find("\n**").unwrap_or(after.len());
        let text = after[..end].split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    };
    // The log is committed: what `canonry log` would redact does not get there by an import either.
    let redacted = |text: &str| secrets::redact_any(text).into_owned();
    let lesson = field("Lesson")?;
    let action = match step.trim() {
        "" => "run a step".to_owned(),
        step => format!("run the step {step}"),
    };
    let detail = [task.trim().to_owned(), field("Trigger").unwrap_or_default()].join(": ");
    let row = json!({
        "timestamp": format!("{}T00:00:00Z", date.trim()),
        "skill": "workflow",
        "action": redacted(&action),
        "result": "failure",
        "detail": redacted(detail.trim_matches([':', ' '])),
        "pain_score": 5,
        "importance": 5,
        "reflection": redacted(&lesson),
    })
    .to_string();
    Episode::parse(row.as_bytes()).is_ok().then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_lesson_are_redacted() {
        let text = "## 2026-02-08 - Task #3, Step: mysql -u root -phunter2 app\n\n**Trigger:** DB_PASSWORD=letmein\n\n**Lesson:** use Bearer q7zp2lxv9mkd\n";
        let row = row(&sections(text)[0]).unwrap();
        assert!(!["hunter2", "letmein", "q7zp2lxv9mkd"].iter().any(|secret| row.contains(secret)), "{row}");
    }

    #[test]
    fn a_lesson_becomes_an_episode() {
        let text = "\n## 2026-02-08 - Task #3, Step: review\n\n**Trigger:** REJECTED\n\n**Lesson:** Quote\nevery path.\n## no date\n\n**Lesson:** x\n## 2026-02-09 - Task #4\n\n**Trigger:** REJECTED\n";
        let sections = sections(text);
        assert_eq!(sections.iter().map(|section| section.line).collect::<Vec<_>>(), [2, 8, 11]);
        let row = row(&sections[0]).unwrap();
        let episode = Episode::parse(row.as_bytes()).unwrap();
        assert_eq!(episode.reflection.as_deref(), Some("Quote every path."));
        assert_eq!(episode.action.as_deref(), Some("run the step review"));
        assert_eq!(episode.detail.as_deref(), Some("Task #3: REJECTED"));
        assert_eq!(super::row(&sections[1]), None);
        assert_eq!(super::row(&sections[2]), None);
    }
}
