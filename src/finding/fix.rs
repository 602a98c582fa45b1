//! What would mend a finding: bytes to put in the place of others, or another name for the file. Pure; nothing is
//! written in here.

use crate::syntax::Span;

/// Text in the place of a span; an empty span inserts, an empty text removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// What goes.
    pub span: Span,
    /// What comes.
    pub text: String,
}

impl TextEdit {
    /// `text` in the place of `span`.
    pub fn new(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }
}

/// Whether a fix can be made unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicability {
    /// The file means the same as before, or what it was plainly meant to mean.
    Safe,
    /// It most likely means what was meant; a person should look.
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

/// What mends one finding, in the finding's own file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: "quote the value".
    pub title: String,
    /// Whether it can be made unasked.
    pub applicability: Applicability,
    /// The bytes it changes, in file order; none where the file is renamed.
    pub edits: Vec<TextEdit>,
    /// The name that the file gets in its folder, where that is what mends it.
    pub rename: Option<String>,
}

impl Fix {
    /// One that can be made unasked.
    pub fn safe(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), applicability: Applicability::Safe, edits, rename: None }
    }

    /// One that a person should look at.
    pub fn unsafely(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), applicability: Applicability::Unsafe, edits, rename: None }
    }

    /// Another name for the file.
    pub fn renaming(name: impl Into<String>, applicability: Applicability) -> Self {
        let name = name.into();
        Self { title: format!("rename the file to `{name}`"), applicability, edits: Vec::new(), rename: Some(name) }
    }
}

/// A text after some fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedText {
    /// The text.
    pub text: String,
    /// How many of the fixes were made.
    pub count: usize,
}

/// A text with the splices made, which are in file order and do not overlap; `None` where they do, or where one does not
/// lie on character borders inside the text. All bytes outside the splices are kept.
pub fn apply_edits(text: &str, splices: &[TextEdit]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for apply_edits in splices {
        out.push_str(text.get(at..apply_edits.span.offset)?);
        out.push_str(&apply_edits.text);
        text.get(apply_edits.span.range())?;
        at = apply_edits.span.end();
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Makes the fixes of one file. Of two that overlap the first is made; the other is left for when the file is judged
/// anew.
pub fn apply_fixes<'a>(text: &str, fixes: impl IntoIterator<Item = &'a Fix>) -> FixedText {
    let mut made: Vec<TextEdit> = Vec::new();
    let mut count = 0;
    for fix in fixes {
        if fix.edits.is_empty() || fix.edits.iter().any(|new| made.iter().any(|old| overlap(old.span, new.span))) {
            continue;
        }
        let mut with = made.clone();
        with.extend(fix.edits.iter().cloned());
        with.sort_by_key(|apply_edits| apply_edits.span);
        if apply_edits(text, &with).is_some() {
            made = with;
            count += 1;
        }
    }
    // Each step was tried, so that the whole holds too.
    FixedText { text: apply_edits(text, &made).unwrap_or_else(|| text.to_owned()), count }
}

/// Two that touch overlap as well: what the one says may rest on what the other changes.
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
    fn makes_what_does_not_overlap() {
        let fixes = [fix(&[(6, 7, "G")]), fix(&[(0, 1, "A"), (3, 3, "-")]), fix(&[(1, 2, "B")]), fix(&[])];
        assert_eq!(apply_fixes("abcdefg", &fixes), FixedText { text: "Abc-defG".to_owned(), count: 2 });
    }

    #[test]
    fn leaves_out_what_does_not_fit() {
        let fixes = [fix(&[(1, 2, "x")]), fix(&[(9, 12, "x")]), fix(&[(3, 4, "c")])];
        assert_eq!(apply_fixes("éab", &fixes), FixedText { text: "éac".to_owned(), count: 1 });
    }

    proptest! {
        #[test]
        fn keeps_all_bytes_outside(text in "[a-zé]{0,30}", edits in prop::collection::vec((0usize..40, 0usize..5, "[A-Z]{0,3}"), 0..6)) {
            let fixes: Vec<Fix> = edits.iter().map(|(at, length, new)| fix(&[(*at, at + length, new)])).collect();
            let mended = apply_fixes(&text, &fixes).text;
            let made: Vec<&Fix> = fixes.iter().filter(|f| apply_edits(&text, &f.edits).is_some()).collect();
            let inside = |at: usize| made.iter().any(|f| f.edits[0].span.range().contains(&at));
            let kept: String = text.char_indices().filter(|(at, _)| !inside(*at)).map(|(_, c)| c).collect();
            let mut rest = mended.chars();
            prop_assert!(kept.chars().all(|c| rest.any(|other| other == c)), "{text:?} {fixes:?} {mended:?}");
        }
    }
}
