//! Whether a text that names a path of the skill leaves no doubt that the skill has the file.
//!
//! A path in the middle of a sentence may also be a file that the skill writes, a file of another skill, or an argument of a
//! quoted call. No list of words finds all of these in every language. Such a path therefore needs a sign that the agent is to
//! read or run it; a sign that is not recognised only lowers the severity.

use super::vocabulary::{
    EXAMPLE_ENDS, EXAMPLE_HEADINGS, OPTIONAL_PHRASES, OWN_WORDS, OWNER_ENDS, READING_AFTER, READING_BEFORE,
    WRONG_INTRODUCTIONS,
};
use super::words_around::{
    is_list_item, last_verb_writes, line_before, list_introduction, list_items, sentence_around, starts_line,
};
use crate::canon::skill::{SKILL_FOLDERS, Skill};
use crate::syntax::Source;
use crate::syntax::link_target::path_of;
use crate::syntax::markdown::{LinkKind, MarkdownLink};

/// Programs that run the path after them.
const INTERPRETERS: [&str; 10] = ["python", "python3", "node", "bash", "sh", "ruby", "perl", "pwsh", "tsx", "bun"];
/// Characters of the label of a path: "**Script:** `scripts/a.sh`".
const MAX_LABEL: usize = 40;

/// Whose file a path names, as far as the text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// Something else, such as another skill.
    Other,
    /// A path in the middle of a sentence.
    Unclear,
    /// The skill: it should have the file.
    Skill,
}

/// Whose file a link of a skill names.
pub(super) fn owner(skill: &Skill, source: &Source, link: &MarkdownLink) -> Owner {
    if link.kind != LinkKind::BarePath {
        return Owner::Skill;
    }
    let before = line_before(source, link.span.offset);
    let own = skill.folder.path.file_name_lossy();
    let is_others = is_later_argument(before)
        || is_after_example_word(before)
        || follows_name(&own, &source.text()[..link.span.offset])
        || names_other_skill(&own, source, link.span.offset)
        || list_introduction(source, link.span.offset).is_some_and(names_other_folder)
        || is_in_list_of_others(skill, source, link.span.offset)
        || is_in_item_of_other(&own, source, link.span.offset)
        || is_sample_of_separators(source, link);
    match () {
        () if is_others => Owner::Other,
        () if is_in_example(source, link.span.offset) || is_task(before) => Owner::Unclear,
        () if is_script(link) && !lists_own_script(skill, source, link) => Owner::Unclear,
        () if is_instruction(source, link) || has_neighbour(skill, source, link) => Owner::Skill,
        () => Owner::Unclear,
    }
}

/// Whether the heading above says that this is an example, or the introduction of the list that its items are wrong.
fn is_in_example(source: &Source, offset: usize) -> bool {
    let has = |line: &str, words: &[&str]| {
        let lower = line.to_lowercase();
        words.iter().any(|word| lower.contains(word))
    };
    let mut lines = source.text()[..offset].lines().rev().take(MAX_SECTION_LINES);
    let heading = lines.find(|line| line.starts_with('#'));
    heading.is_some_and(|line| has(line, &EXAMPLE_HEADINGS))
        || list_introduction(source, offset).is_some_and(|line| has(line, &WRONG_INTRODUCTIONS))
}

/// Whether the line contrasts the path with the same one with backslashes: "`references/a.md`, never `references\a.md`".
fn is_sample_of_separators(source: &Source, link: &MarkdownLink) -> bool {
    source.slice(source.line_span(link.span.offset)).contains(&link.target.replace('/', "\\"))
}

/// Whether the path is in an item to tick off, which may demand it of the user's project.
fn is_task(before: &str) -> bool {
    before.trim_start_matches([' ', '-', '*', '+']).starts_with("[ ]")
}

/// Lines that are searched for the heading of a section, so that the time for many paths stays linear.
const MAX_SECTION_LINES: usize = 200;

fn is_script(link: &MarkdownLink) -> bool {
    link.target.starts_with("scripts/")
}

/// Whether a script is listed as one of the skill: its path starts an item or heading, or follows a label. Sentences also name the
/// scripts of the program that the skill is about, of its user's project, and of a folder that an installer adds.
fn lists_own_script(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    let before = line_before(source, link.span.offset);
    let is_listed = starts_line(before) || before.starts_with('#') || is_labelled(before);
    let is_optional = || {
        let sentence = sentence_around(source, link.span.offset);
        OPTIONAL_PHRASES.iter().any(|phrase| sentence.contains(phrase))
    };
    is_listed
        && !is_optional()
        && !skill.surroundings.elsewhere.contains(&link.target)
        && !is_followed_by_content(skill, source, link)
}

/// Whether the section that a path starts has the content of the file in a code block.
fn is_followed_by_content(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    let ending = link.target.rsplit('.').next().unwrap_or_default();
    let Some((_, languages)) = LANGUAGES.iter().find(|(endings, _)| endings.contains(&ending)) else { return false };
    let blocks = skill.document.as_ref().map_or(&[][..], |document| &document.outline.blocks);
    let first = blocks.partition_point(|block| block.span.offset < link.span.end());
    let mut end = link.span.end();
    for block in blocks[first..].iter().take(MAX_BLOCKS) {
        let between = source.text().get(end..block.span.offset).unwrap_or_default();
        if between.lines().skip(1).any(|line| line.starts_with('#')) {
            return false;
        }
        let content = source.slice(block.span);
        let name = link.target.rsplit('/').next().unwrap_or_default();
        // A usage names the script; its content has more lines.
        let is_usage = content.lines().count() < MIN_CONTENT || content.contains(name) && !content.contains("#!");
        if languages.contains(&block.language.as_str()) && !is_usage {
            return true;
        }
        end = block.span.end();
    }
    false
}

/// Blocks of a section that are searched for the content of a script.
const MAX_BLOCKS: usize = 4;
/// Lines of a block with the content of a script, at least, with its fences.
const MIN_CONTENT: usize = 6;
/// Extensions of scripts, and the languages of blocks with their content.
const LANGUAGES: [(&[&str], &[&str]); 6] = [
    (&["py"], &["python", "py", "python3"]),
    (&["sh", "bash", "zsh"], &["bash", "sh", "shell", "zsh"]),
    (&["js", "mjs", "cjs"], &["javascript", "js"]),
    (&["ts", "mts", "tsx"], &["typescript", "ts", "tsx"]),
    (&["ps1"], &["powershell", "pwsh", "ps1"]),
    (&["rb"], &["ruby", "rb"]),
];

/// Whether the path is behind another path in a command: `bash scripts/show.sh tags references/a.md`.
fn is_later_argument(before: &str) -> bool {
    let code = before.rsplit_once('`').filter(|_| before.matches('`').count() % 2 == 1).map_or("", |(_, code)| code);
    // What directly precedes the path is part of it: `./`.
    let (words, _) = code.rsplit_once(char::is_whitespace).unwrap_or_default();
    words.split_whitespace().any(|word| word.contains('/') && !word.starts_with('-'))
}

fn is_after_example_word(before: &str) -> bool {
    let outside = before.rsplit_once('`').map_or(before, |(outside, _)| outside);
    let lower = outside.trim_end_matches([' ', '：', ':', ',', '，']).to_lowercase();
    EXAMPLE_ENDS.iter().any(|word| lower.ends_with(word))
}

/// Whether the sentence before a path names another skill or plugin in a code span: "`plugin:tag-names` (see
/// `references/a.md`)". It may start on the line above.
fn names_other_skill(own: &str, source: &Source, offset: usize) -> bool {
    // A wiki link names a skill as a code span does.
    let sentence = wrapped_before(source, offset).replace("[[", "`").replace("]]", "`");
    let sentence = sentence.rsplit(". ").next().unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_');
    // "If `tag-names` was found, read its `references/a.md`."
    let owner = sentence.trim_end_matches([' ', '`', '*', '"']).rsplit(' ').next().unwrap_or_default();
    let is_theirs = matches!(owner.trim_start_matches('('), "its" | "their");
    // Every other piece between backticks is code.
    let pieces: Vec<&str> = sentence.split('`').collect();
    pieces.chunks(2).zip(pieces.iter().skip(2).step_by(2)).any(|(before, after)| {
        let [_, name] = before else { return false };
        // `/plugin:skill`, as a person types it.
        let name = name.strip_prefix('/').unwrap_or(name);
        let is_name = !name.is_empty() && name.chars().all(is_part) && name.rsplit(':').next() != Some(own);
        let has_plugin = name.split_once(':').is_some_and(|(plugin, skill)| !plugin.is_empty() && !skill.is_empty());
        is_name && (has_plugin || is_theirs || OWNER_ENDS.iter().any(|end| after.trim_start().starts_with(end)))
    })
}

/// The line before a path, with those above it that continue in it.
fn wrapped_before(source: &Source, offset: usize) -> String {
    let line = source.line_span(offset).offset;
    let mut lines = vec![source.text().get(line..offset).unwrap_or_default()];
    let mut above = source.text().get(..line).unwrap_or_default().lines().rev();
    let continues = |line: &str| {
        let start = line.trim_start_matches([' ', '*', '`', '"', '(']).chars().next();
        !is_list_item(line) && start.is_none_or(|c| !"-|#>".contains(c))
    };
    while lines.len() < MAX_WRAPPED && lines.last().is_some_and(|line| continues(line)) {
        let Some(line) = above.next().filter(|line| !line.trim().is_empty() && line.len() < MAX_LINE) else { break };
        lines.push(line);
    }
    lines.reverse();
    lines.join(" ")
}

/// Lines that are searched for the start of a sentence, and bytes of each.
const MAX_WRAPPED: usize = 4;
const MAX_LINE: usize = 1 << 10;

/// Whether the introduction of a list names a folder outside of the skill, whose files it then lists: "Key files of `~/tools/`:".
fn names_other_folder(introduction: &str) -> bool {
    let is_elsewhere = |word: &str| {
        let is_folder = word.ends_with(['/', '\\']) || word.split('/').count() > 2;
        is_folder && ["~/", "/", "<", "$", "../"].iter().any(|start| word.starts_with(start)) || word.contains("://")
    };
    introduction.split('`').skip(1).step_by(2).any(is_elsewhere)
}

/// Whether the list is one of a repository's files: an item starts with a file of a hidden folder, or two start with files of
/// folders that the skill does not have.
fn is_in_list_of_others(skill: &Skill, source: &Source, offset: usize) -> bool {
    let folders = || list_items(source, offset).filter_map(leading_folder);
    let is_unknown =
        |folder: &&str| !SKILL_FOLDERS.contains(folder) && !skill.has_folder(&skill.folder.path.join(*folder));
    folders().any(|folder| folder.starts_with('.')) || folders().filter(is_unknown).count() >= 2
}

/// The top folder of the path in code that an item starts with.
fn leading_folder(item: &str) -> Option<&str> {
    let item = item.trim_start_matches(|c: char| c.is_ascii_digit() || " -*+.)".contains(c));
    let (folder, _) = item.strip_prefix('`')?.split_once('`')?.0.split_once('/')?;
    let name = folder.strip_prefix('.').unwrap_or(folder);
    (name.starts_with(char::is_alphabetic) && !folder.contains(' ')).then_some(folder)
}

/// Whether an item starts with the name of something else, and the path is in parentheses behind it: "- `tag-names` (theirs): names
/// (`references/a.md`)".
fn is_in_item_of_other(own: &str, source: &Source, offset: usize) -> bool {
    let before = &source.text()[..offset];
    let lines = before.rmatch_indices('\n').map(|(at, _)| at + 1).chain([0]).take(MAX_ITEM_LINES);
    let Some(item) = lines.map(|start| &before[start..]).find(|item| is_list_item(item)) else { return false };
    let text = item.trim_start_matches(|c: char| c.is_ascii_digit() || " -*+.)".contains(c));
    let name = text.strip_prefix('`').and_then(|text| text.split_once('`')).map_or("", |(name, _)| name);
    let is_name = name.contains('-') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && name != own;
    let is_open = text.rfind('(') > text.rfind(')');
    is_name && is_open
}

/// Lines of an item that are searched for its start.
const MAX_ITEM_LINES: usize = 4;

/// Whether the text around a path says that the agent is to read or run it, or lists it as a file of the skill.
fn is_instruction(source: &Source, link: &MarkdownLink) -> bool {
    let before = line_before(source, link.span.offset);
    if is_argument(before) {
        return false;
    }
    if starts_line(before) || is_labelled(before) || is_heading_or_cell(before) {
        return true;
    }
    let lower = before.to_lowercase();
    let introduction = || list_introduction(source, link.span.offset).unwrap_or_default().to_lowercase();
    let reads = last_verb_writes(&lower).or_else(|| last_verb_writes(&introduction())).is_some_and(|writes| !writes);
    let end = lower.trim_end_matches(|c: char| c.is_whitespace() || "`*\"'「“[:：.".contains(c));
    let last = end.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let after = source.text().get(link.span.end()..).unwrap_or_default();
    let after = after.trim_start_matches(|c: char| "`*\"' 」”]".contains(c));
    reads
        || OWN_WORDS.iter().any(|word| end.ends_with(word))
        || INTERPRETERS.contains(&last)
        || READING_BEFORE.iter().any(|word| if word.is_ascii() { last == *word } else { end.ends_with(word) })
        || READING_AFTER.iter().any(|word| after.starts_with(word))
}

/// Whether the path follows the name of something other than the skill, which owns it: "`notes:tag-names` `references/a.md`". The
/// name may be on the line above.
fn follows_name(own: &str, before: &str) -> bool {
    let before = before.strip_suffix('`').unwrap_or(before);
    let name_end = before.trim_end_matches([' ', '\n']);
    if name_end.len() == before.len() || before[name_end.len()..].matches('\n').count() > 1 {
        return false;
    }
    let is_code = name_end.ends_with('`');
    let name_end = name_end.trim_end_matches('`');
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_');
    let name = &name_end[name_end.trim_end_matches(is_name).len()..];
    let starts = name_end.len() - name.len();
    let is_whole = !is_code || name_end[..starts].ends_with('`') || name_end[..starts].ends_with("`/");
    let has_parts = name.split(['-', ':']).filter(|part| !part.is_empty()).count() > 1;
    let is_own = name.rsplit(':').next() == Some(own);
    is_whole && has_parts && !is_own && name.ends_with(|c: char| c.is_alphanumeric())
}

/// Whether the path is an argument: `load(path="references/a.md")`.
fn is_argument(before: &str) -> bool {
    let unquoted = before.trim_end_matches(['"', '\'']);
    let is_call =
        unquoted.strip_suffix('(').is_some_and(|rest| rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    is_call || unquoted.ends_with('=') || unquoted.len() < before.len() && unquoted.ends_with(['(', ',', '[', '{', ':'])
}

/// Whether only a label and a colon or an arrow precede the path on its line.
fn is_labelled(before: &str) -> bool {
    let label = before.trim_end_matches(|c: char| c.is_whitespace() || "`*\"[_".contains(c));
    label.ends_with([':', '：', '→'])
        && label.trim_start_matches(['-', '*', ' ', '>', '|']).chars().count() <= MAX_LABEL
}

/// Whether the path is in a heading, or starts a cell of a table.
fn is_heading_or_cell(before: &str) -> bool {
    before.starts_with('#') || before.trim_end_matches(|c: char| c.is_whitespace() || "`*[".contains(c)).ends_with('|')
}

/// Whether the paragraph, list or table also names a file that the skill has, so that it is about the skill's own files.
fn has_neighbour(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    let text = source.text();
    let start = text[..link.span.offset].rfind("\n\n").map_or(0, |at| at + 2);
    let end = text[link.span.end()..].find("\n\n").map_or(text.len(), |at| link.span.end() + at);
    let links = skill.document.as_ref().map_or(&[][..], |document| &document.outline.links);
    let is_here = |other: &&MarkdownLink| other.span.offset >= start && other.span.end() <= end;
    links.iter().filter(is_here).filter(|other| other.kind == LinkKind::BarePath).any(|other| {
        let path = path_of(&other.target).and_then(|path| skill.path().resolve_beside(&path));
        path.is_some_and(|path| skill.file(&path).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{RepoPath, markdown};

    #[test]
    fn instructions_labels_and_lists_are_certain() {
        for (text, want) in [
            ("See `references/a.md` for the tone.", true),
            ("Sort with the rules of `references/a.md`.", true),
            ("- `references/a.md`: the tone", true),
            ("| `references/a.md` | the tone |", true),
            ("**Tone:** `references/a.md`", true),
            ("Then `python3 scripts/a.py` sorts them.", true),
            ("| tone | `references/a.md` | friendly |", true),
            ("### The tone - `references/a.md`", true),
            ("A host without a profile loads `references/a.md`.", true),
            ("| tone | 参考 `references/a.md` |", true),
            ("按照 `references/a.md` 检查", true),
            ("詳細は `references/a.md` を参照してください。", true),
            ("자세한 내용은 `references/a.md`를 참고하세요.", true),
            ("Details siehe `references/a.md`.", true),
            ("All steps of the notes skill `references/a.md` count.", true),
            ("Use `python3` `scripts/a.py`.", true),
            ("See the `--all` option.\n\n`references/a.md` has more.", true),
            ("Den Index lokal cachen (`references/a.json`).", false),
            ("Abweisungen in `references/a.json` merken.", false),
            ("Enthält das Paket der Kanzlei `references/a.json`?", false),
            ("Keep it small: exactly two generated files, `references/a.md` and one more.", false),
            ("This page calls `load_page(path=\"references/a.md\")`.", false),
            ("- 合意した内容は `references/a.md` に残す", false),
        ] {
            let source = Source::new(RepoPath::from("a/SKILL.md"), text.to_owned());
            let outline = markdown::outline(text, 0);
            let link = outline.links.first().unwrap_or_else(|| panic!("no path in {text}"));
            assert_eq!(is_instruction(&source, link), want, "{text}");
        }
    }

    #[test]
    fn lists_of_files_of_a_repository_are_recognised() {
        for (text, want) in [
            ("Require:\n\n- `.team/plugin.json`\n- `references/a.md`\n", true),
            ("1. `references/a.md`: of the repository\n2. `.ci/run.py`: preferred\n", true),
            ("- `.gitignore`\n- `references/a.md`\n", false),
            ("- `references/a.md`\n- `scripts/b.py`\n\nSee:\n\n- `.team/plugin.json`\n", false),
            ("See `references/a.md`.\n- `.team/plugin.json`\n", false),
        ] {
            let source = Source::new(RepoPath::from("a/SKILL.md"), text.to_owned());
            let offset = text.find("references").unwrap_or_default();
            let of_others =
                list_items(&source, offset).filter_map(leading_folder).any(|folder| folder.starts_with('.'));
            assert_eq!(of_others, want, "{text}");
        }
    }

    #[test]
    fn paths_of_other_owners_are_recognised() {
        for (text, want) in [
            ("See `notes:tags` (§ Names → `references/a.md`).", true),
            ("- `tag-names` — its\n  `references/a.md` lists them", true),
            ("**Schema:** See the `notes:tags` skill's\n`references/a.md`.", true),
            ("必要なら `tag-names` の references/a.md 参照", true),
            ("Run `pre-commit`, and see `references/a.md`.", false),
            ("- See the `a` skill's `references/a.md`.", false),
            ("- Tags: the `tag-names` skill.\n- See `references/a.md`.", false),
        ] {
            let source = Source::new(RepoPath::from("skills/a/SKILL.md"), text.to_owned());
            let offset = text.find("references").unwrap_or_default();
            assert_eq!(names_other_skill("a", &source, offset), want, "{text}");
        }
        for (text, want) in [
            ("Levels as in tag-names `references/a.md` apply.", true),
            ("It needs a row in `notes:tag-names`\n`references/a.md` or a reason.", true),
            ("Names are in `tag-names` `references/a.md`.", true),
            ("Names are in `own-notes` `references/a.md`.", false),
            ("Names are in `team:own-notes` `references/a.md`.", false),
            ("See the `--all` option.\n\n`references/a.md` has more.", false),
            ("See `references/a.md`.", false),
        ] {
            let before = &text[..text.find("references").unwrap_or_default()];
            assert_eq!(follows_name("own-notes", before), want, "{text}");
        }
        for (text, want) in [
            ("Run `bash scripts/show.sh tags references/a.md`", true),
            ("Run `python3 references/a.md`", false),
            ("Run `python3 ./references/a.md`", false),
            ("Run `sort` and read references/a.md", false),
        ] {
            let before = &text[..text.find("references").unwrap_or_default()];
            assert_eq!(is_later_argument(before), want, "{text}");
        }
        for (text, want) in [
            ("See `~/tools/sort/` for a worked example. Key files:", true),
            ("See `<your-folder>\\` for ten services:", true),
            ("Files of `https://notes.test/x`:", true),
            ("Files of `references/`:", false),
            ("Read `/sort` first:", false),
        ] {
            assert_eq!(names_other_folder(text), want, "{text}");
        }
    }
}
