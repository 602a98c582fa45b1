//! Names that not every file system can hold.

use gix::bstr::{BStr, ByteSlice};

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
