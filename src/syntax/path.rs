//! Paths inside a repository.

use gix::bstr::{BStr, BString, ByteSlice};
use std::fmt;
use std::sync::Arc;

/// A path relative to the top of the repository, separated by `/`, without a leading or trailing `/`.
///
/// Bytes, because git's paths are bytes; shown with [`fmt::Display`], which escapes what would break a line. A clone
/// shares them: a file of the canon is named by all its mirrors.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

impl Default for RepoPath {
    fn default() -> Self {
        Self(Arc::from(&b""[..]))
    }
}

impl RepoPath {
    /// Takes bytes that are separated by `/`; edge slashes and `.` components are dropped, `..` is kept.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        if is_plain(bytes) {
            return Self(bytes.into());
        }
        let plain = |part: &&[u8]| !part.is_empty() && *part != b".";
        let parts: Vec<&[u8]> = bytes.split_str("/").filter(plain).collect();
        Self(gix::bstr::join("/", parts).into())
    }

    /// The bytes.
    pub fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    /// Whether this is the top of the repository.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The last component; empty for the top.
    pub fn file_name(&self) -> &BStr {
        match self.0.rfind_byte(b'/') {
            Some(at) => self.0[at + 1..].as_bstr(),
            None => self.0.as_bstr(),
        }
    }

    /// The last component as text, with replacement characters where it is not UTF-8.
    pub fn file_name_lossy(&self) -> String {
        self.file_name().to_str_lossy().into_owned()
    }

    /// All but the last component; `None` for the top.
    pub fn parent(&self) -> Option<RepoPath> {
        if self.0.is_empty() {
            return None;
        }
        Some(match self.0.rfind_byte(b'/') {
            Some(at) => Self(self.0[..at].into()),
            None => Self::default(),
        })
    }

    /// This path with `below` appended.
    pub fn join(&self, below: impl AsRef<[u8]>) -> RepoPath {
        let below = below.as_ref();
        if self.0.is_empty() {
            return Self::new(below);
        }
        let mut joined = Vec::with_capacity(self.0.len() + 1 + below.len());
        joined.extend_from_slice(&self.0);
        joined.push(b'/');
        joined.extend_from_slice(below);
        Self::new(joined)
    }

    /// What is left below `folder`, or `None` where this path is not below it. The path itself gives `""`.
    pub fn below(&self, folder: &RepoPath) -> Option<&BStr> {
        if folder.is_empty() {
            return Some(self.as_bstr());
        }
        let rest = self.0.strip_prefix(&*folder.0)?;
        match rest.first() {
            None => Some(rest.as_bstr()),
            Some(b'/') => Some(rest[1..].as_bstr()),
            Some(_) => None,
        }
    }

    /// Whether this path is `folder` or lies below it.
    pub fn is_within(&self, folder: &RepoPath) -> bool {
        self.below(folder).is_some()
    }

    /// The components from the top.
    pub fn components(&self) -> impl Iterator<Item = &BStr> {
        self.0.split_str("/").filter(|part| !part.is_empty()).map(ByteSlice::as_bstr)
    }

    /// `target`, as a link in `self`'s folder names it, resolved by its text alone.
    /// `None` where it is absolute or climbs above the top of the repository.
    pub fn resolve_beside(&self, target: &[u8]) -> Option<RepoPath> {
        if target.starts_with(b"/") {
            return None;
        }
        let mut parts: Vec<&[u8]> = Vec::new();
        let parent = self.parent()?;
        let here = parent.components().map(|part| part.as_bytes());
        for part in here.chain(target.split_str("/")) {
            match part {
                b"" | b"." => {}
                b".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        Some(Self(gix::bstr::join("/", parts).into()))
    }

    /// The relative path that names `self` from inside `folder`, as a link there would hold it.
    pub fn relative_to(&self, folder: &RepoPath) -> BString {
        let to: Vec<&BStr> = self.components().collect();
        let from: Vec<&BStr> = folder.components().collect();
        let same = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
        let ups = std::iter::repeat_n(b"..".as_slice(), from.len() - same);
        let downs = to[same..].iter().map(|part| part.as_bytes());
        BString::from(gix::bstr::join("/", ups.chain(downs)))
    }

    /// Whether a byte would break a line of a list, such as a newline.
    pub fn has_control_bytes(&self) -> bool {
        self.0.iter().any(|b| b.is_ascii_control())
    }

    /// For JSON and messages: replacement characters for what is not UTF-8, `\n`-style escapes for control characters.
    pub fn to_display(&self) -> String {
        let text = self.0.to_str_lossy();
        if !text.contains(char::is_control) {
            return text.into_owned();
        }
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
    }
}

/// Whether no component is empty or `.`, as in all that git lists.
fn is_plain(bytes: &[u8]) -> bool {
    let mut begins = true;
    for (at, byte) in bytes.iter().enumerate() {
        if begins && (*byte == b'/' || (*byte == b'.' && matches!(bytes.get(at + 1), None | Some(b'/')))) {
            return false;
        }
        begins = *byte == b'/';
    }
    !begins || bytes.is_empty()
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_display())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_display())
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// How a path, as someone wrote it, leaves the folder that it should be relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEscape {
    /// From the root of the file system, or from a drive.
    Absolute,
    /// From a home directory.
    Home,
    /// By more `..` than it has folders.
    Climbs,
}

impl PathEscape {
    /// Of a path by its text alone; both separators count, whatever system it is read on.
    pub fn detect(text: &str) -> Option<Self> {
        let path = text.replace('\\', "/");
        let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        let climbs = || RepoPath::from("file").resolve_beside(path.as_bytes()).is_none();
        match () {
            () if path.starts_with('/') || has_drive => Some(Self::Absolute),
            () if path.starts_with('~') => Some(Self::Home),
            () => climbs().then_some(Self::Climbs),
        }
    }

    /// What is wrong with the path, which should lie in `folder`.
    pub fn in_words(self, folder: &str) -> String {
        match self {
            Self::Absolute => "is an absolute path".to_owned(),
            Self::Home => "leads into a home directory".to_owned(),
            Self::Climbs => format!("climbs above {folder}"),
        }
    }
}

/// Why a name cannot stand on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnportableName {
    /// It is that of a device, whatever ends it: `nul`, `aux.md`.
    Device,
    /// It ends with a dot or a space, which Windows drops.
    End,
    /// It holds a character that means something else there.
    Character(char),
}

/// What no name may hold on Windows; a backslash separates folders there.
const CHARACTERS: &[u8] = br#"<>:"|?*\"#;

impl UnportableName {
    /// Of one component of a path. Control characters are not looked for.
    pub fn detect(name: &BStr) -> Option<Self> {
        if let Some(byte) = name.bytes().find(|byte| CHARACTERS.contains(byte)) {
            return Some(Self::Character(char::from(byte)));
        }
        if name.ends_with(b".") || name.ends_with(b" ") {
            return Some(Self::End);
        }
        is_device(name).then_some(Self::Device)
    }
}

/// Whether Windows takes a name for a device, in every folder and with every extension (Microsoft, "Naming Files, Paths, and
/// Namespaces"). `COM¹` and its like count as `COM1`.
pub fn is_device(name: &BStr) -> bool {
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
    let stem = stem.trim_end_with(|c| c == ' ').to_str_lossy().to_ascii_uppercase();
    let is_number = |rest: &str| matches!(rest, "¹" | "²" | "³") || matches!(rest.as_bytes(), [b'1'..=b'9']);
    let numbered = ["COM", "LPT"].iter().filter_map(|device| stem.strip_prefix(device));
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") || numbered.into_iter().any(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises_edges_and_dots() {
        for (given, want) in [("a/b", "a/b"), ("./a//b/", "a/b"), ("", ""), ("/a", "a"), ("a/../b", "a/../b")] {
            assert_eq!(RepoPath::new(given), RepoPath::from(want), "{given}");
        }
    }

    proptest::proptest! {
        #[test]
        fn is_its_components_joined(given in "[a./]{0,8}") {
            let parts: Vec<&str> = given.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
            let (path, joined) = (RepoPath::new(&given), parts.join("/"));
            proptest::prop_assert_eq!(path.as_bstr(), joined.as_str());
        }
    }

    #[test]
    fn below_respects_component_borders() {
        let folder = RepoPath::from("agent/skills");
        for (path, want) in [
            ("agent/skills/a/b", Some("a/b")),
            ("agent/skills", Some("")),
            ("agent/skills-old/a", None),
            ("agent", None),
        ] {
            assert_eq!(RepoPath::from(path).below(&folder), want.map(Into::into), "{path}");
        }
    }

    #[test]
    fn links_resolve_by_text() {
        let link = RepoPath::from("agent/skills/a/SKILL.md");
        for (target, want) in [
            ("x.md", Some("agent/skills/a/x.md")),
            ("../../../top", Some("top")),
            ("../../../../out", None),
            ("/etc/passwd", None),
        ] {
            assert_eq!(link.resolve_beside(target.as_bytes()), want.map(RepoPath::from), "{target}");
        }
    }

    #[test]
    fn relative_paths_lead_back() {
        let target = RepoPath::from("agent/policies/x.md");
        let folder = RepoPath::from(".claude/skills/a");
        assert_eq!(target.relative_to(&folder), "../../../agent/policies/x.md");
        let back = folder.join("link").resolve_beside(&target.relative_to(&folder));
        assert_eq!(back, Some(target));
    }

    #[test]
    fn escapes_are_told_by_text_alone() {
        for (text, want) in [
            ("/etc/hosts", PathEscape::Absolute),
            ("C:/x", PathEscape::Absolute),
            ("c:\\x", PathEscape::Absolute),
            ("\\\\host\\x", PathEscape::Absolute),
            ("~/x", PathEscape::Home),
            ("~root/x", PathEscape::Home),
            ("../x", PathEscape::Climbs),
            ("a/../../x", PathEscape::Climbs),
            ("..\\x", PathEscape::Climbs),
        ] {
            assert_eq!(PathEscape::detect(text), Some(want), "{text}");
        }
        for text in ["src/lib.rs", "x", "a/../b", "./x", "a~", "src:y", "..x", "..x/y", "src/...", "{{candidate}}/x"] {
            assert_eq!(PathEscape::detect(text), None, "{text}");
        }
    }

    #[test]
    fn names_that_windows_cannot_hold() {
        use UnportableName::{Character, Device, End};
        for (name, found) in [
            ("con", Some(Device)),
            ("NUL.tar.gz", Some(Device)),
            ("aux .md", Some(Device)),
            ("Com1.txt", Some(Device)),
            ("lpt²", Some(Device)),
            ("conin$", Some(Device)),
            ("notes.", Some(End)),
            ("notes ", Some(End)),
            ("a:b", Some(Character(':'))),
            ("what?.md", Some(Character('?'))),
            (r"a\b", Some(Character('\\'))),
            ("console.md", None),
            ("com0", None),
            ("com10", None),
            ("com", None),
            ("null", None),
            (".gitignore", None),
            (" notes é.md", None),
            ("a.con", None),
        ] {
            assert_eq!(UnportableName::detect(name.into()), found, "{name}");
        }
    }
}
