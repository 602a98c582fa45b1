//! What an agent should read, within a budget of tokens: put together of parts in one order, each within its share.

use super::budget::{Room, cost};
use super::failing::FAILURES;
use std::collections::BTreeMap;

/// What there is to read; a part that is missing is `None`.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The map, with its path.
    pub map: Option<(String, String)>,
    /// The lessons, with their path.
    pub lessons: Option<(String, String)>,
    /// The workspace, with its path.
    pub workspace: Option<(String, String)>,
    /// How often each skill failed of late.
    pub failures: BTreeMap<String, usize>,
}

/// What an agent is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The text; empty where there is nothing to say.
    pub text: String,
    /// What each part costs.
    pub parts: Vec<Cost>,
}

/// What a part costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Its name.
    pub name: &'static str,
    /// Its tokens.
    pub tokens: usize,
    /// Its lines that had no room.
    pub left_out: usize,
}

/// Puts together what fits: the map's first lines, lessons newest first, skills to rewrite, the workspace. The map may
/// take a quarter, the lessons a half; what one leaves, the next may have.
pub fn assemble(sources: &Sources, budget: usize) -> Reading {
    let flagged: Vec<String> = sources
        .failures
        .iter()
        .filter(|(_, count)| **count >= FAILURES)
        .map(|(skill, count)| format!("- {skill} failed {count} times in 14 days: rewrite it, or say why not."))
        .collect();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let mut parts: Vec<(&'static str, String, Vec<String>, usize)> = Vec::new();
    if let Some((path, text)) = &sources.map {
        parts.push(("map", format!("# {path}"), lines(text.trim()), 4));
    }
    if let Some((path, text)) = &sources.lessons {
        parts.push(("lessons", format!("# {path}, newest first"), newest(text), 2));
    }
    parts.push(("skills", "# Skills that keep failing".to_owned(), flagged, 1));
    if let Some((path, text)) = &sources.workspace {
        parts.push(("workspace", format!("# {path}"), lines(text.trim()), 1));
    }
    let mut reading = Reading::default();
    let mut left = budget;
    for (name, head, lines, share) in parts.into_iter().filter(|(_, _, lines, _)| !lines.is_empty()) {
        let (text, left_out) = fitting(&head, &lines, if share == 1 { left } else { left.min(budget / share) });
        let tokens = cost(&text);
        left = left.saturating_sub(tokens);
        reading.text.push_str(&text);
        reading.parts.push(Cost { name, tokens, left_out });
    }
    reading
}

/// Whole lines from the beginning, as many as there is room for; nothing where not even one fits.
fn fitting(head: &str, lines: &[String], budget: usize) -> (String, usize) {
    let mut text = format!("{head}\n\n");
    let mut room = Room::of(budget);
    // The empty line behind the part counts too.
    let has_room = room.take(&text) && room.take("\n");
    let taken = lines.iter().take_while(|line| has_room && room.take(line) && room.take("\n")).count();
    if taken == 0 {
        return (String::new(), lines.len());
    }
    lines[..taken].iter().for_each(|line| text.push_str(&format!("{line}\n")));
    text.push('\n');
    (text, lines.len() - taken)
}

/// Items of a list, the last first, without the ids of their episodes.
fn newest(text: &str) -> Vec<String> {
    let items = text.lines().filter(|line| line.starts_with("- "));
    let plain = items.map(|line| line.split(" (episodes: ").next().unwrap_or(line).to_owned());
    let mut items: Vec<String> = plain.collect();
    items.reverse();
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sources() -> Sources {
        let part = |path: &str, text: &str| Some((path.to_owned(), text.to_owned()));
        Sources {
            map: part("agent/AGENTS.md", "# Map\n\nfirst\nsecond\n"),
            lessons: part(
                "LESSONS.md",
                "# Lessons\n\n## 2026-05-01\n\n- old (episodes: 1)\n\n## 2026-05-02\n\n- new\n",
            ),
            workspace: part("WORKSPACE.md", "busy with x\n"),
            failures: BTreeMap::from([("deploy".to_owned(), 3), ("lint".to_owned(), 2)]),
        }
    }

    #[test]
    fn the_parts_stand_in_their_order() {
        let reading = assemble(&sources(), 1_500);
        let want = "# agent/AGENTS.md\n\n# Map\n\nfirst\nsecond\n\n# LESSONS.md, newest first\n\n- new\n- old\n\n# Skills that keep failing\n\n- deploy failed 3 times in 14 days: rewrite it, or say why not.\n\n# WORKSPACE.md\n\nbusy with x\n\n";
        assert_eq!(reading.text, want);
        assert!(reading.parts.iter().all(|part| part.left_out == 0));
        let names: Vec<&str> = reading.parts.iter().map(|part| part.name).collect();
        assert_eq!(names, ["map", "lessons", "skills", "workspace"]);
        assert_eq!(assemble(&Sources::default(), 1_500), Reading::default());
        // The map may not crowd the lessons out.
        let long = Sources { map: Some(("m".to_owned(), "word\n".repeat(400))), ..sources() };
        let reading = assemble(&long, 100);
        assert!(reading.text.contains("- new") && reading.parts[0].left_out > 300, "{reading:?}");
    }

    proptest! {
        #[test]
        fn the_budget_is_kept(budget in 0usize..200, lines in proptest::collection::vec("[a-zé ]{0,60}", 0..20)) {
            let text = lines.iter().map(|line| format!("- {line}\n")).collect::<String>();
            let part = Some(("p".to_owned(), text));
            let sources = Sources { map: part.clone(), lessons: part.clone(), workspace: part, ..sources() };
            let reading = assemble(&sources, budget);
            prop_assert!(cost(&reading.text) <= budget, "{} of {budget}", cost(&reading.text));
        }
    }
}
