//! Files that canonry writes whole: a header, a checksum of the rest, and the rest. The checksum shows an edit, whichever
//! version wrote the file.

use gix::bstr::ByteSlice;

/// Prefix of the checksum of everything below it.
const CHECKSUM: &str = "# Checksum: ";

/// The state of a generated file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedState {
    /// canonry wrote it, and it is unchanged.
    Owned,
    /// canonry wrote it, and it was edited.
    Edited,
    /// canonry did not write it.
    Foreign,
}

fn checksum(body: &str) -> String {
    blake3::hash(body.as_bytes()).to_hex()[..16].to_owned()
}

/// The text of a file with this header and body.
pub fn with_checksum(header: &str, body: &str) -> String {
    format!("{header}\n{CHECKSUM}{}\n{body}", checksum(body))
}

/// Determines the state of a file from its header and checksum. Ignores line ends, which git may convert.
pub fn state(header: &str, file: &[u8]) -> GeneratedState {
    let text = file.to_str().map(|text| text.replace("\r\n", "\n")).unwrap_or_default();
    let body = text.strip_prefix(header).and_then(|rest| rest.strip_prefix('\n')?.strip_prefix(CHECKSUM));
    match body.map(|rest| rest.split_once('\n')) {
        None => GeneratedState::Foreign,
        Some(Some((written, body))) if written == checksum(body) => GeneratedState::Owned,
        Some(_) => GeneratedState::Edited,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_an_edited_file() {
        let text = with_checksum("# Ours", "a: 1\nb: 2\n");
        for (file, want) in [
            (text.clone(), GeneratedState::Owned),
            (text.replace('\n', "\r\n"), GeneratedState::Owned),
            (text.replace("b: 2", "b: 3"), GeneratedState::Edited),
            ("# Ours".to_owned(), GeneratedState::Foreign),
            ("a: 1\nb: 2\n".to_owned(), GeneratedState::Foreign),
            (String::new(), GeneratedState::Foreign),
            ("\u{feff}".to_owned(), GeneratedState::Foreign),
        ] {
            assert_eq!(state("# Ours", file.as_bytes()), want, "{file}");
        }
        assert_eq!(state("# Ours", b"\xff"), GeneratedState::Foreign);
    }
}
