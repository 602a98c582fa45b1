//! Overlays: `overlays/<tool>/skills/<name>/…` holds files that replace or extend a skill for one tool.

use super::document::{MirrorDocumentError, Rendered, render};
use super::frontmatter_merge::{KeyMergeError, OverlayKind, overlay_kind};
use super::tool_names::{UnknownTool, tool};
use bstr::{BStr, BString, ByteSlice};
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::config::Target;
use canonry_text::RepoPath;
use canonry_text::closest_match;
use std::collections::{BTreeMap, BTreeSet};

/// The skill file that an overlay file belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlaySlot {
    pub target: Target,
    /// The folder name of the skill.
    pub skill: BString,
    /// The path below the folder.
    pub below: BString,
}

/// Why an overlay has no effect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusedOverlay {
    #[error("{0}")]
    UnknownTool(UnknownTool),
    #[error("`{}` is not among the targets, so this overlay has no effect", .target.name())]
    NotATarget { target: Target },
    #[error("no skill is named `{name}`, so this overlay has no effect{}", suggestion(.close))]
    NoSkill {
        name: String,
        /// A similar name.
        close: Option<String>,
    },
    /// The content of a linked skill is not part of the canon.
    #[error("the skill `{name}` is a link, which an overlay cannot change")]
    LinkedSkill { name: String },
    #[error("overlays belong in <tool>/skills/<name>/; files here have no effect")]
    UnexpectedLocation,
}

fn suggestion(close: &Option<String>) -> String {
    close.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The folder names of the skills that overlays can refer to.
#[derive(Clone, Debug, Default)]
pub struct SkillNames {
    pub folders: BTreeSet<BString>,
    /// Links in place of a skill.
    pub links: BTreeSet<BString>,
}

/// Returns the skill file that a file below `root`, the folder of all overlays, belongs to; `configured` are the targets
/// of the config.
///
/// # Errors
/// The file has no effect; `None` for files that need no report, such as notes at the root or in the folder of a tool.
pub fn parse_overlay_path(
    path: &RepoPath,
    root: &RepoPath,
    configured: &[Target],
) -> Result<OverlaySlot, Option<UnusedOverlay>> {
    let below = path.below(root).ok_or(None)?;
    let parts: Vec<&[u8]> = below.splitn(4, |byte| *byte == b'/').collect();
    let [tool_name, rest @ ..] = parts.as_slice() else { return Err(None) };
    if rest.is_empty() {
        return Err(None);
    }
    let name = tool_name.to_str_lossy();
    let target = tool(&name, configured)
        .ok_or_else(|| Some(UnusedOverlay::UnknownTool(UnknownTool { name: name.into_owned() })))?;
    match rest {
        [b"skills", skill, below] => Ok(OverlaySlot { target, skill: (*skill).into(), below: (*below).into() }),
        [_] => Err(None),
        _ => Err(Some(UnusedOverlay::UnexpectedLocation)),
    }
}

/// Returns why an overlay file has no effect; `None` if it has one.
pub fn unused_reason(slot: &OverlaySlot, targets: &[Target], names: &SkillNames) -> Option<UnusedOverlay> {
    let name = || slot.skill.to_str_lossy().into_owned();
    if !targets.contains(&slot.target) {
        Some(UnusedOverlay::NotATarget { target: slot.target })
    } else if names.folders.contains(&slot.skill) {
        None
    } else if names.links.contains(&slot.skill) {
        Some(UnusedOverlay::LinkedSkill { name: name() })
    } else {
        let known: Vec<String> = names.folders.iter().map(|known| known.to_str_lossy().into_owned()).collect();
        let close = closest_match(&name(), known.iter().map(String::as_str)).map(str::to_owned);
        Some(UnusedOverlay::NoSkill { name: name(), close })
    }
}

/// Lists the overlays below `root` that have no effect, each by its folder.
pub fn unused_overlays<'p>(
    paths: impl IntoIterator<Item = &'p RepoPath>,
    root: &RepoPath,
    targets: &[Target],
    names: &SkillNames,
) -> BTreeMap<RepoPath, UnusedOverlay> {
    let mut found = BTreeMap::new();
    for path in paths {
        let reason = match parse_overlay_path(path, root, targets) {
            Ok(slot) => unused_reason(&slot, targets, names),
            Err(reason) => reason,
        };
        let Some(reason) = reason else { continue };
        let is_tool = matches!(reason, UnusedOverlay::UnknownTool(_) | UnusedOverlay::NotATarget { .. });
        let depth = if is_tool { 1 } else { 3 };
        found.entry(ancestor_below(path, root, depth)).or_insert(reason);
    }
    found
}

/// Returns the ancestor of `path` that is `depth` levels below `root`, or `path` itself if it is higher.
fn ancestor_below(path: &RepoPath, root: &RepoPath, depth: usize) -> RepoPath {
    let below = path.below(root).unwrap_or_default();
    below.split(|byte| *byte == b'/').take(depth).fold(root.clone(), |folder, part| folder.join(part))
}

/// Use of an overlay's document for the document of the skill.
pub enum OverlayUse<'a> {
    /// Its keys are merged into this document.
    Keys { document: &'a [u8] },
    /// It replaces the document.
    Whole,
}

/// Why an overlay's document cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverlayDocumentError {
    #[error("{0}")]
    Keys(#[from] KeyMergeError),
    /// The overlay has only keys, but the skill does not have the document.
    #[error("the skill has no such file to merge its keys into")]
    NoDocument,
    #[error("{0}")]
    Render(MirrorDocumentError),
}

/// Returns how an overlay's document applies to the document of the skill.
///
/// # Errors
/// It is empty, its frontmatter is not closed, or it has keys for a document that the skill does not have.
pub fn overlay_use<'a>(overlay: &[u8], document: Option<&'a [u8]>) -> Result<OverlayUse<'a>, OverlayDocumentError> {
    match (overlay_kind(overlay)?, document) {
        (OverlayKind::Whole, _) => Ok(OverlayUse::Whole),
        (OverlayKind::Keys, Some(document)) => Ok(OverlayUse::Keys { document }),
        (OverlayKind::Keys, None) => Err(OverlayDocumentError::NoDocument),
    }
}

/// Checks that an overlay's document can be used.
///
/// # Errors
/// See [`OverlayDocumentError`]. Problems of the skill's own document are not reported here.
pub fn check_overlay_document(
    overlay: &[u8],
    document: Option<&[u8]>,
    target: Target,
    configured: &[Target],
) -> Result<(), OverlayDocumentError> {
    let is_whole = || overlay_kind(overlay) == Ok(OverlayKind::Whole);
    let rendered: Result<Rendered, MirrorDocumentError> = match overlay_use(overlay, document)? {
        OverlayUse::Whole => render(overlay, None, target, configured),
        OverlayUse::Keys { document } => render(document, Some(overlay), target, configured),
    };
    match rendered {
        Err(error @ (MirrorDocumentError::Section { .. } | MirrorDocumentError::Target { .. })) if is_whole() => {
            Err(OverlayDocumentError::Render(error))
        }
        Err(error @ (MirrorDocumentError::Keys(_) | MirrorDocumentError::NotText)) => {
            Err(OverlayDocumentError::Render(error))
        }
        _ => Ok(()),
    }
}

/// Checks whether a path below the folder of a skill is that of a document.
pub fn is_document(below: &BStr) -> bool {
    is_skill_document(&RepoPath::new(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_overlay_paths_and_reports_unused_overlays() {
        let names = SkillNames { folders: ["notes".into(), "deep".into()].into(), links: ["linked".into()].into() };
        let targets = [Target::CLAUDE, Target::AGENTS];
        let root = RepoPath::from("agent/overlays");
        for (path, want) in [
            ("README.md", None),
            ("claude/README.md", None),
            ("claude/skills/notes/SKILL.md", None),
            ("agents/skills/deep/a/b.md", None),
            ("claud/skills/notes/SKILL.md", Some(("claud", "unknown tool `claud`; did you mean `claude`?"))),
            ("cursor/skills/notes/SKILL.md", Some(("cursor", "`cursor` is not among the targets"))),
            (
                "claude/skills/note/SKILL.md",
                Some((
                    "claude/skills/note",
                    "no skill is named `note`, so this overlay has no effect; did you mean `notes`?",
                )),
            ),
            ("claude/skills/linked/SKILL.md", Some(("claude/skills/linked", "the skill `linked` is a link"))),
            ("claude/skills/SKILL.md", Some(("claude/skills/SKILL.md", "overlays belong in"))),
            ("claude/commands/x/y.md", Some(("claude/commands/x", "overlays belong in"))),
        ] {
            let path = root.join(path);
            let found = unused_overlays([&path], &root, &targets, &names);
            let found: Vec<(String, String)> =
                found.into_iter().map(|(path, reason)| (path.to_string(), reason.to_string())).collect();
            match want {
                None => assert_eq!(found, []),
                Some((folder, words)) => {
                    assert_eq!(found[0].0, root.join(folder).to_string());
                    assert!(found[0].1.starts_with(words), "{found:?}");
                }
            }
        }
        let deep = parse_overlay_path(&root.join("agents/skills/deep/a/b.md"), &root, &[]);
        assert_eq!(deep, Ok(OverlaySlot { target: Target::AGENTS, skill: "deep".into(), below: "a/b.md".into() }));
    }

    #[test]
    fn reports_unusable_documents() {
        let skill = Some(&b"---\nname: a\n---\nx\n"[..]);
        for (overlay, document, expected) in [
            ("---\nmodel: x\n---\n", skill, None),
            ("# whole\n", None, None),
            ("---\nmodel: x\n---\n", None, Some("the skill has no such file")),
            ("---\nmodel: x\n", skill, Some("its frontmatter is not closed")),
            ("---\na: b: c\n---\n", skill, Some("its frontmatter cannot be merged")),
            ("# whole\n<!-- canonry: end -->\n", skill, Some("line 2: this `end` has no matching start")),
        ] {
            let error = check_overlay_document(overlay.as_bytes(), document, Target::CLAUDE, &[]).err();
            assert_eq!(error.is_some(), expected.is_some(), "{overlay}: {error:?}");
            let message = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(message.starts_with(expected.unwrap_or_default()), "{overlay}");
        }
    }
}
