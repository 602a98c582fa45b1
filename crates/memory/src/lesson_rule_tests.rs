use super::*;
use canonry_testing::markdown::documents;
use proptest::prelude::*;

const ID: &str = "4f0c1a2b3c4d5e6f";
const LINE: &str = "- Use tabs. Applies to: makefiles. Why: make reads spaces as text. (lesson 4f0c1a2b3c4d5e6f)";

fn rule(action: &str) -> LessonRule {
    let [scope, root_cause] = ["makefiles", "make reads spaces as text"].map(str::to_owned);
    LessonRule { action: action.to_owned(), scope, root_cause }
}

fn inserted(text: &str) -> Option<String> {
    let insertion = insertion(text, LINE)?;
    let mut after = text.to_owned();
    after.insert_str(insertion.offset, &insertion.text);
    Some(after)
}

#[test]
fn a_rule_is_one_list_item() {
    assert_eq!(rule(" Use\n tabs").line(ID), LINE);
    for (action, want) in [
        ("Run `cargo test`", "- Run `cargo test`. Applies to"),
        ("Really?", "- Really? Applies to"),
        ("# Title", "- \\# Title\\. Applies to"),
        ("- nested", "- \\- nested\\. Applies to"),
        ("<!-- hidden", "- \\<\\!\\-\\- hidden. Applies to"),
        ("one ` open", "- one \\` open. Applies to"),
    ] {
        let line = rule(action).line(ID);
        assert!(line.starts_with(want.replace("\\. A", ". A").as_str()) || line.starts_with(want), "{line}");
        assert!(markdown::is_plain_item(&line), "{line}");
        assert_eq!(sections_of(&new_page("x", &line))[1].items.len(), 1, "{line}");
    }
}

#[test]
fn a_line_goes_to_the_end_of_the_section() {
    for (what, before, after) in [
        ("an empty file", "", "## Lessons\n\n@\n"),
        ("no section", "# A\n\nText.\n", "# A\n\nText.\n\n## Lessons\n\n@\n"),
        ("no final newline", "# A", "# A\n\n## Lessons\n\n@\n"),
        ("a final blank line", "# A\n\n", "# A\n\n## Lessons\n\n@\n"),
        ("a list", "## Lessons\n\n- one\n- two\n\n## B\n", "## Lessons\n\n- one\n- two\n@\n\n## B\n"),
        ("no final newline in a list", "# Lessons\n- one", "# Lessons\n- one\n@"),
        ("other words for the title", "### LESSONS\n- one\n", "### LESSONS\n- one\n@\n"),
        (
            "a wrapped item",
            "## Lessons\n\n- one\n  more\n\n  par\n\nEnd.\n",
            "## Lessons\n\n- one\n  more\n\n  par\n@\n\nEnd.\n",
        ),
        ("a nested list", "## Lessons\n\n- one\n  - in\n\n## B\n", "## Lessons\n\n- one\n  - in\n@\n\n## B\n"),
        ("a loose list", "## Lessons\n\n- one\n\n- two\n", "## Lessons\n\n- one\n\n- two\n\n@\n"),
        ("text only", "## Lessons\n\nNone.\n\n## B\n", "## Lessons\n\nNone.\n\n@\n\n## B\n"),
        ("nothing", "## Lessons\n\n## B\n", "## Lessons\n\n@\n\n## B\n"),
        ("a numbered list", "## Lessons\n\n1. one\n", "## Lessons\n\n1. one\n\n@\n"),
        ("a heading in code", "```\n## Lessons\n- x\n```\n", "```\n## Lessons\n- x\n```\n\n## Lessons\n\n@\n"),
        ("frontmatter", "---\nname: x\n---\n\n## Lessons\n- a\n", "---\nname: x\n---\n\n## Lessons\n- a\n@\n"),
        ("a byte order mark", "\u{feff}# A\n", "\u{feff}# A\n\n## Lessons\n\n@\n"),
    ] {
        assert_eq!(inserted(before).as_deref(), Some(after.replace('@', LINE).as_str()), "{what}");
        let before = before.replace('\n', "\r\n");
        let after = after.replace('@', LINE).replace('\n', "\r\n");
        if before.contains('\r') {
            assert_eq!(inserted(&before), Some(after), "{what}, with CRLF");
        }
    }
}

#[test]
fn the_marker_of_the_list_is_kept() {
    let star = format!("* {}", LINE.trim_start_matches("- "));
    assert_eq!(inserted("## Lessons\n\n* one\n").unwrap(), format!("## Lessons\n\n* one\n{star}\n"));
    let wide = format!(" -   {}", LINE.trim_start_matches("- "));
    assert_eq!(inserted("## Lessons\n -   a\n -   b\n").unwrap(), format!("## Lessons\n -   a\n -   b\n{wide}\n"));
}

#[test]
fn an_open_code_block_or_comment_is_refused() {
    for text in ["# A\n\n```\ncode\n", "# A\n\n<!-- open\n", "## Lessons\n\n<!-- open\n"] {
        assert_eq!(inserted(text), None, "{text}");
    }
}

#[test]
fn a_rule_is_found_by_its_words_or_its_lesson() {
    for (text, line) in [
        ("# A\n\n- Use tabs.\n", Some(3)),
        ("Intro\nuse  TABS\n", Some(2)),
        ("- a\n- **Use tabs**\n", Some(2)),
        ("- Use tabs. Applies to: code. Why: so. (lesson ffff)\n", Some(1)),
        ("- Indent with tabs (lesson 4f0c1a2b3c4d5e6f)\n", Some(1)),
        ("- Never use tabs.\n- Use tabs in makefiles.\n", None),
        ("- ~~Use tabs.~~\n", None),
        ("", None),
    ] {
        assert_eq!(find_rule(text, &rule("Use tabs."), ID), line, "{text}");
    }
    let added = inserted("# A\n\nText.\n").unwrap();
    assert_eq!(find_rule(&added, &rule("Use tabs"), "other"), Some(7));
}

#[test]
fn action_of_a_rule() {
    assert_eq!(action_of(LINE.trim_start_matches("- ")), "Use tabs.");
    for item in ["Applies to: all", "x (lesson y)", "x Applies to: y (lesson z)"] {
        assert_eq!(action_of(item), item);
    }
}

proptest! {
    /// Everything else stays, the rule is found, and it is an item of the section.
    #[test]
    fn an_insertion_changes_nothing_else(text in documents()) {
        if let Some(insertion) = insertion(&text, LINE) {
            let mut after = text.clone();
            after.insert_str(insertion.offset, &insertion.text);
            prop_assert_eq!(after.replacen(&insertion.text, "", 1).len(), text.len());
            prop_assert!(find_rule(&after, &rule("Use tabs"), "other").is_some(), "{}", after);
            prop_assert_eq!(insertion.text.matches("Use tabs").count(), 1);
            let titles = |text: &str| sections_of(text).into_iter().map(|section| section.title).collect::<Vec<_>>();
            let (before, now) = (titles(&text), titles(&after));
            prop_assert_eq!(&now[..before.len()], &before[..]);
        }
    }
}
