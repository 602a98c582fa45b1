//! Fixes for findings: text edits or a new file name. Nothing here writes files.

use canonry_text::{Span, TextEdit, apply_edits};
use std::collections::BTreeMap;

/// Whether canonry applies a fix without being asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Applicability {
    /// Fixes that keep the meaning of a file, or restore the evident intention
    Safe,
    /// Also fixes that need a review
    Unsafe,
}

impl Applicability {
    /// `safe` or `unsafe`
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// A fix for one finding, in the finding's own file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Title of the fix, in the imperative: "quote the value".
    pub title: String,
    /// Whether it is applied without being asked for.
    pub applicability: Applicability,
    /// The edits in file order; empty if the fix renames the file.
    pub edits: Vec<TextEdit>,
    /// The new name of the file in its folder, if the fix renames it.
    pub rename: Option<String>,
}

impl Fix {
    /// A safe fix.
    pub fn safe(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), applicability: Applicability::Safe, edits, rename: None }
    }

    /// An unsafe fix.
    pub fn unsafe_edits(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), applicability: Applicability::Unsafe, edits, rename: None }
    }

    /// A fix that renames the file.
    pub fn rename(name: impl Into<String>, applicability: Applicability) -> Self {
        let name = name.into();
        Self { title: format!("rename the file to `{name}`"), applicability, edits: Vec::new(), rename: Some(name) }
    }
}

/// The result of [`apply_fixes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedText {
    /// The text.
    pub text: String,
    /// The number of fixes that were applied.
    pub count: usize,
}

/// Applies the fixes of one file. If two fixes overlap, only the first is applied; the next check of the file offers the
/// other again.
pub fn apply_fixes<'a>(text: &str, fixes: impl IntoIterator<Item = &'a Fix>) -> FixedText {
    let mut applied: BTreeMap<Span, Vec<TextEdit>> = BTreeMap::new();
    let mut count = 0;
    for fix in fixes {
        let is_free = |edit: &TextEdit| {
            let before = applied.range(..=edit.span).next_back();
            let after = applied.range(edit.span..).next();
            before.into_iter().chain(after).all(|(span, _)| !overlap(*span, edit.span))
        };
        let mut edits = fix.edits.clone();
        edits.sort_by_key(|edit| edit.span);
        if edits.is_empty() || !edits.iter().all(is_free) || !are_applicable(text, &edits) {
            continue;
        }
        for edit in edits {
            applied.entry(edit.span).or_default().push(edit);
        }
        count += 1;
    }
    let edits: Vec<TextEdit> = applied.into_values().flatten().collect();
    // Every fix was checked above, so this cannot fail.
    FixedText { text: apply_edits(text, &edits).unwrap_or_else(|| text.to_owned()), count }
}

/// Whether sorted edits do not overlap and are on character boundaries inside the text.
fn are_applicable(text: &str, edits: &[TextEdit]) -> bool {
    let is_inside = |edit: &TextEdit| text.get(edit.span.range()).is_some();
    let is_apart =
        |pair: &[TextEdit]| pair.first().map(|edit| edit.span.end()) <= pair.get(1).map(|edit| edit.span.offset);
    edits.iter().all(is_inside) && edits.windows(2).all(is_apart)
}

/// Adjacent spans count as overlapping, because one fix can depend on the text that the other changes.
fn overlap(a: Span, b: Span) -> bool {
    a.offset <= b.end() && b.offset <= a.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fix(edits: &[(usize, usize, &str)]) -> Fix {
        Fix::safe("", edits.iter().map(|(from, to, text)| TextEdit::new(Span::new(*from, *to), *text)).collect())
    }

    #[test]
    fn applies_fixes_that_do_not_overlap() {
        let fixes = [fix(&[(6, 7, "G")]), fix(&[(0, 1, "A"), (3, 3, "-")]), fix(&[(1, 2, "B")]), fix(&[])];
        assert_eq!(apply_fixes("abcdefg", &fixes), FixedText { text: "Abc-defG".to_owned(), count: 2 });
    }

    #[test]
    fn skips_edits_outside_the_text() {
        let fixes = [fix(&[(1, 2, "x")]), fix(&[(9, 12, "x")]), fix(&[(3, 4, "c")])];
        assert_eq!(apply_fixes("éab", &fixes), FixedText { text: "éac".to_owned(), count: 1 });
    }

    proptest! {
        #[test]
        fn keeps_bytes_outside_of_edits(text in "[a-zé]{0,30}", edits in prop::collection::vec((0usize..40, 0usize..5, "[A-Z]{0,3}"), 0..6)) {
            let fixes: Vec<Fix> = edits.iter().map(|(at, length, new)| fix(&[(*at, at + length, new)])).collect();
            let fixed = apply_fixes(&text, &fixes).text;
            let made: Vec<&Fix> = fixes.iter().filter(|f| apply_edits(&text, &f.edits).is_some()).collect();
            let inside = |at: usize| made.iter().any(|f| f.edits[0].span.range().contains(&at));
            let kept: String = text.char_indices().filter(|(at, _)| !inside(*at)).map(|(_, c)| c).collect();
            let mut rest = fixed.chars();
            prop_assert!(kept.chars().all(|c| rest.any(|other| other == c)), "{text:?} {fixes:?} {fixed:?}");
        }
    }
}
