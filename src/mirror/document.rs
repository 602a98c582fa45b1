//! What a tool's copy of a SKILL.md holds: keys of an overlay merged, parts for other tools left out.
//!
//! What comes out for a tool gives the same again for it. So of what sync once wrote for a tool nothing needs to be read:
//! where the canon holds just that, it is copied.

use super::frontmatter_merge::{KeyMergeError, merge_keys, text_at};
use super::merge::{MergeLabels, MergeSides, merge};
use super::sections::{MARK, SectionError, SectionErrorKind, Sections};
use super::tool_names::{Named, UnknownTool, named};
use crate::config::Target;
use crate::syntax::Span;
use gix::bstr::ByteSlice;

/// The key below `metadata` that names the tools a skill is for.
pub const TARGETS_KEY: &str = "canonry-targets";

/// What a tool gets of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rendered {
    /// The document as it is.
    Unchanged,
    /// This text.
    Text(String),
    /// Nothing: its frontmatter says that it is for others.
    Excluded,
}

/// Why nobody knows what a tool should get.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// A comment around a part.
    #[error("line {line}: {fault}")]
    Section {
        /// From 1.
        line: usize,
        /// What is wrong.
        fault: SectionErrorKind,
    },
    /// A name in the frontmatter.
    #[error("line {line}: {unknown}")]
    Target {
        /// From 1.
        line: usize,
        /// The name.
        unknown: UnknownTool,
    },
    /// Without the parts for other tools it would read as something else.
    #[error(
        "without its parts for other tools the Markdown around them would read otherwise; set the comments apart with blank lines"
    )]
    Unstable,
    /// An overlay's keys.
    #[error("{0}")]
    Keys(#[from] KeyMergeError),
    /// An overlay's keys, and a document that is no text.
    #[error("it is not UTF-8, so that no keys can be merged into it")]
    NotText,
}

/// Whether a document may be anything but copied; where not, its text says so at a glance.
pub fn may_render_differently(document: &[u8]) -> bool {
    document.contains_str(MARK) || document.contains_str(TARGETS_KEY)
}

/// What a tool gets of a document, with an overlay's keys where there are any.
///
/// # Errors
/// See [`DocumentError`].
pub fn render(document: &[u8], overlay: Option<&[u8]>, target: Target) -> Result<Rendered, DocumentError> {
    if overlay.is_none() && !may_render_differently(document) {
        return Ok(Rendered::Unchanged);
    }
    let text = match (std::str::from_utf8(document), overlay) {
        (Ok(text), _) => text,
        (Err(_), None) => return Ok(Rendered::Unchanged),
        (Err(_), Some(_)) => return Err(DocumentError::NotText),
    };
    let merged = match overlay.map(std::str::from_utf8) {
        None => None,
        Some(Ok(overlay)) => Some(merge_keys(text, overlay)?),
        Some(Err(_)) => return Err(DocumentError::NotText),
    };
    let whole = merged.as_deref().unwrap_or(text);
    if !admits(whole, target)? {
        return Ok(Rendered::Excluded);
    }
    let sections = Sections::parse(whole);
    if let Some(SectionError { span, fault }) = sections.problems.into_iter().next() {
        return Err(DocumentError::Section { line: line(whole, span), fault });
    }
    let rest = Sections { problems: Vec::new(), ..sections }.without(whole, target);
    if let Some(rest) = &rest {
        let again = Sections::parse(rest);
        if !again.problems.is_empty() || again.without(rest, target).is_some() {
            return Err(DocumentError::Unstable);
        }
    }
    let made = rest.or(merged).filter(|made| made != text);
    Ok(made.map_or(Rendered::Unchanged, Rendered::Text))
}

/// Whether a document, as it is, is what a tool gets of it.
pub fn renders_unchanged(document: &[u8], target: Target) -> bool {
    render(document, None, target) == Ok(Rendered::Unchanged)
}

/// The names of no tool in a document's frontmatter.
pub fn unknown_targets(text: &str) -> Vec<(Span, UnknownTool)> {
    declared_targets(text).map(|(_, unknown)| unknown).unwrap_or_default()
}

/// The tools that a document's frontmatter says it is for; `None` where it says nothing of the kind.
pub fn declared_targets(text: &str) -> Option<Named> {
    if !text.contains(TARGETS_KEY) {
        return None;
    }
    let (list, span) = text_at(text, ["metadata", TARGETS_KEY])?;
    let (tools, unknown) = named(&list);
    // Behind an escape nobody can point into the text.
    let at = text[span.range()].find(&list).map(|at| span.offset + at);
    let place = |of: Span| at.map_or(span, |at| of.shifted(at));
    Some((tools, unknown.into_iter().map(|(of, unknown)| (place(of), unknown)).collect()))
}

fn admits(text: &str, target: Target) -> Result<bool, DocumentError> {
    let Some((tools, unknown)) = declared_targets(text) else { return Ok(true) };
    match unknown.into_iter().next() {
        Some((span, unknown)) => Err(DocumentError::Target { line: line(text, span), unknown }),
        None => Ok(tools.contains(&target)),
    }
}

fn line(text: &str, span: Span) -> usize {
    1 + text[..span.offset].bytes().filter(|byte| *byte == b'\n').count()
}

/// A document's copy for a tool, from which an edit is to be taken back.
pub struct RenderInput<'a> {
    /// The document.
    pub document: &'a [u8],
    /// An overlay whose keys are merged into it.
    pub overlay: Option<&'a [u8]>,
    /// The tool.
    pub target: Target,
}

/// A copy as sync wrote it, and as someone left it.
pub struct EditedCopy<'a> {
    /// As it was written.
    pub written: &'a [u8],
    /// As it is now.
    pub now: &'a [u8],
}

/// Why an edit of a copy cannot be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReverseMergeError {
    /// The document changed in the same lines: these.
    Conflict(String),
    /// It is no text.
    NotText,
    /// The document with the edit would not give the copy with the edit.
    ToolSpecific,
}

/// The document with the edit of its copy in it. The copy that is then made of it holds all of the edit, and nothing
/// else that the document did not give before.
///
/// # Errors
/// See [`ReverseMergeError`].
pub fn reverse_merge(
    recipe: &RenderInput<'_>,
    edited: &EditedCopy<'_>,
    names: &MergeLabels<'_>,
) -> Result<Vec<u8>, ReverseMergeError> {
    let merge = |canon: &[u8]| {
        let sides = MergeSides { base: edited.written, canon, mirror: edited.now };
        merge(&sides, names).map_err(|lines| lines.map_or(ReverseMergeError::NotText, ReverseMergeError::Conflict))
    };
    let copy = |document: &[u8]| match render(document, recipe.overlay, recipe.target) {
        Ok(Rendered::Unchanged) => Some(document.to_vec()),
        Ok(Rendered::Text(text)) => Some(text.into_bytes()),
        Ok(Rendered::Excluded) | Err(_) => None,
    };
    let before = copy(recipe.document).ok_or(ReverseMergeError::ToolSpecific)?;
    let wanted = merge(&before)?;
    let document = merge(recipe.document).map_err(|stays| match stays {
        // Where the copy takes the edit, what is in its way is not in the copy.
        ReverseMergeError::Conflict(_) => ReverseMergeError::ToolSpecific,
        stays => stays,
    })?;
    if copy(&document).as_ref() == Some(&wanted) { Ok(document) } else { Err(ReverseMergeError::ToolSpecific) }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
