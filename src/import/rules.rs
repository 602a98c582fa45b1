//! Rules, as the map and the policies of the canon.

use super::basket::ImportPlan;
use super::front::Front;
use crate::syntax::mdc::MdcHeader;
use crate::syntax::{RepoPath, frontmatter};

/// Patterns that mean every file.
const EVERY: [&str; 4] = ["**/*", "**", "*", "**/*.*"];

/// Takes a text as the map.
pub(super) fn map(basket: &mut ImportPlan<'_>, from: &RepoPath, text: &str, changes: Vec<String>) {
    let to = basket.ground.layout.map();
    basket.take(from, to, text.to_owned(), changes);
}

/// Takes a text as a policy. `below`: its path below the policies.
pub(super) fn policy(basket: &mut ImportPlan<'_>, from: &RepoPath, below: &str, rest: (&str, Vec<String>)) {
    let (text, changes) = rest;
    let below = below.strip_suffix(".mdc").map_or(below.to_owned(), |stem| format!("{stem}.md"));
    let to = basket.ground.layout.policies().join(below);
    basket.take(from, to, text.to_owned(), changes);
}

/// A body behind a line that says what its frontmatter did: for which files, and when.
pub(super) fn with_scope(body: &str, globs: &[String], description: Option<&str>) -> String {
    let narrow: Vec<String> =
        globs.iter().filter(|glob| !EVERY.contains(&glob.as_str())).map(|glob| format!("`{glob}`")).collect();
    let mut line = String::new();
    if !narrow.is_empty() {
        line.push_str(&format!("For files: {}. ", narrow.join(", ")));
    }
    line.push_str(description.unwrap_or_default());
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let body = body.trim_start_matches(['\n', '\r']);
    if line.is_empty() { body.to_owned() } else { format!("> {line}\n\n{body}") }
}

/// A rule of Cursor or Claude Code, whose head is read as Cursor does: its text, and what of it changed.
pub(super) fn of_cursor(text: &str) -> (String, Vec<String>) {
    let Ok(parts) = frontmatter::split(text) else { return (text.to_owned(), Vec::new()) };
    let head = MdcHeader::parse(&text[parts.yaml.range()], parts.yaml.offset);
    let plain = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
    let field = |key: &str| head.get(key).map(|field| plain(&field.value)).filter(|value| !value.is_empty());
    // Claude Code's rules have `paths`.
    let globs: Vec<String> = match head.get("globs").or_else(|| head.get("paths")) {
        Some(field) if !field.items.is_empty() => field.items.iter().map(|item| plain(item)).collect(),
        Some(field) => patterns(&field.value).iter().map(|glob| plain(glob)).filter(|glob| !glob.is_empty()).collect(),
        None => Vec::new(),
    };
    let always = field("alwaysApply").is_some_and(|value| value == "true");
    let globs = if always { Vec::new() } else { globs };
    let body = with_scope(&text[parts.body.range()], &globs, field("description").as_deref());
    (body, vec!["its frontmatter is a line of text now".to_owned()])
}

/// The items of a list that is separated by commas, those within braces left whole.
fn patterns(list: &str) -> Vec<String> {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    let (mut depth, mut items) = (0usize, vec![String::new()]);
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = items.last_mut() {
            last.push(c);
        }
    }
    items
}

/// The body of a text, and what was in the frontmatter that goes.
pub(super) fn body_of<'t>(front: &Front<'t>) -> (&'t str, Vec<String>) {
    let keys: Vec<String> = front.entries().iter().map(|entry| format!("`{}`", entry.key)).collect();
    let told =
        if keys.is_empty() { Vec::new() } else { vec![format!("its frontmatter taken out: {}", keys.join(", "))] };
    (front.body().trim_start_matches(['\n', '\r']), told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_rule_becomes_a_line() {
        let (text, told) =
            of_cursor("---\ndescription: Use a: b\nglobs: **/*.{ts,tsx}, src/**\nalwaysApply: false\n---\n\n# T\n");
        assert_eq!(text, "> For files: `**/*.{ts,tsx}`, `src/**`. Use a: b\n\n# T\n");
        assert_eq!(told.len(), 1);
        assert_eq!(of_cursor("---\nglobs: **/*\nalwaysApply: true\n---\n# T\n").0, "# T\n");
        assert_eq!(of_cursor("# T\n"), ("# T\n".to_owned(), Vec::new()));
    }
}
