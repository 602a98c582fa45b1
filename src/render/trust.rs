//! Output of `trust`.

use super::excerpt::escape_line;
use canonry_app::trust::{TrustOutcome, TrustedFile};

/// Message about newly trusted files.
pub fn added(outcome: &TrustOutcome) -> String {
    let mut text = format!("Trusted in {}, with their present content:\n", outcome.top.display());
    for file in &outcome.files {
        text.push_str(&format!("  {}\n", escape_line(&file.path)));
        if file.effects.is_empty() {
            text.push_str("    loosens nothing\n");
        }
        for line in &file.effects {
            text.push_str(&format!("    {}\n", escape_line(line)));
        }
    }
    text
}

/// Message about files that are not trusted any longer.
pub fn removed(count: usize) -> String {
    match count {
        0 => "No file of this repository was trusted.\n".to_owned(),
        1 => "1 file is not trusted any longer.\n".to_owned(),
        count => format!("{count} files are not trusted any longer.\n"),
    }
}

/// All trusted files.
pub fn list(files: &[TrustedFile]) -> String {
    if files.is_empty() {
        return "No files are trusted.\n".to_owned();
    }
    let line = |file: &TrustedFile| {
        let digest = file.digest.get(..12).unwrap_or_default();
        let entry = file.entry.as_ref().map(|entry| format!(", {}", escape_line(entry))).unwrap_or_default();
        format!("{}  {digest}  {}: {}{entry}\n", file.time, file.repository, file.path)
    };
    files.iter().map(line).collect()
}
