//! The outcome of a check for people.

use super::human::{self, Style};
use super::{counted, diff};
use crate::app::check::{CheckNotice, CheckReport, FixPreview};
use crate::finding::Severity;

/// The findings with their source lines, then a summary.
pub fn text(report: &CheckReport, style: Style) -> String {
    if let Some(root) = &report.missing_canon {
        // A hook runs on every branch and must not stop commits on one without a canon.
        return format!("Nothing to check: the staged files have no canon (no folder `{root}`).\n");
    }
    human::findings(&report.findings, style) + &summary(report)
}

/// What was checked, the number of findings, and what to do about them.
pub(super) fn summary(report: &CheckReport) -> String {
    let skills = counted(report.skills, "skill");
    let checked = match report.files - report.skills {
        0 => skills,
        others => format!("{skills} and {}", counted(others, "other file")),
    };
    let counts: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info")]
        .into_iter()
        .map(|(severity, noun)| (report.count(severity), noun))
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| counted(count, noun))
        .collect();
    let mut text = match counts.is_empty() {
        true => format!("Checked {checked}: no findings.\n"),
        false => format!("Checked {checked}: {}. Run `canonry explain RULE` for details.\n", counts.join(", ")),
    };
    if report.fixed > 0 {
        text.push_str(&format!("Fixed {}.\n", counted(report.fixed, "finding")));
    }
    text.push_str(&hidden_findings(report));
    text.push_str(&available_fixes(report));
    text.push_str(&stale_baseline(report));
    text
}

fn hidden_findings(report: &CheckReport) -> String {
    let hidden = [(report.suppressed.len(), "suppressed by comments"), (report.baselined.len(), "in the baseline")];
    let hidden: Vec<String> =
        hidden.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}")).collect();
    if hidden.is_empty() { String::new() } else { format!("Not shown: {}.\n", hidden.join(", ")) }
}

fn available_fixes(report: &CheckReport) -> String {
    match report.fixable() {
        (0, _) => String::new(),
        (all, safe) if all == safe => format!("{all} fixable with `canonry check --fix`.\n"),
        (all, 0) => format!("{all} fixable with `canonry check --fix=unsafe`; review the changes.\n"),
        (all, safe) => format!(
            "{safe} fixable with `canonry check --fix`, {} more with `--fix=unsafe`; review those changes.\n",
            all - safe
        ),
    }
}

fn stale_baseline(report: &CheckReport) -> String {
    let entries = match report.stale_baseline_entries {
        0 => return String::new(),
        1 => "1 baseline entry has".to_owned(),
        count => format!("{count} baseline entries have"),
    };
    format!("{entries} no finding any more; run `canonry check --write-baseline` to remove stale entries.\n")
}

/// A notice, for stderr.
pub fn notice(notice: &CheckNotice, style: Style) -> String {
    match notice {
        CheckNotice::NotChecked(path) => {
            format!("{path}: not checked, because it is not a skill, plan, workflow, report, schema or memory file\n")
        }
        CheckNotice::ChangedMeanwhile(path) => format!("{path}: changed during the check; not fixed\n"),
        CheckNotice::RenameUnnoticedByGit { old, new } => {
            format!("{old}: git ignores case here; record the rename with `git rm --cached {old} && git add {new}`\n")
        }
        CheckNotice::BaselineWritten { findings, path } => {
            format!("Wrote {} to {path}.\n", counted(*findings, "finding"))
        }
        CheckNotice::CanonFailed(error) => human::failure(&error.message, error.help.as_deref(), style),
    }
}

/// The changes that fixes would make, as one patch.
pub fn preview_patch(previews: &[FixPreview]) -> String {
    previews.iter().map(|preview| diff::patch(&preview.diffs)).collect()
}

/// The number of changes, for stderr.
pub fn preview_summary(preview: &FixPreview) -> String {
    match preview.fixes {
        0 => "Nothing to fix.\n".to_owned(),
        1 => "Would make 1 fix in 1 file; nothing was written.\n".to_owned(),
        fixes => format!("Would make {fixes} fixes in {}; nothing was written.\n", counted(preview.files, "file")),
    }
}
