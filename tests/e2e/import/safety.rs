//! An import overwrites nothing, follows no link out of the repository, and can be repeated.

use crate::import::{assert_kept, json, left};
use crate::support::failpoints::{Scenario, interrupt_everywhere};
use crate::support::repo::{Repo, document};
use serde_json::Value;

fn ruler() -> Repo {
    let repo = Repo::empty();
    repo.write(".ruler/AGENTS.md", "# The project\n");
    repo.write(".ruler/style.md", "# Style\n");
    repo.write(".ruler/skills/deploy/SKILL.md", document("deploy"));
    repo.write(".ruler/skills/deploy/notes.md", "Notes.\n");
    repo
}

fn refused(document: &Value) -> Vec<(&str, &str, &str)> {
    let all = document["refused"].as_array().unwrap();
    all.iter()
        .map(|r| (r["from"].as_str().unwrap(), r["to"].as_str().unwrap(), r["reason"].as_str().unwrap()))
        .collect()
}

/// The folder of the canon may be a program's.
#[test]
fn a_program_called_agent_is_named() {
    let repo = Repo::empty();
    repo.write("agent/go.mod", "module example.com/agent\n");
    repo.write("AGENTS.md", "# Ours\n");
    let document = json(&repo, &[], 0);
    let said = document["next"].to_string();
    assert!(said.contains("agent/ also has files of its own, such as agent/go.mod"), "{said}");
    repo.remove("agent/AGENTS.md");
    repo.remove("agent/canonry.yaml");
    repo.write("canonry.yaml", "root: canon\n");
    let document = json(&repo, &[], 0);
    assert!(repo.exists("canon/AGENTS.md") && !document["next"].to_string().contains("files of its own"));
}

#[test]
fn refuses_differing_items_and_imports_the_rest() {
    let repo = ruler();
    repo.write("agent/AGENTS.md", "# Our own\n");
    repo.write("agent/skills/deploy/notes.md", "Other notes.\n");
    let before = repo.tree();
    let document = json(&repo, &[], 5);
    assert_kept(&before, &repo.tree());
    let refused = refused(&document);
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert_eq!(refused[0], (".ruler/AGENTS.md", "agent/AGENTS.md", "agent/AGENTS.md exists and differs"));
    let (from, to, why) = refused[1];
    assert_eq!((from, to), (".ruler/skills/deploy", "agent/skills/deploy"));
    assert!(why.contains("notes.md"), "{why}");
    assert!(!repo.exists("agent/skills/deploy/SKILL.md"), "a skill is imported completely or not at all");
    assert_eq!(repo.text("agent/policies/style.md"), "# Style\n");
    let before = repo.tree();
    repo.canonry(&["import"]).expect(5).says(&["refused   .ruler/AGENTS.md -> agent/AGENTS.md"]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn accepts_equal_items() {
    let repo = ruler();
    repo.write("agent/AGENTS.md", "# The project\n");
    repo.write("agent/skills/deploy/SKILL.md", document("deploy"));
    let document = json(&repo, &[], 0);
    let new = |to: &str| {
        let all = document["taken"].as_array().unwrap();
        all.iter().find(|taken| taken["to"] == to).unwrap()["new"].as_u64().unwrap()
    };
    assert_eq!([new("agent/AGENTS.md"), new("agent/policies/style.md"), new("agent/skills/deploy")], [0, 1, 1]);
}

#[test]
fn refuses_names_that_differ_only_in_case_or_directory() {
    let repo = ruler();
    repo.write("agent/policies/Style.md", "# Ours\n");
    repo.write("agent/skills/ops/deploy/SKILL.md", document("ops/deploy"));
    let document = json(&repo, &[], 5);
    let refused = refused(&document);
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].2.contains("except for case"), "{refused:?}");
    assert!(refused[1].2.contains("agent/skills/ops/deploy"), "{refused:?}");
}

#[test]
fn writes_a_config_only_if_none_exists() {
    let repo = ruler();
    repo.write(".ruler/ruler.toml", "default_agents = [\"claude\"]\n");
    repo.write("agent/canonry.yaml", "targets: [gemini]\n");
    let document = json(&repo, &[], 0);
    assert_eq!(repo.text("agent/canonry.yaml"), "targets: [gemini]\n");
    assert_eq!(document["config"]["written"], false);
    assert!(document["config"]["text"].as_str().unwrap().contains("targets: [claude]"));
    let repo = ruler();
    repo.write(".ruler/ruler.toml", "default_agents = [\"claude\"]\n");
    repo.write("canonry.yaml", "targets: [gemini]\n");
    json(&repo, &[], 0);
    assert!(!repo.exists("agent/canonry.yaml"), "the one at the top is used alone");
}

#[test]
fn follows_no_links() {
    let repo = ruler();
    let outside = repo.outside("elsewhere");
    std::fs::write(outside.join("secret.md"), "secret\n").unwrap();
    std::fs::create_dir(outside.join("skill")).unwrap();
    std::fs::write(outside.join("skill/SKILL.md"), document("skill")).unwrap();
    repo.link(".ruler/out.md", outside.join("secret.md"));
    repo.link(".ruler/in.md", "style.md");
    repo.link(".ruler/skills/out", outside.join("skill"));
    repo.link(".ruler/skills/deploy/out.md", outside.join("secret.md"));
    let document = json(&repo, &[], 0);
    for path in [".ruler/out.md", ".ruler/skills/out", ".ruler/skills/deploy/out.md"] {
        assert!(left(&document, path)[0].contains("links are not followed"), "{path}: {document:#}");
    }
    assert!(left(&document, ".ruler/in.md")[0].contains("a link to .ruler/style.md"));
    for path in ["agent/policies/out.md", "agent/policies/in.md", "agent/skills/out", "agent/skills/deploy/out.md"] {
        assert!(!repo.exists(path), "{path}");
    }
    assert!(repo.exists("agent/skills/deploy/SKILL.md"));
}

#[test]
fn skips_invalid_names() {
    use std::os::unix::ffi::OsStrExt;
    let repo = ruler();
    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    if std::fs::write(repo.path(".ruler").join(odd), "# Odd\n").is_err() {
        return; // A file system that takes no such name.
    }
    repo.write(".ruler/a\nb.md", "# Odd\n");
    let document = json(&repo, &[], 0);
    let odd = document["left"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|l| l["reason"].as_str().unwrap().contains("invalid characters"));
    assert_eq!(odd.count(), 2, "{document:#}");
}

#[test]
fn does_not_read_a_linked_source() {
    let repo = Repo::empty();
    let outside = repo.outside("shared");
    std::fs::write(outside.join("AGENTS.md"), "secret\n").unwrap();
    repo.link(".ruler", &outside);
    repo.link(".claude", &outside);
    repo.canonry(&["import"]).expect(0).says(&["Nothing to import"]);
    assert!(!repo.exists("agent"));
}

#[test]
fn does_not_write_to_a_linked_canon() {
    let repo = ruler();
    let outside = repo.outside("shared");
    repo.link("agent/policies", &outside);
    let document = json(&repo, &[], 5);
    assert!(
        refused(&document).iter().any(|(_, to, why)| *to == "agent/policies/style.md" && why.contains("in the way"))
    );
    assert_eq!(std::fs::read_dir(outside).unwrap().count(), 0);
}

#[test]
fn dry_run_prints_what_a_run_writes() {
    let repo = ruler();
    repo.commit_all("before");
    let before = repo.tree();
    let ran = repo.canonry(&["import", "--dry-run"]).expect(0);
    assert_eq!(repo.tree(), before);
    let patch = repo.outside("patch").join("import.diff");
    std::fs::write(&patch, &ran.stdout).unwrap();
    let other = ruler();
    other.commit_all("before");
    other.git(&["apply", patch.to_str().unwrap()]);
    repo.canonry(&["import"]).expect(0);
    assert_eq!(repo.tree(), other.tree());
    assert!(ran.stderr.contains("nothing was written"), "{}", ran.stderr);
}

#[test]
fn requires_a_choice_between_several_sources() {
    let repo = ruler();
    repo.write(".rulesync/rules/style.md", "---\nroot: true\n---\n# Other style\n");
    repo.write(".claude/commands/mine.md", "Mine.\n");
    let before = repo.tree();
    repo.canonry(&["import"]).expect(64).says(&["rulesync, ruler", "--from rulesync"]);
    assert_eq!(repo.tree(), before);
    json(&repo, &["--from", "ruler"], 0);
    // The second import adds items, and is refused where the first one wrote other content.
    let document = json(&repo, &["--from", "rulesync"], 5);
    assert_eq!(refused(&document)[0].1, "agent/AGENTS.md");
    assert_eq!(repo.text("agent/AGENTS.md"), "# The project\n");
    json(&repo, &["--from", "tools"], 0);
    assert_eq!(repo.text("agent/commands/mine.md"), "Mine.\n");
}

#[test]
fn fails_if_the_source_does_not_exist() {
    let repo = Repo::empty();
    repo.canonry(&["import"]).expect(0).says(&["Nothing to import"]);
    repo.canonry(&["import", "--from", "ruler"]).expect(65).says(&["nothing of ruler here: looked for .ruler"]);
    repo.canonry(&["import", "--from", "cursor"]).expect(64);
    assert!(!repo.exists("agent"));
    repo.write(".gitignore", "agent/\n");
    repo.write(".ruler/AGENTS.md", "# A\n");
    repo.canonry(&["import"]).expect(65).says(&["git ignores"]);
}

#[test]
fn writes_nothing_while_another_run_holds_the_lock() {
    let repo = ruler();
    std::fs::create_dir_all(repo.path(".git/canonry")).unwrap();
    let lock = std::fs::File::create(repo.path(".git/canonry/lock")).unwrap();
    lock.lock().unwrap();
    repo.canonry(&["import"]).expect(4);
    assert!(!repo.exists("agent"));
    drop(lock);
    repo.canonry(&["import"]).expect(0);
}

/// A run that is killed at any write leaves complete files, and the next run completes the import.
#[test]
fn next_run_completes_a_killed_run() {
    let then = |repo: &Repo| {
        repo.assert_copied("deploy", ".ruler/skills/deploy");
        assert_eq!(repo.text("agent/policies/style.md"), "# Style\n");
    };
    interrupt_everywhere(&Scenario { make: ruler, args: &["import"], precious: &["# Style\n", "Notes.\n"], then });
}

/// The journal of the sync separates its own files from user files and must not be lost.
#[test]
fn refuses_to_run_after_an_interrupted_sync() {
    let repo = ruler();
    let journal = format!("file - - {} 100644 .claude/skills/a/SKILL.md\n", "1".repeat(40));
    repo.write(".git/canonry/journal", &journal);
    repo.canonry(&["import"]).expect(5).says(&["run `canonry sync`"]);
    assert_eq!(repo.text(".git/canonry/journal"), journal);
    assert!(!repo.exists("agent"));
}

#[test]
fn does_not_import_files_that_sync_wrote() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# Ours\n");
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {agents: {context: map}, claude: {context: import}}\n");
    repo.sync(&[]).expect(0);
    repo.canonry(&["import"]).expect(0).says(&["Nothing to import"]);
    // The text outside the block belongs to the user and is imported.
    repo.write("AGENTS.md", "# By hand\n\n".to_owned() + &repo.text("AGENTS.md"));
    let document = json(&repo, &[], 5);
    assert_eq!(refused(&document)[0].0, "AGENTS.md");
}
