//! `canonry skills`: the skill lists, and the checks that keep them up to date.

use crate::support::repo::{GOOD, Ran, Repo};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

const INDEX: &str = "agent/skills/_index.md";
const MANIFEST: &str = "agent/skills/_manifest.jsonl";
const DEPLOY: &str = "agent/skills/ops/deploy-check/SKILL.md";

fn deploy(description: &str) -> String {
    format!(
        "---\nname: deploy-check\ndescription: {description}\nmetadata:\n  version: \"1.2.0\"\n  triggers: ship it, deploy\n  \
         tools: kubectl\n  preconditions: DEPLOY.md exists; `sh` is installed; `no-such-command` is installed\n  \
         constraints: never on a Friday\n---\n\n# Deploy\n\nGo slowly.\n"
    )
}

fn two() -> Repo {
    let repo = Repo::with_skill();
    repo.write(DEPLOY, deploy("Checks a <deployment> | before traffic moves."));
    repo
}

fn read(repo: &Repo, path: &str) -> String {
    std::fs::read_to_string(repo.path(path)).unwrap()
}

/// Runs canonry and asserts the exit status.
fn run(repo: &Repo, args: &[&str], status: i32) -> Ran {
    let ran = repo.canonry(args);
    assert_eq!(ran.status, status, "{args:?}:\n{}{}", ran.stdout, ran.stderr);
    ran
}

fn rules(repo: &Repo, args: &[&str]) -> Vec<String> {
    let ran = repo.canonry(&[&["check", "--format", "json"], args].concat());
    let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {}", ran.stderr));
    document["findings"].as_array().unwrap().iter().map(|f| f["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn index_lists_every_skill() {
    let repo = two();
    repo.write("agent/skills/broken/SKILL.md", "# no frontmatter\n");
    repo.write("agent/skills/release-notes/inner/SKILL.md", GOOD);
    insta::assert_snapshot!("skills_index", repo.shown(&["skills", "index"]));
    insta::assert_snapshot!("skills_index_md", read(&repo, INDEX));
    insta::assert_snapshot!("skills_manifest", read(&repo, MANIFEST));
    assert!(!repo.path("agent/mirrors.lock").exists());
    assert_eq!(run(&repo, &["skills", "index"], 0).stdout, "The skill index is up to date.\n");
}

#[test]
fn the_id_of_a_skill_is_its_git_tree() {
    let repo = two();
    let script = repo.path("agent/skills/ops/deploy-check/scripts/a.sh");
    repo.write("agent/skills/ops/deploy-check/scripts/a.sh", "#!/bin/sh\n");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("scripts/a.sh", repo.path("agent/skills/ops/deploy-check/a-link")).unwrap();
    run(&repo, &["skills", "index"], 0);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "Skills"]);
    for line in read(&repo, MANIFEST).lines().skip(1) {
        let card: Value = serde_json::from_str(line).unwrap();
        let folder = card["path"].as_str().unwrap().trim_end_matches("/SKILL.md").to_owned();
        assert_eq!(card["id"].as_str().unwrap(), repo.git(&["rev-parse", &format!("HEAD:{folder}")]));
    }
    // The same for the index and a commit, where the ids come from git.
    for view in [&["--staged"][..], &["--rev", "HEAD"]] {
        assert!(!rules(&repo, view).contains(&"registry-stale".to_owned()), "{view:?}");
    }
}

#[test]
fn check_reports_stale_lists_and_fixes_them() {
    let repo = two();
    assert!(!rules(&repo, &[]).contains(&"registry-stale".to_owned()), "no list was requested");
    run(&repo, &["skills", "index"], 0);
    assert!(!rules(&repo, &[]).contains(&"registry-stale".to_owned()));
    // The content changes, but no description.
    repo.append(DEPLOY, "Twice.\n");
    assert_eq!(rules(&repo, &[]).iter().filter(|rule| *rule == "registry-stale").count(), 1);
    repo.write(DEPLOY, deploy("Other words."));
    assert_eq!(rules(&repo, &[]).iter().filter(|rule| *rule == "registry-stale").count(), 2);
    run(&repo, &["skills", "index", "--check"], 1);
    repo.canonry(&["check", "--fix"]);
    run(&repo, &["skills", "index", "--check"], 0);
    assert!(read(&repo, INDEX).contains("Other words."));
    std::fs::remove_file(repo.path(MANIFEST)).unwrap();
    assert_eq!(rules(&repo, &[]).iter().filter(|rule| *rule == "registry-stale").count(), 1);
}

#[test]
fn sync_updates_existing_lists() {
    let repo = two();
    run(&repo, &["sync", "--commit"], 0);
    assert!(!repo.path(INDEX).exists() && !repo.path(MANIFEST).exists());
    run(&repo, &["skills", "index"], 0);
    assert!(read(&repo, "agent/mirrors.lock").contains(INDEX), "the lock contains the owned list");
    repo.write(DEPLOY, deploy("Other words."));
    run(&repo, &["sync", "--check"], 1);
    let ran = run(&repo, &["sync", "--commit"], 0);
    assert!(ran.stdout.contains(INDEX), "{}", ran.stdout);
    assert!(read(&repo, INDEX).contains("Other words.") && read(&repo, MANIFEST).contains("Other words."));
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    run(&repo, &["check"], 0);
    // The lists are not skills: mirrors do not contain them.
    assert!(!repo.path(".claude/skills/_index.md").exists() && !repo.path(".claude/skills/_manifest.jsonl").exists());
    let again = run(&repo, &["sync"], 0);
    assert!(again.stdout.starts_with("Up to date: "), "{}", again.stdout);
}

#[test]
fn a_list_without_a_lock_entry_is_recognised_by_its_first_line() {
    let repo = two();
    run(&repo, &["skills", "index"], 0);
    repo.write(DEPLOY, deploy("Other words."));
    run(&repo, &["sync"], 0);
    assert!(read(&repo, INDEX).contains("Other words."));
    // The same applies to a clone that lost its lock.
    std::fs::remove_file(repo.path("agent/mirrors.lock")).unwrap();
    repo.write(DEPLOY, deploy("More words."));
    repo.canonry(&["sync"]);
    assert!(read(&repo, INDEX).contains("More words."));
}

#[test]
fn the_config_enables_and_disables_lists() {
    let repo = two();
    repo.write("agent/canonry.yaml", "skills_index: true\n");
    run(&repo, &["sync"], 0);
    assert!(repo.path(INDEX).exists() && repo.path(MANIFEST).exists());
    repo.write("agent/canonry.yaml", "skills_index: false\n");
    run(&repo, &["sync"], 0);
    assert!(!repo.path(INDEX).exists() && !repo.path(MANIFEST).exists(), "owned lists are removed");
    repo.write(INDEX, "# Mine\n");
    run(&repo, &["sync"], 0);
    assert!(!rules(&repo, &[]).contains(&"registry-stale".to_owned()));
    assert_eq!(read(&repo, INDEX), "# Mine\n");
}

#[test]
fn user_files_with_the_name_of_a_list_are_preserved() {
    for (edit, synced) in [(false, false), (false, true), (true, false), (true, true)] {
        let repo = two();
        if synced {
            run(&repo, &["sync"], 0);
        }
        if edit {
            run(&repo, &["skills", "index"], 0);
            repo.append(INDEX, "| mine | | | |\n");
        } else {
            repo.write(INDEX, "# Mine\n");
        }
        let before = read(&repo, INDEX);
        if !edit {
            // Lists are not enabled: a file with this name is an ordinary user file.
            run(&repo, &["sync"], 0);
            assert!(!rules(&repo, &[]).contains(&"registry-stale".to_owned()));
            repo.write("agent/canonry.yaml", "skills_index: true\n");
        }
        for command in [&["skills", "index"][..], &["sync"], &["check", "--fix"]] {
            let ran = repo.canonry(command);
            assert_eq!(
                ran.status,
                if command[0] == "check" { 0 } else { 5 },
                "{command:?}: {}{}",
                ran.stdout,
                ran.stderr
            );
            assert_eq!(read(&repo, INDEX), before, "{command:?}");
        }
        assert!(rules(&repo, &[]).contains(&"registry-stale".to_owned()));
        let ran = run(&repo, &["skills", "index", "--force"], 0);
        let kept = ran.stdout.lines().find(|line| line.starts_with("backed up")).unwrap();
        assert_eq!(std::fs::read_to_string(kept.rsplit_once(" to ").unwrap().1).unwrap(), before);
        run(&repo, &["skills", "index", "--check"], 0);
        run(&repo, &["sync"], 0);
    }
}

#[test]
fn a_refusal_names_the_remedy() {
    let repo = two();
    repo.write(INDEX, "# Mine\n");
    insta::assert_snapshot!("skills_index_refused", repo.shown(&["skills", "index"]));
}

#[test]
fn sync_resolves_list_conflicts_of_two_branches() {
    let repo = two();
    run(&repo, &["skills", "index"], 0);
    run(&repo, &["sync", "--commit"], 0);
    for (branch, name) in [("left", "a-left"), ("right", "z-right")] {
        repo.git(&["checkout", "-qb", branch, "main"]);
        let text = format!("---\nname: {name}\ndescription: Use it on the {branch}.\n---\n\n# It\n\nGo.\n");
        repo.write(&format!("agent/skills/{name}/SKILL.md"), &text);
        repo.git(&["add", "-A"]);
        run(&repo, &["sync", "--commit"], 0);
    }
    assert_ne!(repo.command("git").args(["merge", "-q", "left"]).output().unwrap().status.code(), Some(0));
    assert!(read(&repo, INDEX).contains("<<<<<<<"));
    let ran = repo.canonry(&["sync"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let index = read(&repo, INDEX);
    assert!(index.contains("a-left") && index.contains("z-right") && !index.contains("<<<<<<<"), "{index}");
}

#[test]
fn sync_staged_stages_the_updated_lists() {
    let repo = two();
    run(&repo, &["skills", "index"], 0);
    run(&repo, &["sync", "--commit"], 0);
    repo.write(DEPLOY, deploy("Other words."));
    repo.git(&["add", DEPLOY]);
    assert!(rules(&repo, &["--staged"]).contains(&"registry-stale".to_owned()));
    run(&repo, &["sync", "--staged"], 0);
    assert!(repo.git(&["show", &format!(":{INDEX}")]).contains("Other words."));
    assert!(read(&repo, INDEX).contains("Other words."));
    assert!(!rules(&repo, &["--staged"]).contains(&"registry-stale".to_owned()));
}

#[test]
fn crlf_line_endings_do_not_make_a_list_stale() {
    let repo = two();
    run(&repo, &["skills", "index"], 0);
    for path in [INDEX, MANIFEST] {
        let text = read(&repo, path).replace('\n', "\r\n");
        repo.write(path, &text);
    }
    assert!(!rules(&repo, &[]).contains(&"registry-stale".to_owned()));
    repo.write(DEPLOY, deploy("Other words."));
    run(&repo, &["skills", "index"], 0);
    assert!(read(&repo, INDEX).contains("Other words."));
}

#[test]
fn skills_list_prints_every_skill() {
    let repo = two();
    insta::assert_snapshot!("skills_list", repo.shown(&["skills", "list"]));
    insta::assert_snapshot!("skills_list_xml", repo.shown(&["skills", "list", "--xml"]));
    let empty = Repo::empty();
    empty.write("agent/canonry.yaml", "");
    assert_eq!(run(&empty, &["skills", "list", "--xml"], 0).stdout, "<available_skills>\n</available_skills>\n");
    assert_eq!(run(&Repo::empty(), &["skills", "list"], 65).stdout, "");
}

#[test]
fn skills_match_finds_the_matching_skill() {
    let repo = two();
    insta::assert_snapshot!("skills_match", repo.shown(&["skills", "match", "please SHIP  IT, with release notes"]));
    let ran = run(&repo, &["skills", "match", "shipping", "its", "wares"], 0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "No skill matches.\n"));
    repo.write("DEPLOY.md", "# How\n");
    let ran = run(&repo, &["skills", "match", "deploy", "--format", "json"], 0);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let missing: Vec<&str> =
        document["matches"][0]["missing"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    assert_eq!(missing, ["the command `no-such-command` is not on the path"]);
    let ran = run(&repo, &["skills", "match", "-k", "1", "release notes or deploy"], 0);
    assert_eq!(ran.stdout.matches("why:").count(), 1);
}

#[test]
fn skills_show_prints_a_skill_with_its_mirrors() {
    let repo = two();
    repo.write("agent/canonry.yaml", "targets: [claude, codex]\nskills: {release-notes: {targets: [claude]}}\n");
    insta::assert_snapshot!("skills_show_before", repo.shown(&["skills", "show", "release-notes"]));
    run(&repo, &["sync"], 0);
    repo.append(".claude/skills/release-notes/SKILL.md", "- Mine.\n");
    insta::assert_snapshot!("skills_show", repo.shown(&["skills", "show", "release-notes"]));
    insta::assert_snapshot!("skills_show_deploy", repo.shown(&["skills", "show", "deploy-check"]));
    let ran = run(&repo, &["skills", "show", "deploy-chek"], 65);
    assert!(ran.stderr.contains("did you mean `deploy-check`?"), "{}", ran.stderr);
    repo.write("agent/skills/broken/SKILL.md", "# no frontmatter\n");
    assert!(run(&repo, &["skills", "show", "broken"], 65).stderr.contains("`canonry check`"));
}

/// For tools without skill support, the block of `AGENTS.md` can list the skills.
#[test]
fn agents_md_can_list_the_skills() {
    let repo = two();
    repo.write("agent/AGENTS.md", "# Map\n");
    repo.write("AGENTS.md", "# Mine\n");
    repo.write("agent/canonry.yaml", "files: {agents: {context: map}}\n");
    run(&repo, &["sync"], 0);
    assert!(!read(&repo, "AGENTS.md").contains("available_skills"), "off by default");
    repo.write("agent/canonry.yaml", "files: {agents: {context: map, skills: true}}\n");
    run(&repo, &["sync", "--check"], 1);
    run(&repo, &["sync"], 0);
    let text = read(&repo, "AGENTS.md");
    assert!(text.starts_with("# Mine\n") && text.contains("# Map\n\n<available_skills>\n"), "{text}");
    assert!(text.contains("<description>Checks a &lt;deployment&gt; | before traffic moves.</description>"), "{text}");
    assert!(text.contains(&format!("<location>{DEPLOY}</location>")), "{text}");
    run(&repo, &["sync", "--check"], 0);
    // The description contains markup.
    assert_eq!(rules(&repo, &[]), ["description-markup"]);
    // A changed description and a restricted skill change the list.
    repo.write(DEPLOY, deploy("Checks it."));
    run(&repo, &["sync", "--check"], 1);
    repo.write("agent/canonry.yaml", "files: {agents: {skills: true}}\nskills: {deploy-check: {targets: [claude]}}\n");
    run(&repo, &["sync"], 0);
    let text = read(&repo, "AGENTS.md");
    assert!(!text.contains("deploy-check") && !text.contains("# Map") && text.contains("release-notes"), "{text}");
    repo.write("agent/canonry.yaml", "{}\n");
    run(&repo, &["sync"], 0);
    assert_eq!(read(&repo, "AGENTS.md"), "# Mine\n");
}
