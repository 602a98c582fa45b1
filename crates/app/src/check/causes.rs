//! Reports findings with one cause once: a maintainer who moved a folder has one thing to repair, not eighty.

use canonry_lint::Finding;
use canonry_text::{RepoPath, Span};
use std::collections::BTreeMap;

/// Related locations that a merged finding names, at most.
const MAX_NAMED: usize = 8;

/// Merges the findings of a rule that name the same cause, or are in copies of one file, into the one that is highest in the tree.
/// Those with a fix stay as they are, so that all of them can be fixed.
pub(super) fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged = Vec::with_capacity(findings.len());
    let mut groups: BTreeMap<(&'static str, String), Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        match &finding.cause {
            Some(cause) if finding.fix.is_none() => {
                groups.entry((finding.rule.id, cause.key.clone())).or_default().push(finding);
            }
            _ => merged.push(finding),
        }
    }
    for group in groups.into_values() {
        let what = group.first().and_then(|finding| finding.cause.as_ref()).map(|cause| cause.what);
        merged.extend(what.and_then(|what| one(group, what)));
    }
    merge_copies(merged)
}

/// Nouns for the count of [`merge_copies`].
const COPIES: (&str, &str) = ("copy of this file", "copies of this file");

/// Merges equal findings at the same place in files with the same text: who corrects one of them copies it again.
fn merge_copies(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged = Vec::with_capacity(findings.len());
    let mut groups: Vec<Vec<Finding>> = Vec::new();
    let mut at: BTreeMap<(&'static str, String, Span), Vec<usize>> = BTreeMap::new();
    for finding in findings {
        if finding.fix.is_some() || finding.location.source.is_none() {
            merged.push(finding);
            continue;
        }
        let same = at.entry((finding.rule.id, finding.message.clone(), finding.location.span)).or_default();
        match same.iter().find(|index| groups[**index].iter().all(|other| is_copy(other, &finding))) {
            Some(index) => groups[*index].push(finding),
            None => {
                same.push(groups.len());
                groups.push(vec![finding]);
            }
        }
    }
    merged.extend(groups.into_iter().filter_map(|group| one(group, COPIES)));
    merged
}

/// Whether two findings are in different files with the same text.
fn is_copy(one: &Finding, other: &Finding) -> bool {
    let text = |finding: &Finding| finding.location.source.clone();
    let (Some(one), Some(other)) = (text(one), text(other)) else { return false };
    one.path() != other.path() && one.text() == other.text() && !one.text().trim().is_empty()
}

fn one(mut group: Vec<Finding>, what: (&str, &str)) -> Option<Finding> {
    group.sort_by_key(|finding| (depth(&finding.location.path), finding.location.path.clone()));
    let mut all = group.into_iter();
    let mut first = all.next()?;
    let others: Vec<Finding> = all.collect();
    if !others.is_empty() {
        let what = if others.len() == 1 { what.0 } else { what.1 };
        let more = format!("and {} more {what})", others.len());
        first.message = match counted(&first) {
            Some(message) => format!("{message}, {more}"),
            None => format!("{} ({more}", first.message),
        };
    }
    Some(others.into_iter().take(MAX_NAMED).fold(first, |first, other| first.related(other.location, "also here")))
}

/// The message of a finding that was merged with others of its cause, without the bracket at its end.
fn counted(finding: &Finding) -> Option<&str> {
    let (one, more) = finding.cause.as_ref()?.what;
    let message = finding.message.strip_suffix(')')?;
    [one, more].iter().any(|what| message.ends_with(&format!(" more {what}"))).then_some(message)
}

fn depth(path: &RepoPath) -> usize {
    path.components().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::finding::{Fix, Location};
    use canonry_text::Source;
    use std::sync::Arc;

    #[test]
    fn findings_with_one_cause_become_the_highest_of_them() {
        let rule = |id: &str| canonry_lint::find(id).unwrap();
        let at = |id: &str, path: &str| rule(id).at(Location::file(&RepoPath::from(path)), format!("{path} is bad"));
        let caused = |path: &str, key: &str| at("secret", path).caused_by(key, ("link", "links"));
        let found = merge(vec![
            caused("x/y/deep", "k"),
            caused("z", "k"),
            caused("x/y", "k"),
            caused("alone", "other"),
            at("orphan-file", "of another rule").caused_by("k", ("link", "links")),
            at("secret", "without cause"),
            caused("x/fixable", "k").fix(Fix::safe("fix it", Vec::new())),
        ]);
        let mut shown: Vec<_> = found.iter().map(|f| (f.rule.id, f.message.as_str(), f.related.len())).collect();
        shown.sort_unstable();
        assert_eq!(
            shown,
            [
                ("orphan-file", "of another rule is bad", 0),
                ("secret", "alone is bad", 0),
                ("secret", "without cause is bad", 0),
                ("secret", "x/fixable is bad", 0),
                ("secret", "z is bad (and 2 more links)", 2),
            ]
        );
    }

    #[test]
    fn findings_in_copies_of_a_file_become_one() {
        let at = |path: &str, text: &str, offset: usize| {
            let source = Arc::new(Source::new(path.into(), text.to_owned()));
            canonry_lint::find("secret").unwrap().at(Location::at(&source, Span { offset, length: 1 }), "bad")
        };
        let shown = |findings: Vec<Finding>| {
            let mut shown: Vec<String> = merge(findings)
                .into_iter()
                .map(|finding| format!("{}: {}", finding.location.path, finding.message))
                .collect();
            shown.sort();
            shown
        };
        let copies = vec![at("x/.agents/s.md", "text", 0), at("s.md", "text", 0), at("y/s.md", "text", 0)];
        assert_eq!(shown(copies), ["s.md: bad (and 2 more copies of this file)"]);
        let caused = |path, offset| at(path, "text", offset).caused_by(format!("k{path}"), ("link", "links"));
        let both = vec![caused("x", 0), caused("x", 1), caused("x", 2), caused("y", 0), caused("y", 1), caused("y", 2)];
        assert_eq!(shown(both), ["x: bad (and 2 more links, and 1 more copy of this file)"]);
        for other in [at("y", "other", 0), at("y", "text", 1), at("x", "text", 0)] {
            assert_eq!(shown(vec![at("x", "text", 0), other]).len(), 2, "another text, another place, the same file");
        }
        let fixable = |path| at(path, "text", 0).fix(Fix::safe("fix it", Vec::new()));
        assert_eq!(shown(vec![fixable("x"), fixable("y")]).len(), 2);
    }
}
