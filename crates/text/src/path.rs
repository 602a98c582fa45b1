//! Paths in a repository.

use bstr::{BStr, BString, ByteSlice};
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// A path relative to the top of the repository, with `/` as separator and without leading or trailing `/`.
///
/// The path is stored as bytes, as in git. [`fmt::Display`] escapes control characters. Clones share the bytes,
/// because every mirror refers to the paths of the canon.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

impl Default for RepoPath {
    fn default() -> Self {
        Self(Arc::from(&b""[..]))
    }
}

impl RepoPath {
    /// Normalises a path: drops `.` components and empty ones, and keeps `..`.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        if is_plain(bytes) {
            return Self(bytes.into());
        }
        let parts: Vec<&[u8]> = split(bytes).filter(|part| is_name(part)).collect();
        Self(bstr::join("/", parts).into())
    }

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

    /// The last component as text, with replacement characters for invalid UTF-8.
    pub fn file_name_lossy(&self) -> String {
        self.file_name().to_str_lossy().into_owned()
    }

    /// All components but the last; `None` for the top.
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
        // This path is normalised already.
        if !below.is_empty() && is_plain(below) { Self(joined.into()) } else { Self::new(joined) }
    }

    /// The rest of the path below `folder`; `None` if it is not below it. `folder` itself gives `""`.
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

    /// Whether this path is `folder` or below it.
    pub fn is_within(&self, folder: &RepoPath) -> bool {
        self.below(folder).is_some()
    }

    pub fn components(&self) -> impl Iterator<Item = &BStr> {
        split(&self.0).filter(|part| !part.is_empty()).map(ByteSlice::as_bstr)
    }

    /// Resolves `target` relative to the folder of `self`, as for a symbolic link, without accessing the file system.
    /// `None` if the target is absolute or above the top of the repository.
    pub fn resolve_beside(&self, target: &[u8]) -> Option<RepoPath> {
        if target.starts_with(b"/") {
            return None;
        }
        let mut parts: Vec<&[u8]> = Vec::new();
        let parent = self.parent()?;
        let here = parent.components().map(|part| part.as_bytes());
        for part in here.chain(split(target)) {
            match part {
                b"" | b"." => {}
                b".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        Some(Self(bstr::join("/", parts).into()))
    }

    /// The relative path from `folder` to `self`, as in a symbolic link in `folder`.
    pub fn relative_to(&self, folder: &RepoPath) -> BString {
        let to: Vec<&BStr> = self.components().collect();
        let from: Vec<&BStr> = folder.components().collect();
        let same = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
        let ups = std::iter::repeat_n(b"..".as_slice(), from.len() - same);
        let downs = to[same..].iter().map(|part| part.as_bytes());
        BString::from(bstr::join("/", ups.chain(downs)))
    }

    /// Whether the path contains control characters, such as a newline.
    pub fn has_control_bytes(&self) -> bool {
        self.0.iter().any(|b| b.is_ascii_control())
    }

    /// The path as one word of a POSIX shell, for commands that users copy.
    pub fn shell_word(&self) -> String {
        let text = self.to_display();
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%,:=".contains(c);
        if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
            return text;
        }
        format!("'{}'", text.replace('\'', "'\\''"))
    }

    /// The path for JSON and messages: replacement characters for invalid UTF-8, `\n`-style escapes for control
    /// characters.
    pub fn to_display(&self) -> String {
        let text = self.0.to_str_lossy();
        if !text.contains(char::is_control) {
            return text.into_owned();
        }
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
    }
}

/// Whether no component is empty or `.`, which holds for all paths from git.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.is_empty() || split(bytes).all(is_name)
}

/// Whether a component is a name, and not empty or `.`.
fn is_name(part: &[u8]) -> bool {
    !part.is_empty() && part != b"."
}

fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'/')
}

/// As it is displayed.
impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
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

/// Way in which a relative path leaves its base folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEscape {
    /// It starts at the root of the file system or at a drive.
    Absolute,
    /// It starts at a home folder.
    Home,
    /// It has more `..` than folders.
    Climbs,
}

impl PathEscape {
    /// Checks a path by its text. Both separators count on every system.
    pub fn detect(text: &str) -> Option<Self> {
        let path = text.replace('\\', "/");
        let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        let climbs = || RepoPath::from("file").resolve_beside(path.as_bytes()).is_none();
        if path.starts_with('/') || has_drive {
            Some(Self::Absolute)
        } else if path.starts_with('~') {
            Some(Self::Home)
        } else {
            climbs().then_some(Self::Climbs)
        }
    }

    /// Describes the escape of a path from `folder`, to follow the path in a message.
    pub fn describe(self, folder: &str) -> String {
        match self {
            Self::Absolute => "is an absolute path".to_owned(),
            Self::Home => "is in a home directory".to_owned(),
            Self::Climbs => format!("leads above {folder}"),
        }
    }
}

/// Why a file name is invalid on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnportableName {
    /// The name of a device, with any extension: `nul`, `aux.md`.
    Device,
    /// It ends with a dot or a space, which Windows drops.
    End,
    /// It contains a reserved character.
    Character(char),
}

/// Characters that are invalid in names on Windows. A backslash separates folders.
const CHARACTERS: &[u8] = br#"<>:"|?*\"#;

impl UnportableName {
    /// Checks one component of a path. Control characters are not checked.
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

/// Whether Windows treats a name as a device in every folder and with every extension (Microsoft, "Naming Files,
/// Paths, and Namespaces"). `COM¹` counts as `COM1`.
pub fn is_device(name: &BStr) -> bool {
    let stem = name.split(|byte| *byte == b'.').next().expect("split is never empty");
    let stem = stem.trim_end_with(|c| c == ' ').to_str_lossy().to_ascii_uppercase();
    let is_number = |rest: &str| matches!(rest, "¹" | "²" | "³") || matches!(rest.as_bytes(), [b'1'..=b'9']);
    let numbered = ["COM", "LPT"].iter().filter_map(|device| stem.strip_prefix(device));
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") || numbered.into_iter().any(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises_slashes_and_dots() {
        for (given, want) in [("a/b", "a/b"), ("./a//b/", "a/b"), ("", ""), ("/a", "a"), ("a/../b", "a/../b")] {
            assert_eq!(RepoPath::new(given), RepoPath::from(want), "{given}");
        }
    }

    #[test]
    fn words_of_a_shell_are_quoted_where_needed() {
        for (path, want) in [
            ("skills/a-b/SKILL.md", "skills/a-b/SKILL.md"),
            ("my skills/a.md", "'my skills/a.md'"),
            ("it's.md", "'it'\\''s.md'"),
            ("-a", "'-a'"),
            ("a$b", "'a$b'"),
        ] {
            assert_eq!(RepoPath::from(path).shell_word(), want);
        }
    }

    proptest::proptest! {
        #[test]
        fn equals_its_joined_components(given in "[a./]{0,8}") {
            let parts: Vec<&str> = given.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
            let (path, joined) = (RepoPath::new(&given), parts.join("/"));
            proptest::prop_assert_eq!(path.as_bstr(), joined.as_str());
        }
    }

    #[test]
    fn below_respects_component_boundaries() {
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
    fn resolves_links_by_text() {
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
    fn relative_path_round_trips() {
        let target = RepoPath::from("agent/policies/x.md");
        let folder = RepoPath::from(".claude/skills/a");
        assert_eq!(target.relative_to(&folder), "../../../agent/policies/x.md");
        let back = folder.join("link").resolve_beside(&target.relative_to(&folder));
        assert_eq!(back, Some(target));
    }

    #[test]
    fn detects_escapes_by_text() {
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
    fn detects_names_invalid_on_windows() {
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
