//! Renders a SKILL.md for a target: merges overlay keys and removes sections for other tools.
//!
//! Rendering a rendered document again does not change it. So if the canon holds exactly what sync once wrote for a tool,
//! the file can be copied without being read.

use super::frontmatter_merge::{KeyMergeError, merge_keys, text_at};
use super::merge::{MergeError, MergeLabels, MergeSides, merge};
use super::sections::{MARK, SectionError, SectionErrorKind, Sections};
use super::tool_names::{ToolList, UnknownTool};
use bstr::ByteSlice;
use canonry_model::config::Target;
use canonry_text::Span;

/// The key below `metadata` that names the tools a skill is for.
pub const TARGETS_KEY: &str = "canonry-targets";

/// The form of a document for a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rendered {
    /// The document as it is.
    Unchanged,
    Text(String),
    /// Nothing, because the frontmatter names other tools.
    Excluded,
}

/// Why a document cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MirrorDocumentError {
    #[error("line {line}: {kind}")]
    Section { line: usize, kind: SectionErrorKind },
    #[error("line {line}: {unknown}")]
    Target { line: usize, unknown: UnknownTool },
    /// Without its sections for other tools, the Markdown would be parsed differently.
    #[error(
        "removing the sections for other tools changes the Markdown around them; add blank lines around the comments"
    )]
    Unstable,
    #[error("{0}")]
    Keys(#[from] KeyMergeError),
    #[error("it is not UTF-8, so no keys can be merged into it")]
    NotText,
}

/// Checks quickly whether a document might render differently for some tool.
pub fn may_render_differently(document: &[u8]) -> bool {
    document.contains_str(MARK) || document.contains_str(TARGETS_KEY)
}

/// Renders a document for a tool, with the keys of an overlay; `configured` are the targets of the config.
///
/// # Errors
/// See [`MirrorDocumentError`].
pub fn render(
    document: &[u8],
    overlay: Option<&[u8]>,
    target: Target,
    configured: &[Target],
) -> Result<Rendered, MirrorDocumentError> {
    if overlay.is_none() && !may_render_differently(document) {
        return Ok(Rendered::Unchanged);
    }
    let text = match (std::str::from_utf8(document), overlay) {
        (Ok(text), _) => text,
        (Err(_), None) => return Ok(Rendered::Unchanged),
        (Err(_), Some(_)) => return Err(MirrorDocumentError::NotText),
    };
    let merged = match overlay.map(std::str::from_utf8) {
        None => None,
        Some(Ok(overlay)) => Some(merge_keys(text, overlay)?),
        Some(Err(_)) => return Err(MirrorDocumentError::NotText),
    };
    let whole = merged.as_deref().unwrap_or(text);
    if !is_for(whole, target, configured)? {
        return Ok(Rendered::Excluded);
    }
    let sections = Sections::parse(whole, configured);
    if let Some(SectionError { span, kind }) = sections.errors.into_iter().next() {
        return Err(MirrorDocumentError::Section { line: line(whole, span), kind });
    }
    let rest = Sections { errors: Vec::new(), ..sections }.without(whole, target);
    if let Some(rest) = &rest {
        let again = Sections::parse(rest, configured);
        if !again.errors.is_empty() || again.without(rest, target).is_some() {
            return Err(MirrorDocumentError::Unstable);
        }
    }
    let rendered = rest.or(merged).filter(|rendered| rendered != text);
    Ok(rendered.map_or(Rendered::Unchanged, Rendered::Text))
}

/// Checks whether a tool gets a document exactly as it is.
pub fn renders_unchanged(document: &[u8], target: Target, configured: &[Target]) -> bool {
    render(document, None, target, configured) == Ok(Rendered::Unchanged)
}

/// Lists the unknown tool names in a document's frontmatter.
pub fn unknown_targets(text: &str, configured: &[Target]) -> Vec<(Span, UnknownTool)> {
    declared_targets(text, configured).map(|list| list.unknown).unwrap_or_default()
}

/// Returns the tools that a document's frontmatter declares; `None` if it declares none.
pub fn declared_targets(text: &str, configured: &[Target]) -> Option<ToolList> {
    if !text.contains(TARGETS_KEY) {
        return None;
    }
    let (list, span) = text_at(text, ["metadata", TARGETS_KEY])?;
    let ToolList { tools, unknown } = ToolList::parse(&list, configured);
    // The offset of a name is unknown if the YAML string contains escapes; then the span covers the whole value.
    let start = text[span.range()].find(&list).map(|at| span.offset + at);
    let in_text = |name: Span| start.map_or(span, |start| name.shifted(start));
    Some(ToolList { tools, unknown: unknown.into_iter().map(|(name, unknown)| (in_text(name), unknown)).collect() })
}

fn is_for(text: &str, target: Target, configured: &[Target]) -> Result<bool, MirrorDocumentError> {
    let Some(list) = declared_targets(text, configured) else { return Ok(true) };
    match list.unknown.into_iter().next() {
        Some((span, unknown)) => Err(MirrorDocumentError::Target { line: line(text, span), unknown }),
        None => Ok(list.tools.contains(&target)),
    }
}

fn line(text: &str, span: Span) -> usize {
    1 + text[..span.offset].bytes().filter(|byte| *byte == b'\n').count()
}

/// The inputs of a rendered document, for merging back an edit of the result.
pub struct RenderInput<'a> {
    pub document: &'a [u8],
    /// The overlay whose keys are merged into the document.
    pub overlay: Option<&'a [u8]>,
    pub target: Target,
    /// The targets of the config.
    pub configured: &'a [Target],
}

/// A copy as sync wrote it and as it is now.
pub struct EditedCopy<'a> {
    pub written: &'a [u8],
    pub now: &'a [u8],
}

/// Merges an edit of a copy back into its document. Rendering the result produces the copy with the edit and no other
/// change.
///
/// # Errors
/// See [`MergeError`].
pub fn reverse_merge(
    input: &RenderInput<'_>,
    edited: &EditedCopy<'_>,
    labels: &MergeLabels<'_>,
) -> Result<Vec<u8>, MergeError> {
    let merge = |canon: &[u8]| {
        let sides = MergeSides { base: edited.written, canon, mirror: edited.now };
        merge(&sides, labels)
    };
    let copy = |document: &[u8]| match render(document, input.overlay, input.target, input.configured) {
        Ok(Rendered::Unchanged) => Some(document.to_vec()),
        Ok(Rendered::Text(text)) => Some(text.into_bytes()),
        Ok(Rendered::Excluded) | Err(_) => None,
    };
    let before = copy(input.document).ok_or(MergeError::ToolSpecific)?;
    let wanted = merge(&before)?;
    let document = merge(input.document).map_err(|error| match error {
        // The copy accepts the edit, so the conflicting lines are not part of the copy.
        MergeError::Conflict(_) => MergeError::ToolSpecific,
        error => error,
    })?;
    if copy(&document).as_ref() == Some(&wanted) { Ok(document) } else { Err(MergeError::ToolSpecific) }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
