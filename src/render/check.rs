//! The outcome of a check for people.

use super::excerpt::escape_line;
use super::human::{self, Style};
use super::{counted, diff, statistics};
use canonry_app::check::{CheckNotice, CheckReport, FixPreview};
use canonry_lint::Finding;
use canonry_model::finding::Severity;
use canonry_text::RepoPath;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// Shown part of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Some errors and warnings, and the number of the others.
    Default,
    /// The same with infos.
    WithInfos,
    /// Every finding.
    Full,
}

/// Findings shown with their source lines. Nobody reads more of them; the number per rule says where to begin.
const MAX_SHOWN: usize = 50;
/// Findings of one rule among these, so that one habit of a repository does not hide everything else.
const MAX_OF_RULE: usize = 10;
/// Infos shown where there is nothing else.
const MAX_INFOS: usize = 10;
/// Rules named for the infos that are not shown.
const MAX_INFO_RULES: usize = 5;

/// The findings with their source lines, then a summary. Files with errors come first, and in each file its errors.
pub fn text(report: &CheckReport, detail: Detail, style: Style) -> String {
    let infos = report.count(Severity::Info);
    let has_few_infos_only = infos == report.findings.len() && infos <= MAX_INFOS;
    let shows_infos = detail != Detail::Default || has_few_infos_only;
    let (folded, mut findings): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| finding.severity == Severity::Info && !shows_infos);
    let all = statistics::count_by_rule(findings.iter().copied());
    let total = findings.len();
    let mut left_out = BTreeMap::new();
    if detail != Detail::Full && total > MAX_SHOWN {
        findings.sort_by_key(|finding| Reverse(finding.severity));
        left_out = limit_by_rule(&mut findings);
        findings.truncate(MAX_SHOWN);
    }
    sort_for_people(&mut findings);
    let mut text = human::findings(findings.iter().copied(), style);
    for (rule, count) in &left_out {
        text.push_str(&format!("… and {count} more of {rule}\n"));
    }
    if !left_out.is_empty() {
        text.push('\n');
    }
    if findings.len() < total {
        text.push_str(&format!("{} of {total} findings are shown. All by rule:\n\n", findings.len()));
        text.push_str(&statistics::table(&all));
        text.push_str(
            "See the others with `--format concise` (one line each), `--select RULE`, or `--full` (with source lines).\n",
        );
    }
    text + &summary(report) + &folded_infos(&folded)
}

/// Keeps the first findings of each rule, and returns the number of the others by rule.
fn limit_by_rule(findings: &mut Vec<&Finding>) -> BTreeMap<&'static str, usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut left_out = BTreeMap::new();
    findings.retain(|finding| {
        let count = counts.entry(finding.rule.id).or_default();
        *count += 1;
        if *count > MAX_OF_RULE {
            *left_out.entry(finding.rule.id).or_default() += 1;
        }
        *count <= MAX_OF_RULE
    });
    left_out
}

/// The number of findings per rule, then the summary.
pub fn statistics(report: &CheckReport) -> String {
    statistics::table(&statistics::count_by_rule(&report.findings)) + &summary(report)
}

/// By file: those with errors first. Within a file: errors first, then by position.
fn sort_for_people(findings: &mut [&Finding]) {
    let mut worst: HashMap<RepoPath, Severity> = HashMap::new();
    for finding in findings.iter() {
        let severity = worst.entry(finding.location.path.clone()).or_insert(finding.severity);
        *severity = finding.severity.max(*severity);
    }
    let key = |finding: &&Finding| {
        let path = &finding.location.path;
        (Reverse(worst.get(path).copied()), path.clone(), Reverse(finding.severity))
    };
    findings.sort_by_cached_key(key);
}

fn folded_infos(infos: &[&Finding]) -> String {
    if infos.is_empty() {
        return String::new();
    }
    let counts = statistics::count_by_rule(infos.iter().copied());
    let named = counts.iter().take(MAX_INFO_RULES).map(|count| format!("{} {}", count.findings, count.rule));
    let more = if counts.len() > MAX_INFO_RULES { ", …" } else { "" };
    let named: Vec<String> = named.collect();
    format!(
        "{} not shown ({}{more}); `--min-severity info` shows them.\n",
        counted(infos.len(), "info"),
        named.join(", ")
    )
}

/// Number of checked files and of findings, and the next command.
pub fn summary(report: &CheckReport) -> String {
    let skills = counted(report.skills, "skill");
    let checked = match (report.skills, report.files - report.skills) {
        (0, 0) => counted(0, "file"),
        (_, 0) => skills,
        (0, others) => counted(others, "file"),
        (_, others) => format!("{skills} and {}", counted(others, "other file")),
    };
    let counts: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info")]
        .into_iter()
        .map(|(severity, noun)| (report.count(severity), noun))
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| counted(count, noun))
        .collect();
    let mut text = if !counts.is_empty() {
        format!("Checked {checked}: {}. Run `canonry explain RULE` for details.\n", counts.join(", "))
    } else if report.files == 0 {
        "Nothing was checked.\n".to_owned()
    } else {
        format!("Checked {checked}: no findings.\n")
    };
    if report.fixed > 0 {
        text.push_str(&format!("Fixed {}.\n", counted(report.fixed, "finding")));
    }
    text.push_str(&excluded_files(report));
    text.push_str(&hidden_findings(report));
    text.push_str(&available_fixes(report));
    text.push_str(&stale_baseline(report));
    text
}

fn excluded_files(report: &CheckReport) -> String {
    if report.excluded.is_empty() {
        return String::new();
    }
    let mut reasons: Vec<(&String, &usize)> = report.excluded.iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(**count));
    let reasons: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{count} in `{}`", escape_line(reason))).collect();
    let count: usize = report.excluded.values().sum();
    format!("{} excluded ({}); name a path to check it, or use `--no-exclude`.\n", are(count), reasons.join(", "))
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
        CheckNotice::NotChecked(paths) => not_checked(paths),
        CheckNotice::NoCanon { reason, nested } => {
            let nested = nested.as_ref().map(|nested| format!("note: {nested}\n")).unwrap_or_default();
            format!(
                "note: there is no canon ({reason}), so the files that agents read in the whole repository are checked\n{nested}"
            )
        }
        CheckNotice::NothingChecked { ignored, excluded } => nothing_checked(*ignored, *excluded),
        CheckNotice::ChangedMeanwhile(path) => format!("{path}: changed during the check; not fixed\n"),
        CheckNotice::RenameUnnoticedByGit { old, new } => {
            format!("{old}: git ignores case here; record the rename with `git rm --cached {old} && git add {new}`\n")
        }
        CheckNotice::BaselineWritten { findings, path } => {
            format!("Wrote {} to {path}.\n", counted(*findings, "finding"))
        }
        CheckNotice::CanonFailed(error) => human::error(error, style),
    }
}

/// Named files that are not checked. A hook names every changed file, so that most of them are no files for agents.
fn not_checked(paths: &[RepoPath]) -> String {
    let kinds = "a skill, plan, workflow, report, schema or memory file";
    match paths {
        [path] => format!("{path}: not checked, because it is not {kinds}\n"),
        [first, ..] => format!(
            "{} not checked, because they are not {kinds}: {first} and {} more\n",
            counted(paths.len(), "file"),
            paths.len() - 1
        ),
        [] => String::new(),
    }
}

fn nothing_checked(ignored: usize, excluded: usize) -> String {
    let reason = match (excluded, ignored) {
        (0, 0) => "there is no skill and no other file that canonry checks".to_owned(),
        (0, ignored) => {
            format!("git ignores {}; name a folder to check it, or use `--no-exclude`", files_or_skills(ignored))
        }
        (excluded, 0) => format!("{} excluded", are(excluded)),
        (excluded, ignored) => {
            format!("{} excluded, and git ignores {}", are(excluded), files_or_skills(ignored))
        }
    };
    format!("warning: nothing was checked: {reason}\n")
}

fn files_or_skills(count: usize) -> String {
    if count == 1 { "1 skill or file".to_owned() } else { format!("{count} skills and files") }
}

fn are(count: usize) -> String {
    format!("{} {}", files_or_skills(count), if count == 1 { "is" } else { "are" })
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
