//! Targets that a config adds to canonry's own: everything works for them as for any other.

use crate::support::repo::{Repo, document};

const CONFIG: &str = "targets:\n  claude:\n  foo: {skills: .foo/skills}\n";
const COPY: &str = ".foo/skills/alpha/SKILL.md";
const CANON: &str = "agent/skills/alpha/SKILL.md";

fn repo(more: &str) -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write("agent/canonry.yaml", format!("{CONFIG}{more}"));
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    repo
}

#[test]
fn a_row_is_mirrored_checked_and_removed_with_the_row() {
    let repo = repo("");
    for skill in ["alpha", "beta"] {
        repo.assert_copied(skill, &format!(".foo/skills/{skill}"));
        repo.assert_copied(skill, &format!(".claude/skills/{skill}"));
    }
    assert!(!repo.exists(".cursor"));
    repo.sync(&["--check"]).expect(0);
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-"]);
    }
    // A stale copy in a commit, in the index and in the work tree.
    repo.append(CANON, "more\n");
    repo.git(&["add", CANON]);
    repo.check(&["--staged"]).expect(1).says(&[".foo/skills/alpha", "mirror-stale"]);
    repo.git(&["commit", "-qm", "stale"]);
    repo.check(&["--rev", "HEAD"]).expect(1).says(&[".foo/skills/alpha", "mirror-stale"]);
    repo.sync(&["--staged"]).expect(0);
    repo.check(&["--staged"]).expect(0).says_nothing_of(&["mirror-"]);
    repo.commit_all("synced");
    // A file of the user in the mirror stays.
    repo.write(".foo/skills/mine/SKILL.md", document("mine"));
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.check(&[]).expect(1).says(&[".foo/skills"]);
    repo.sync(&["--commit"]).expect(0);
    assert!(
        !repo.exists(COPY) && repo.exists(".foo/skills/mine/SKILL.md") && repo.exists(".claude/skills/alpha/SKILL.md")
    );
    assert!(repo.git(&["ls-files", ".foo"]).is_empty());
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn the_folders_of_a_removed_row_go_with_it() {
    let repo = repo("");
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".foo") && repo.exists(".claude/skills/alpha/SKILL.md"));
    // A folder with a file of the user stays, and that of a tool that may be installed.
    repo.write("agent/canonry.yaml", CONFIG.replace("  claude:\n", "  claude:\n  kiro:\n"));
    repo.sync(&[]).expect(0);
    repo.write(".foo/settings.json", "{}\n");
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.sync(&[]).expect(0);
    assert!(repo.exists(".foo/settings.json") && !repo.exists(".foo/skills"));
    assert!(repo.exists(".kiro") && !repo.exists(".kiro/skills"));
}

#[test]
fn edits_are_refused_adopted_and_backed_up() {
    let repo = repo("");
    repo.append(COPY, "by hand\n");
    repo.sync(&[]).expect(5).says(&["edited by hand"]);
    repo.append(CANON, "in the canon\n");
    repo.sync(&[]).expect(5).says(&[COPY]);
    assert!(repo.text(COPY).ends_with("by hand\n"));
    repo.write(CANON, document("alpha"));
    repo.sync(&["--adopt", COPY]).expect(0);
    assert!(repo.text(CANON).ends_with("by hand\n"));
    repo.assert_copied("alpha", ".claude/skills/alpha");
    repo.check(&[]).expect(0).says_nothing_of(&["mirror-"]);
    repo.append(CANON, "again\n");
    repo.append(COPY, "other\n");
    repo.sync(&["--force"]).expect(0);
    repo.assert_copied("alpha", ".foo/skills/alpha");
}

#[test]
fn overlays_sections_and_limits_name_the_row() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write("agent/canonry.yaml", format!("{CONFIG}skills: {{beta: {{targets: [claude]}}}}\n"));
    let sections = "\n<!-- canonry: only foo -->\n\nfor foo\n\n<!-- canonry: end -->\n\n<!-- canonry: except foo -->\n\nfor others\n\n<!-- canonry: end -->\n";
    repo.write(CANON, document("alpha") + sections);
    repo.write("agent/overlays/foo/skills/alpha/notes.md", "only here\n");
    repo.sync(&[]).expect(0).says(&["beta", "foo"]);
    let copy = repo.text(COPY);
    assert!(copy.contains("for foo") && !copy.contains("for others"), "{copy}");
    let other = repo.text(".claude/skills/alpha/SKILL.md");
    assert!(!other.contains("for foo") && other.contains("for others"), "{other}");
    assert!(repo.exists(".foo/skills/alpha/notes.md") && !repo.exists(".claude/skills/alpha/notes.md"));
    assert!(!repo.exists(".foo/skills/beta"));
    repo.check(&[]).expect(0).says_nothing_of(&["target-unknown", "overlay-unusable", "mirror-"]);
    // Without the row, the name is unknown.
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.check(&[]).expect(1).says(&["target-unknown", "unknown tool `foo`"]);
}

#[test]
fn links_ignored_mirrors_and_other_roots() {
    let linked = repo("mirrors: {foo: {mode: symlink}}\n");
    assert!(linked.path(".foo/skills/alpha").is_symlink() && !linked.path(".claude/skills/alpha").is_symlink());
    linked.sync(&["--check"]).expect(0);
    let marked = repo("files: {git: {attributes: true}}\n");
    assert!(marked.text(".gitattributes").contains(".foo/skills/"), "{}", marked.text(".gitattributes"));
    let ignored = Repo::with_skills(&["alpha", "beta"]);
    ignored.write("agent/canonry.yaml", format!("{CONFIG}files: {{git: {{ignore: true}}}}\n"));
    ignored.sync(&["--commit"]).expect(0);
    assert!(ignored.text(".gitignore").contains("/.foo/skills/"), "{}", ignored.text(".gitignore"));
    assert!(ignored.exists(COPY) && ignored.git(&["ls-files", ".foo"]).is_empty());
    ignored.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
    // A canon in a folder of the same form as a mirror.
    let hidden = Repo::empty();
    hidden.write(".canon/skills/alpha/SKILL.md", document("alpha"));
    hidden.write("canonry.yaml", format!("root: .canon\n{CONFIG}skills_index: true\n"));
    hidden.sync(&["--commit"]).expect(0);
    assert_eq!(hidden.text(COPY), hidden.text(".canon/skills/alpha/SKILL.md"));
    assert!(hidden.exists(".canon/skills/_index.md"));
    hidden.sync(&["--check"]).expect(0);
    hidden.write("canonry.yaml", "root: .canon\ntargets: [claude]\n");
    hidden.sync(&[]).expect(0);
    assert!(!hidden.exists(COPY) && hidden.exists(".canon/skills/alpha/SKILL.md"));
}

#[test]
fn sync_says_once_which_tool_sees_a_skill_twice() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude", "cursor"]);
    let note = "Cursor sees each skill twice; removing `cursor` from `targets` makes it once";
    repo.sync(&[]).expect(0).says(&[note]);
    repo.sync(&[]).expect(0).says_nothing_of(&["twice"]);
    repo.append(CANON, "more\n");
    repo.sync(&[]).expect(0).says_nothing_of(&["twice"]);
    repo.targets(&["claude", "cursor", "agents"]);
    repo.sync(&[]).expect(0).says(&["Cursor sees each skill 3 times"]);
    repo.check(&[]).expect(0).says(&["seen-twice", "Cursor sees each skill 3 times"]);
}

/// Every message agrees, and who follows it hears nothing more.
#[test]
fn the_advice_about_targets_is_final() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(".codex/skills/beta/SKILL.md", document("beta"));
    repo.targets(&["claude", "agents"]);
    let refused = repo.canonry(&["init", "--with", "instructions"]).expect(5);
    refused.says(&["Codex also reads .agents/skills, which is a mirror"]).says_nothing_of(&["targets: ["]);
    repo.remove(".codex");
    for targets in [&["claude", "agents", "codex"][..], &["claude", "gemini", "cursor", "codex", "antigravity"]] {
        repo.targets(targets);
        repo.sync(&[]).expect(0);
        repo.check(&[]).says(&["seen-twice"]);
        repo.targets(&["claude", "agents"]);
        repo.sync(&[]).expect(0).says_nothing_of(&["each skill"]);
        repo.check(&[]).expect(0).says_nothing_of(&["seen-twice"]);
    }
}

/// A lock cannot make sync remove files that no sync can have written.
#[test]
fn a_lock_claims_no_other_files() {
    let repo = repo("");
    repo.write(".vscode/settings.json", "{}\n");
    let id = repo.git(&["hash-object", "-w", ".vscode/settings.json"]);
    let lock = repo.text("agent/mirrors.lock");
    repo.write("agent/mirrors.lock", format!("{lock}{} 100644 .vscode/settings.json\n", id.trim()));
    repo.sync(&[]);
    assert!(repo.exists(".vscode/settings.json"));
}
