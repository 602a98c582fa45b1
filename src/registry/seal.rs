//! The first line of a generated list, which says that it is one and holds a hash of the rest: so that a list which nobody
//! has touched is known for ours, with a lock and without.

/// What the first line says.
pub const SAID: &str = "Made by `canonry skills index` from the skills; edit those instead.";

/// The hash of a text, whatever its line endings: a checkout may change those.
pub fn of(text: &str) -> String {
    let plain = if text.contains('\r') { text.replace("\r\n", "\n") } else { text.to_owned() };
    blake3::hash(plain.as_bytes()).to_hex().chars().take(16).collect()
}

/// Markdown with its first line.
pub fn markdown(body: &str) -> String {
    format!("<!-- {SAID} seal: {} -->\n{body}", of(body))
}

/// JSON lines with a first line.
pub fn json_lines(schema: &str, body: &str) -> String {
    let head = serde_json::json!({"schema": schema, "generated": SAID, "seal": of(body)});
    format!("{head}\n{body}")
}

/// Whether a text is to the letter what once was made, though perhaps of other skills.
pub fn is_whole(text: &str) -> bool {
    let Some((first, body)) = text.split_once('\n') else { return false };
    seal(first.trim_end_matches('\r')).is_some_and(|seal| seal == of(body))
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
    fn what_nobody_touched_is_whole() {
        for text in [markdown("# Skills\n\na\n"), markdown(""), json_lines("canonry/x/v1", "{}\n{}\n")] {
            assert!(is_whole(&text), "{text}");
            assert!(is_whole(&text.replace('\n', "\r\n")), "{text}");
            assert!(!is_whole(&(text.clone() + "more\n")), "{text}");
            assert!(!is_whole(&text.replacen("seal", "sea1", 1)), "{text}");
        }
        for text in ["", "# Skills\n", "<!-- mine -->\n", "{}\n{}\n", "{\"seal\": 1}\n"] {
            assert!(!is_whole(text), "{text}");
        }
    }
}
