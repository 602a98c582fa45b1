//! Adding, listing, installing and removing.

use super::source::{Source, add, canon, skills};
use crate::support::repo::{Repo, document};
use serde_json::Value;

const LOCK: &str = "agent/skills.lock";
const PDF: &str = "agent/skills/pdf/SKILL.md";

fn lock(repo: &Repo) -> Value {
    serde_json::from_str(&repo.text(LOCK)).unwrap()
}

#[test]
fn a_skill_is_shown_written_and_pinned() {
    let source = Source::new(&["pdf", "xls"]);
    let repo = canon();
    add(&repo, &source, &["--skill", "pdf"]).says(&[
        "source    file://",
        "licence   MIT (LICENSE)",
        "scripts/run.sh (shell) runs git",
        "added     pdf to agent/skills/pdf",
        "Run `canonry sync`",
    ]);
    assert_eq!(repo.text(PDF), source.work.text("skills/pdf/SKILL.md"));
    assert_eq!(repo.mode("agent/skills/pdf/scripts/run.sh") & 0o100, 0o100);
    let pin = &lock(&repo)["skills"]["pdf"];
    let tree = source.work.git(&["rev-parse", "HEAD:skills/pdf"]);
    let commit = source.work.git(&["rev-parse", "HEAD"]);
    assert_eq!((pin["content"].as_str(), pin["commit"].as_str()), (Some(tree.as_str()), Some(commit.as_str())));
    assert_eq!((pin["path"].as_str(), pin["license"].as_str()), (Some("skills/pdf"), Some("MIT (LICENSE)")));
    assert!(!repo.exists("agent/skills/xls"));
    skills(&repo, &["list", "--remote"]).expect(0).says(&["pdf  unchanged", "MIT"]);
    add(&repo, &source, &["--skill", "pdf"]).says(&["unchanged pdf: added before"]);
    repo.check(&[]).expect(0);
}

#[test]
fn several_skills_need_a_choice() {
    let source = Source::new(&["pdf", "xls"]);
    let repo = canon();
    skills(&repo, &["add", &source.url(), "--yes"]).expect(64).says(&["there are 2 skills: pdf, xls", "--all"]);
    skills(&repo, &["add", &source.url(), "--yes", "--skill", "doc"]).expect(64).says(&["no skill `doc`"]);
    skills(&repo, &["list", "--remote", &source.url()]).expect(0).says(&["pdf  skills/pdf\nxls  skills/xls\n"]);
    add(&repo, &source, &["--all"]).says(&["added     pdf", "added     xls"]);
    // The folder of a skill is a choice.
    let other = canon();
    add(&other, &source, &["--path", "skills/xls"]);
    assert!(other.exists("agent/skills/xls/SKILL.md") && !other.exists("agent/skills/pdf"));
}

#[test]
fn nothing_is_written_without_an_answer() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    let before = repo.tree();
    skills(&repo, &["add", &source.url()]).expect(3).says(&["content   ", "run this again with `--yes`"]);
    skills(&repo, &["add", &source.url(), "--dry-run"]).expect(0).says(&["would add pdf"]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn a_folder_is_used_as_it_is_committed() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    source.work.append("skills/pdf/SKILL.md", "not committed\n");
    let folder = source.work.root.join("skills/pdf");
    skills(&repo, &["add", folder.to_str().unwrap(), "--yes"]).expect(0).says(&["as it is committed"]);
    assert!(!repo.text(PDF).contains("not committed"));
    let plain = repo.outside("plain");
    skills(&repo, &["add", plain.to_str().unwrap(), "--yes"]).expect(65).says(&["is in no git repository"]);
}

#[test]
fn what_is_there_is_never_overwritten() {
    let source = Source::new(&["pdf", "own", "Upper"]);
    let repo = canon();
    repo.skill("upper");
    let own = repo.text("agent/skills/own/SKILL.md");
    let ran = skills(&repo, &["add", &source.url(), "--yes", "--all"]).expect(5);
    ran.says(&["agent/skills/own/SKILL.md exists and has other content", "differs only in case", "added     pdf"]);
    assert_eq!(repo.text("agent/skills/own/SKILL.md"), own);
    assert!(!repo.exists("agent/skills/Upper"));
    // Two spellings at the source.
    let twins = Source::new(&["pdf", "PDF"]);
    let both = canon();
    skills(&both, &["add", &twins.url(), "--yes", "--all"]).expect(5).says(&["differs only in case"]);
    assert!(both.exists("agent/skills/PDF") && !both.exists("agent/skills/pdf"));
    // The same name from another source.
    let other = Source::new(&["pdf"]);
    skills(&repo, &["add", &other.url(), "--yes"]).expect(5).says(&["the lock has a skill with this name"]);
    // A copy with the same content is only pinned.
    let repo = canon();
    for file in ["SKILL.md", "scripts/run.sh"] {
        repo.write(&format!("agent/skills/pdf/{file}"), source.work.text(&format!("skills/pdf/{file}")));
    }
    repo.chmod("agent/skills/pdf/scripts/run.sh", 0o755);
    add(&repo, &source, &["--skill", "pdf"]);
    assert_eq!(lock(&repo)["skills"]["pdf"]["path"], "skills/pdf");
}

#[test]
fn a_commit_has_the_skill_its_lock_and_mirrors_in_sync() {
    let source = Source::new(&["pdf"]);
    let repo = Repo::synced(&["own"]);
    repo.write("mine", "staged\n");
    repo.git(&["add", "mine"]);
    add(&repo, &source, &["--commit"]).says(&["Committed as"]);
    let changes = repo.head_changes();
    for path in [LOCK, PDF, ".claude/skills/pdf/SKILL.md", "agent/mirrors.lock"] {
        assert!(changes.iter().any(|change| change.ends_with(path)), "{path}: {changes:?}");
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "A  mine");
    repo.sync(&["--check"]).expect(0);
    skills(&repo, &["remove", "pdf", "--commit"]).expect(0).says(&["removed   pdf", "Committed as"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "A  mine");
    assert!(!repo.exists(PDF) && !repo.exists(LOCK) && !repo.exists(".claude/skills/pdf"));
    // Mirrors with other changes are left alone.
    repo.append("agent/skills/own/SKILL.md", "\nMore.\n");
    add(&repo, &source, &["--commit"]).says(&["Run `canonry sync`"]);
    assert!(!repo.exists(".claude/skills/pdf"));
}

#[test]
fn the_lock_installs_what_is_missing_also_offline() {
    let source = Source::new(&["pdf", "xls"]);
    let repo = canon();
    add(&repo, &source, &["--all"]);
    let tree = repo.tree();
    repo.remove("agent/skills/pdf");
    repo.append("agent/skills/xls/SKILL.md", "mine\n");
    std::fs::rename(source.path(), source.path().with_extension("away")).unwrap();
    skills(&repo, &["list", "--remote"]).expect(0).says(&["pdf  missing", "xls  edited"]);
    skills(&repo, &["install"]).expect(0).says(&["installed pdf", "edited    xls"]);
    skills(&repo, &["install", "--frozen"]).expect(1).says(&["edited    xls"]);
    repo.write("agent/skills/xls/SKILL.md", source.work.text("skills/xls/SKILL.md"));
    skills(&repo, &["install", "--frozen"]).expect(0).says(&["unchanged 2 skills"]);
    assert_eq!(repo.tree(), tree);
    // A clone without the cache has the committed files.
    repo.commit_all("skills");
    std::fs::remove_dir_all(repo.path(".git/canonry")).unwrap();
    repo.remove("agent/skills/pdf");
    skills(&repo, &["install", "pdf"]).expect(0).says(&["installed pdf"]);
    assert_eq!(repo.tree(), tree);
}

#[test]
fn skills_that_git_ignores_are_installed_and_updated() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    repo.write(".gitignore", "/agent/skills/pdf/\n");
    add(&repo, &source, &[]);
    skills(&repo, &["list", "--remote"]).expect(0).says(&["pdf  unchanged"]);
    repo.append(PDF, "mine\n");
    skills(&repo, &["list", "--remote"]).expect(0).says(&["pdf  edited"]);
    source.edit("pdf", "One.", "Uno.");
    source.publish();
    skills(&repo, &["update", "--yes"]).expect(0).says(&["merged with local edits"]);
    assert!(repo.text(PDF).contains("Uno.") && repo.text(PDF).ends_with("mine\n"));
    skills(&repo, &["remove", "pdf"]).expect(5);
}

#[test]
fn edits_are_removed_only_with_force_and_a_backup() {
    let source = Source::new(&["pdf"]);
    let repo = canon();
    add(&repo, &source, &[]);
    repo.write("agent/skills/pdf/notes.md", "my notes\n");
    skills(&repo, &["remove", "pdf"]).expect(5).says(&["it has local edits", "agent/skills/pdf/notes.md"]);
    assert!(repo.exists(PDF) && repo.exists("agent/skills/pdf/notes.md"));
    skills(&repo, &["remove", "pdf", "--force"]).expect(0).says(&["backed up agent/skills/pdf/notes.md"]);
    assert!(!repo.exists("agent/skills/pdf") && crate::support::failpoints::holds(&repo, "my notes\n"));
    skills(&repo, &["remove", "own"]).expect(65).says(&["does not come from elsewhere"]);
    assert_eq!(repo.text("agent/skills/own/SKILL.md"), document("own"));
}

#[test]
fn documents_match_their_schemas() {
    let validator = |text: &str| jsonschema::validator_for(&serde_json::from_str::<Value>(text).unwrap()).unwrap();
    let remote = validator(include_str!("../../../schemas/remote-skills.schema.json"));
    let offered = validator(include_str!("../../../schemas/offered-skills.schema.json"));
    let lock_schema = validator(include_str!("../../../schemas/skills-lock.schema.json"));
    let source = Source::new(&["pdf", "xls"]);
    let repo = canon();
    let json = |args: &[&str], status: i32| -> Value {
        serde_json::from_str(&skills(&repo, &[args, &["--format", "json"]].concat()).expect(status).stdout).unwrap()
    };
    let offer = json(&["list", "--remote", &source.url()], 0);
    assert!(offered.is_valid(&offer) && offer["skills"].as_array().unwrap().len() == 2, "{offer:#}");
    add(&repo, &source, &["--all", "--ref", "main"]);
    source.edit("pdf", "One.", "Uno.");
    source.publish();
    for (args, status, state) in [(&["list", "--remote"][..], 0, "unchanged"), (&["outdated"], 1, "outdated")] {
        let mut document = json(args, status);
        assert!(remote.is_valid(&document), "{document:#}");
        assert_eq!(document["skills"][0]["state"], state);
        document["skills"][0]["state"] = Value::from("odd");
        assert!(!remote.is_valid(&document));
    }
    assert!(lock_schema.is_valid(&lock(&repo)), "{:#}", lock(&repo));
}
