//! The first line of a generated list, with a hash of the rest. An unedited list is recognized by it even without a
//! lock.

/// The notice in the first line.
pub const NOTICE: &str = "Made by `canonry skills index` from the skills; edit those instead.";

/// Returns the hash of a text, independent of line endings, which a checkout may change.
pub fn hash(text: &str) -> String {
    let plain = if text.contains('\r') { text.replace("\r\n", "\n") } else { text.to_owned() };
    blake3::hash(plain.as_bytes()).to_hex().chars().take(16).collect()
}

/// Adds the first line to Markdown.
pub fn markdown(body: &str) -> String {
    format!("<!-- {NOTICE} seal: {} -->\n{body}", hash(body))
}

/// Adds the first line to JSON lines.
pub fn json_lines(schema: &str, body: &str) -> String {
    let head = serde_json::json!({"schema": schema, "generated": NOTICE, "seal": hash(body)});
    format!("{head}\n{body}")
}

/// Checks whether a text is unedited, though it may have been generated from other skills.
pub fn is_unedited(text: &str) -> bool {
    let Some((first, body)) = text.split_once('\n') else { return false };
    seal(first.trim_end_matches('\r')).is_some_and(|seal| seal == hash(body))
}

fn seal(first: &str) -> Option<String> {
    let comment = first.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
    if let Some(comment) = comment {
        return comment.rsplit_once("seal: ").map(|(_, seal)| seal.to_owned());
    }
    let head: serde_json::Value = serde_json::from_str(first).ok()?;
    head.get("seal")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_edits() {
        for text in [markdown("# Skills\n\na\n"), markdown(""), json_lines("canonry/x/v1", "{}\n{}\n")] {
            assert!(is_unedited(&text), "{text}");
            assert!(is_unedited(&text.replace('\n', "\r\n")), "{text}");
            assert!(!is_unedited(&(text.clone() + "more\n")), "{text}");
            assert!(!is_unedited(&text.replacen("seal", "sea1", 1)), "{text}");
        }
        for text in ["", "# Skills\n", "<!-- mine -->\n", "{}\n{}\n", "{\"seal\": 1}\n"] {
            assert!(!is_unedited(text), "{text}");
        }
    }
}
