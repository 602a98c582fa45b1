//! The snippets of the automation pages are valid, and their commands parse.

use crate::places::tools::{expect, root, text, yaml};
use crate::support::repo::Repo;
use serde_json::Value;

/// The pages of users besides those in `docs/how-to`.
const PAGES: [&str; 6] =
    ["README.md", "docs/README.md", "docs/install.md", "docs/linter.md", "docs/tutorial.md", "docs/troubleshooting.md"];

/// The code blocks of a language, each with the line of text above it.
fn blocks(page: &str, language: &str) -> Vec<(String, String)> {
    let text = text(&root(page));
    let mut found = Vec::new();
    let fence = format!("```{language}\n");
    let mut parts = text.split(&fence);
    let mut above = parts.next().unwrap().to_owned();
    for part in parts {
        let (block, below) = part.split_once("\n```").unwrap();
        let named = above.trim_end().lines().next_back().unwrap_or_default().to_owned();
        found.push((named, block.to_owned()));
        above = below.to_owned();
    }
    found
}

fn json(tool: &str) -> Value {
    let all = blocks("docs/how-to/agent-hooks.md", "json");
    let (_, block) = all.iter().find(|(above, _)| above.contains(tool)).unwrap_or_else(|| panic!("{tool}: {all:?}"));
    serde_json::from_str(block).unwrap_or_else(|e| panic!("{tool}: {e}"))
}

#[test]
fn settings_use_the_format_of_each_tool() {
    for (file, event, matcher, timeout) in [
        (".claude/settings.json", "PostToolUse", "Edit|Write|MultiEdit", 30),
        // In milliseconds.
        (".gemini/settings.json", "AfterTool", "write_file|replace", 30_000),
        (".codex/hooks.json", "PostToolUse", "apply_patch", 30),
    ] {
        let group = &json(file)["hooks"][event][0];
        assert_eq!((&group["matcher"], &group["hooks"][0]["timeout"]), (&matcher.into(), &timeout.into()), "{file}");
        assert_eq!(group["hooks"][0]["type"], "command");
        assert!(group["hooks"][0]["command"].as_str().unwrap().starts_with("canonry sync"));
    }
    let cursor = json(".cursor/hooks.json");
    assert_eq!(cursor["version"], 1);
    assert_eq!(cursor["hooks"]["afterFileEdit"][0]["timeout"], 30);
    assert!(cursor["hooks"]["afterFileEdit"][0]["command"].as_str().unwrap().starts_with("canonry sync"));
}

/// A hook's command prints nothing on stdout, syncs in one run, and works again on a second edit.
#[test]
fn the_commands_of_the_settings_run() {
    let repo = Repo::with_synced_skill();
    let canonry = crate::places::tools::path_with(&[&crate::places::tools::canonry_folder()]);
    for (file, event) in [
        (".claude/settings.json", "PostToolUse"),
        (".gemini/settings.json", "AfterTool"),
        (".codex/hooks.json", "PostToolUse"),
    ] {
        let settings = json(file);
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
        let run = || repo.command("sh").args(["-c", &command]).env("PATH", &canonry).output().unwrap().into();
        repo.append(crate::places::tools::SKILL, "- Be brief.\n");
        for _ in 0..2 {
            let ran: crate::support::repo::Ran = run();
            expect(&ran, 0, &[]);
            assert_eq!(ran.stdout, "", "{file}: a tool would read it");
        }
        expect(&repo.canonry(&["sync", "--check"]), 0, &[]);
        repo.append(".claude/skills/release-notes/SKILL.md", "- By hand.\n");
        // Gemini CLI would hide the result of the edit after any other status than 0 and 1.
        expect(&run(), if file.contains("gemini") { 1 } else { 2 }, &["edited by hand"]);
        expect(&repo.canonry(&["sync", "--adopt", ".claude/skills/release-notes"]), 0, &[]);
    }
}

#[test]
fn yaml_is_valid_and_names_existing_hooks() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let ids: Vec<&str> = hooks.as_array().unwrap().iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    let all = blocks("docs/how-to/automate.md", "yaml");
    assert!(all.len() >= 2, "{all:?}");
    let mut named = 0;
    for (above, block) in all {
        let value: Value = serde_yaml::from_str(&block).unwrap_or_else(|e| panic!("{above}: {e}\n{block}"));
        for hook in value["repos"].as_array().into_iter().flatten().flat_map(|repo| repo["hooks"].as_array().unwrap()) {
            let id = hook["id"].as_str().unwrap();
            assert!(ids.contains(&id), "{id}");
            named += 1;
        }
    }
    assert!(named >= 1);
}

/// Every `canonry …` in a text or a `sh` block is a valid command line. Nothing runs: each gets `--help`.
#[test]
fn every_command_in_the_text_parses() {
    let repo = Repo::without_git();
    let jobs = std::fs::read_dir(root("docs/how-to")).unwrap();
    let jobs = jobs.map(|job| format!("docs/how-to/{}", job.unwrap().file_name().to_str().unwrap()));
    for page in PAGES.map(str::to_owned).into_iter().chain(jobs) {
        let text = text(&root(&page));
        let inline = text.split('`').filter(|part| part.starts_with("canonry ")).map(str::to_owned);
        let scripts = blocks(&page, "sh").into_iter().map(|(_, script)| script.replace("\\\n", " "));
        let scripts: Vec<String> =
            scripts.flat_map(|script| script.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        for line in inline.chain(scripts.into_iter().filter(|line| line.starts_with("canonry "))) {
            let args = words(&line);
            let args: Vec<&str> = args.iter().map(String::as_str).skip(1).chain(["--help"]).collect();
            let ran = repo.canonry(&args);
            assert_eq!(ran.status, 0, "{page}: {line}: {}", ran.stderr);
        }
    }
}

/// The words of a command line, without its comment and its redirections.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '#' | '>' | '<' | '|') => break,
            (None, c) if c.is_whitespace() => words.push(String::new()),
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
