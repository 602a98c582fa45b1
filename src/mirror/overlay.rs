//! `overlays/<tool>/skills/<name>/…`: what one tool has in the place of a skill's files, or beside them.

use super::document::{DocumentError, render};
use super::frontmatter_merge::{OverlayKind, overlay_kind};
use super::tool_names::{UnknownTool, tool};
use crate::canon::inventory::is_skill_document;
use crate::config::{Target, closest_match};
use crate::syntax::RepoPath;
use gix::bstr::{BStr, BString, ByteSlice};
use std::collections::{BTreeMap, BTreeSet};

/// Where a file of an overlay belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlaySlot {
    /// The target.
    pub target: Target,
    /// The name of the skill's folder.
    pub skill: BString,
    /// The path below it.
    pub below: BString,
}

/// Why an overlay does nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusedOverlay {
    /// There is no such tool.
    #[error("{0}")]
    UnknownTool(UnknownTool),
    /// The tool has no mirror.
    #[error("`{}` is not among the targets, so that this overlay does nothing", .target.name())]
    NotATarget {
        /// The tool.
        target: Target,
    },
    /// There is no such skill.
    #[error("no skill has the name `{name}`, so that this overlay does nothing{}", meant(.close))]
    NoSkill {
        /// The name.
        name: String,
        /// The name that is most likely meant.
        close: Option<String>,
    },
    /// The skill is a link, and what it leads to is not the canon's.
    #[error("the skill `{name}` is a link, which an overlay cannot change")]
    LinkedSkill {
        /// The name.
        name: String,
    },
    /// It lies where nothing is looked for.
    #[error("overlays lie in <tool>/skills/<name>/; here nothing is looked for")]
    UnexpectedLocation,
}

fn meant(close: &Option<String>) -> String {
    close.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The skills that an overlay may be for, by the names of their folders.
#[derive(Clone, Debug, Default)]
pub struct SkillNames {
    /// Folders.
    pub folders: BTreeSet<BString>,
    /// Links that stand for a skill.
    pub links: BTreeSet<BString>,
}

/// Where a file below `root`, the folder of all overlays, belongs.
///
/// # Errors
/// It belongs nowhere; nothing is said of files that lie in the folder of all overlays, or of a tool, as a note may.
pub fn parse_overlay_path(path: &RepoPath, root: &RepoPath) -> Result<OverlaySlot, Option<UnusedOverlay>> {
    let below = path.below(root).ok_or(None)?;
    let parts: Vec<&[u8]> = below.splitn(4, |byte| *byte == b'/').collect();
    let [tool_name, rest @ ..] = parts.as_slice() else { return Err(None) };
    if rest.is_empty() {
        return Err(None);
    }
    let name = tool_name.to_str_lossy();
    let target =
        tool(&name).ok_or_else(|| Some(UnusedOverlay::UnknownTool(UnknownTool { name: name.into_owned() })))?;
    match rest {
        [b"skills", skill, below] => Ok(OverlaySlot { target, skill: (*skill).into(), below: (*below).into() }),
        [_] => Err(None),
        _ => Err(Some(UnusedOverlay::UnexpectedLocation)),
    }
}

/// Why a slot does nothing; nothing where it does something.
pub fn unused_reason(slot: &OverlaySlot, targets: &[Target], names: &SkillNames) -> Option<UnusedOverlay> {
    let name = || slot.skill.to_str_lossy().into_owned();
    match () {
        () if !targets.contains(&slot.target) => Some(UnusedOverlay::NotATarget { target: slot.target }),
        () if names.folders.contains(&slot.skill) => None,
        () if names.links.contains(&slot.skill) => Some(UnusedOverlay::LinkedSkill { name: name() }),
        () => {
            let known: Vec<String> = names.folders.iter().map(|known| known.to_str_lossy().into_owned()).collect();
            let close = closest_match(&name(), known.iter().map(String::as_str)).map(str::to_owned);
            Some(UnusedOverlay::NoSkill { name: name(), close })
        }
    }
}

/// The overlays below `root` that do nothing, each by its folder.
pub fn unused_overlays<'p>(
    paths: impl IntoIterator<Item = &'p RepoPath>,
    root: &RepoPath,
    targets: &[Target],
    names: &SkillNames,
) -> BTreeMap<RepoPath, UnusedOverlay> {
    let mut found = BTreeMap::new();
    for path in paths {
        let why = match parse_overlay_path(path, root) {
            Ok(slot) => unused_reason(&slot, targets, names),
            Err(why) => why,
        };
        let Some(why) = why else { continue };
        let depth = if matches!(why, UnusedOverlay::UnknownTool(_) | UnusedOverlay::NotATarget { .. }) { 1 } else { 3 };
        found.entry(folder(path, root, depth)).or_insert(why);
    }
    found
}

/// The folder that many levels below `root`, or the file itself where it lies higher.
fn folder(path: &RepoPath, root: &RepoPath, depth: usize) -> RepoPath {
    let below = path.below(root).unwrap_or_default();
    below.split(|byte| *byte == b'/').take(depth).fold(root.clone(), |folder, part| folder.join(part))
}

/// How an overlay's document is used.
pub enum OverlayUse<'a> {
    /// Its keys are merged into the skill's document.
    Keys {
        /// The skill's.
        document: &'a [u8],
    },
    /// It stands in its place.
    Whole,
}

/// How an overlay's document is used, given the skill's.
///
/// # Errors
/// It is empty, has no end, or has keys for a document that the skill does not have.
pub fn overlay_use<'a>(overlay: &[u8], document: Option<&'a [u8]>) -> Result<OverlayUse<'a>, String> {
    match (overlay_kind(overlay).map_err(|fault| fault.to_string())?, document) {
        (OverlayKind::Whole, _) => Ok(OverlayUse::Whole),
        (OverlayKind::Keys, Some(document)) => Ok(OverlayUse::Keys { document }),
        (OverlayKind::Keys, None) => Err("the skill has no such file to merge its keys into".to_owned()),
    }
}

/// Why an overlay's document cannot be used, for `check`.
pub fn document_fault(overlay: &[u8], document: Option<&[u8]>, target: Target) -> Option<String> {
    let made = match overlay_use(overlay, document) {
        Err(words) => return Some(words),
        Ok(OverlayUse::Whole) => render(overlay, None, target),
        Ok(OverlayUse::Keys { document }) => render(document, Some(overlay), target),
    };
    match made {
        // The document's own comments and names are told where they stand.
        Err(DocumentError::Section { .. } | DocumentError::Target { .. }) if is_whole(overlay) => {
            made.err().map(|fault| fault.to_string())
        }
        Err(fault @ (DocumentError::Keys(_) | DocumentError::NotText)) => Some(fault.to_string()),
        _ => None,
    }
}

fn is_whole(overlay: &[u8]) -> bool {
    overlay_kind(overlay) == Ok(OverlayKind::Whole)
}

/// Whether a path below a skill's folder is that of a document.
pub fn is_document(below: &BStr) -> bool {
    is_skill_document(&RepoPath::new(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_where_a_file_belongs_and_why_it_does_nothing() {
        let names = SkillNames { folders: ["notes".into(), "deep".into()].into(), links: ["linked".into()].into() };
        let targets = [Target::Claude, Target::Agents];
        let root = RepoPath::from("agent/overlays");
        for (path, want) in [
            ("README.md", None),
            ("claude/README.md", None),
            ("claude/skills/notes/SKILL.md", None),
            ("agents/skills/deep/a/b.md", None),
            ("claud/skills/notes/SKILL.md", Some(("claud", "there is no tool `claud`; did you mean `claude`?"))),
            ("cursor/skills/notes/SKILL.md", Some(("cursor", "`cursor` is not among the targets"))),
            (
                "claude/skills/note/SKILL.md",
                Some((
                    "claude/skills/note",
                    "no skill has the name `note`, so that this overlay does nothing; did you mean `notes`?",
                )),
            ),
            ("claude/skills/linked/SKILL.md", Some(("claude/skills/linked", "the skill `linked` is a link"))),
            ("claude/skills/SKILL.md", Some(("claude/skills/SKILL.md", "overlays lie in"))),
            ("claude/commands/x/y.md", Some(("claude/commands/x", "overlays lie in"))),
        ] {
            let path = root.join(path);
            let found = unused_overlays([&path], &root, &targets, &names);
            let found: Vec<(String, String)> =
                found.into_iter().map(|(path, why)| (path.to_string(), why.to_string())).collect();
            match want {
                None => assert_eq!(found, []),
                Some((folder, words)) => {
                    assert_eq!(found[0].0, root.join(folder).to_string());
                    assert!(found[0].1.starts_with(words), "{found:?}");
                }
            }
        }
        let deep = parse_overlay_path(&root.join("agents/skills/deep/a/b.md"), &root);
        assert_eq!(deep, Ok(OverlaySlot { target: Target::Agents, skill: "deep".into(), below: "a/b.md".into() }));
    }

    #[test]
    fn tells_why_a_document_is_of_no_use() {
        let skill = Some(&b"---\nname: a\n---\nx\n"[..]);
        for (overlay, document, fault) in [
            ("---\nmodel: x\n---\n", skill, None),
            ("# whole\n", None, None),
            ("---\nmodel: x\n---\n", None, Some("the skill has no such file")),
            ("---\nmodel: x\n", skill, Some("its frontmatter has no end")),
            ("---\na: b: c\n---\n", skill, Some("its frontmatter cannot be merged")),
            ("# whole\n<!-- canonry: end -->\n", skill, Some("line 2: nothing that this could be the end of")),
        ] {
            let said = document_fault(overlay.as_bytes(), document, Target::Claude);
            assert_eq!(said.is_some(), fault.is_some(), "{overlay}: {said:?}");
            assert!(said.unwrap_or_default().starts_with(fault.unwrap_or_default()), "{overlay}");
        }
    }
}
