//! Sections of a SKILL.md for some tools only, and skills whose frontmatter restricts their targets.

use crate::support::repo::{Repo, document};

const SKILL: &str = "agent/skills/alpha/SKILL.md";
const CLAUDE: &str = ".claude/skills/alpha/SKILL.md";
const GEMINI: &str = ".gemini/skills/alpha/SKILL.md";
const PART: &str = "\n<!-- canonry: only claude, codex -->\nUse the Task tool.\n<!-- canonry: end -->\n";

fn with_sections() -> String {
    document("alpha") + "\nbefore\n" + PART + "\nmiddle\n\nafter\n"
}

fn without() -> String {
    document("alpha") + "\nbefore\n" + "\n" + "\nmiddle\n\nafter\n"
}

fn repo() -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(SKILL, with_sections());
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    repo
}

#[track_caller]
fn assert_sections(repo: &Repo) {
    for mirror in [".claude", ".codex"] {
        repo.assert_copied("alpha", &format!("{mirror}/skills/alpha"));
    }
    for mirror in [".gemini", ".cursor", ".antigravity"] {
        assert_eq!(repo.text(&format!("{mirror}/skills/alpha/SKILL.md")), without(), "{mirror}");
    }
    repo.assert_mirrored(&["beta"]);
}

#[test]
fn each_tool_gets_its_sections_and_no_view_has_drift() {
    let repo = repo();
    assert_sections(&repo);
    // Without removed sections, git stores each blob once.
    let id = |path: &str| repo.git(&["rev-parse", &format!("HEAD:{path}")]);
    assert_eq!(id("agent/skills/alpha"), id(".claude/skills/alpha"));
    repo.sync(&[]).expect(0).says(&["Up to date"]);
    repo.sync(&["--check"]).expect(0);
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-"]);
    }
}

#[test]
fn a_copy_with_sections_of_other_tools_is_stale_even_if_its_tree_equals_the_canon() {
    let repo = Repo::synced(&["alpha", "beta"]);
    // Someone without canonry may commit this state.
    repo.write(SKILL, with_sections());
    for mirror in crate::support::repo::MIRRORS {
        repo.write(&format!("{mirror}/alpha/SKILL.md"), with_sections());
    }
    repo.commit_all("by hand");
    repo.check(&["--rev", "HEAD"])
        .expect(1)
        .says(&["mirror-edited", GEMINI])
        .says_nothing_of(&[&format!("× {CLAUDE}")]);
    repo.sync(&[]).expect(5).says(&[GEMINI]);
    repo.sync(&["--force"]).expect(0);
    assert_sections(&repo);
}

#[test]
fn staged_sections_are_mirrored_as_staged() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(SKILL, with_sections());
    repo.git(&["add", SKILL]);
    repo.write(SKILL, document("alpha") + "later\n");
    repo.check(&["--staged"]).expect(1).says(&["mirror-stale"]);
    repo.sync(&["--staged"]).expect(0);
    assert_eq!(repo.git(&["show", &format!(":{GEMINI}")]), without().trim_end());
    assert_eq!(repo.git(&["show", &format!(":{CLAUDE}")]), with_sections().trim_end());
    repo.check(&["--staged"]).expect(0);
    repo.write(SKILL, with_sections());
    repo.sync(&["--commit"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(0);
    assert_sections(&repo);
}

#[test]
fn invalid_section_markers_are_findings_and_mirrors_stay() {
    let repo = repo();
    let before = repo.mirrors();
    for (part, rule, words) in [
        ("<!-- canonry: only claude -->\nx\n", "section-malformed", "has no `<!-- canonry: end -->`"),
        ("<!-- canonry: end -->\n", "section-malformed", "this `end` has no matching start"),
        ("<!-- canonry: only gemni -->\nx\n<!-- canonry: end -->\n", "target-unknown", "did you mean `gemini`?"),
        ("<!-- canonry: onyl gemini -->\n", "section-malformed", "unknown word `onyl`"),
    ] {
        repo.write(SKILL, document("alpha") + part);
        repo.sync(&[]).expect(1).says(&["refused   agent/skills/alpha: agent/skills/alpha/SKILL.md: line 7", words]);
        assert_eq!(repo.mirrors(), before);
        repo.check(&[]).expect(1).says(&[rule, "SKILL.md:7:", words]).says_nothing_of(&["mirror-"]);
        repo.git(&["add", SKILL]);
        repo.sync(&["--staged"]).expect(1).says(&[words]);
        repo.check(&["--staged"]).expect(1).says(&[rule]);
    }
    repo.write(SKILL, with_sections());
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn an_edit_is_adopted_into_the_document_unless_the_tool_would_lose_it() {
    let repo = repo();
    repo.write(GEMINI, without().replace("after", "AFTER"));
    repo.sync(&["--adopt", GEMINI]).expect(0).says(&["adopted   agent/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text(SKILL), with_sections().replace("after", "AFTER"));
    assert_eq!(repo.text(GEMINI), without().replace("after", "AFTER"));
    assert_eq!(repo.text(CLAUDE), with_sections().replace("after", "AFTER"));
    repo.sync(&["--check"]).expect(0);
    // An edit must not add a section that the edited mirror itself would lose.
    let own = repo.text(CLAUDE) + "<!-- canonry: only gemini -->\nx\n<!-- canonry: end -->\n";
    repo.write(CLAUDE, &own);
    let before = repo.tree();
    repo.sync(&["--adopt", CLAUDE]).expect(5).says(&["give this tool other content"]);
    assert_eq!(repo.tree(), before);
    // The same applies to a new file.
    repo.write(
        ".claude/skills/new/SKILL.md",
        document("new") + "<!-- canonry: except claude -->\nx\n<!-- canonry: end -->\n",
    );
    repo.sync(&["--adopt", ".claude/skills/new"]).expect(5).says(&["give this tool other content"]);
    assert!(!repo.exists("agent/skills/new"));
}

#[test]
fn an_edit_next_to_a_removed_section_is_refused() {
    let repo = repo();
    let edited = without().replace("before\n\n\nmiddle", "before\n\nwhere does this go\n\nmiddle");
    repo.write(GEMINI, &edited);
    let before = repo.tree();
    repo.sync(&["--adopt", GEMINI]).expect(5).says(&[GEMINI]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn an_exec_bit_is_adopted_without_the_text() {
    let repo = repo();
    repo.chmod(GEMINI, 0o755);
    repo.sync(&["--adopt", GEMINI]).expect(0);
    assert_eq!((repo.mode(SKILL), repo.text(SKILL)), (0o755, with_sections()));
    assert_eq!(repo.mode(CLAUDE), 0o755);
}

#[test]
fn a_mirror_without_some_sections_is_a_copy_in_symlink_mode() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(
        "agent/canonry.yaml",
        "targets: [claude, gemini]\nmirrors: {claude: {mode: symlink}, gemini: {mode: symlink}}\n",
    );
    repo.sync(&[]).expect(0);
    assert!(repo.path(".gemini/skills/alpha").is_symlink());
    // The link is unchanged, but its destination now contains sections.
    repo.write(SKILL, with_sections());
    repo.sync(&["--check"]).expect(1);
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    assert!(repo.path(".claude/skills/alpha").is_symlink() && !repo.path(".gemini/skills/alpha").is_symlink());
    assert_eq!(repo.text(GEMINI), without());
    repo.check(&["--rev", "HEAD"]).says_nothing_of(&["mirror-"]);
}

#[test]
fn frontmatter_restricts_the_targets_of_a_skill() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let gated = document("alpha").replace("\n---\n", "\nmetadata:\n  canonry-targets: \"claude codex\"\n---\n");
    repo.write(SKILL, &gated);
    let said = "left out  alpha: not for gemini, cursor, antigravity, as `canonry-targets` in its frontmatter says";
    repo.sync(&[]).expect(0).says(&[said]);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    assert!(!repo.exists(".gemini/skills/alpha"));
    repo.sync(&["--check"]).expect(0).says(&[said]);
    // The config can restrict the skill further, but cannot add targets.
    repo.write("agent/canonry.yaml", "skills: {alpha: {targets: [claude, gemini]}}\n");
    repo.sync(&[]).expect(0).says(&["alpha: not for cursor, codex, antigravity, as `skills` in the config says"]);
    assert!(repo.exists(CLAUDE) && !repo.exists(".codex/skills/alpha") && !repo.exists(GEMINI));
    repo.remove("agent/canonry.yaml");
    repo.sync(&["--commit"]).expect(0).says(&[said]);
    repo.assert_copied("alpha", ".codex/skills/alpha");
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-"]);
    }
    repo.write(SKILL, gated.replace("codex", "codx"));
    repo.check(&[]).expect(1).says(&["target-unknown", "did you mean `codex`?"]);
    repo.sync(&[]).expect(1).says(&["unknown tool `codx`"]);
    repo.assert_copied("beta", ".codex/skills/beta");
    assert_eq!(repo.text(".codex/skills/alpha/SKILL.md"), gated);
}

#[test]
fn a_skill_is_skipped_for_a_tool_that_is_too_old() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(
        "agent/canonry.yaml",
        "versions: {claude: \"2.0.5\"}\nskills: {alpha: {requires: {claude: \">=2.1.0\"}}}\n",
    );
    let said =
        "left out  alpha: not for claude, since it requires >=2.1.0 there, and `versions` in the config says 2.0.5";
    repo.check(&[]).expect(1).says(&["mirror-orphan"]);
    repo.sync(&[]).expect(0).says(&[said]);
    assert!(!repo.exists(".claude/skills/alpha"));
    let json: serde_json::Value = serde_json::from_str(&repo.sync(&["--format", "json"]).stdout).unwrap();
    assert_eq!(json["left_out"][0]["reason"], "it requires >=2.1.0 there, and `versions` in the config says 2.0.5");
    repo.write(
        "agent/canonry.yaml",
        "versions: {claude: \"2.1\"}\nskills: {alpha: {requires: {claude: \">=2.1.0\"}}}\n",
    );
    repo.sync(&["--commit"]).expect(0).says_nothing_of(&["left out"]);
    repo.assert_mirrored(&["alpha", "beta"]);
    repo.write("agent/canonry.yaml", "skills: {alpha: {requires: {claude: \">=2.1.0\"}}}\n");
    repo.sync(&[]).expect(65).says(&["agent/canonry.yaml:1:", "the version of claude is unknown"]);
}

#[test]
fn a_target_added_later_gets_only_its_sections() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(SKILL, with_sections());
    repo.targets(&["claude"]);
    repo.sync(&["--commit"]).expect(0);
    repo.targets(&["claude", "gemini"]);
    repo.sync(&[]).expect(0);
    assert_eq!((repo.text(CLAUDE), repo.text(GEMINI)), (with_sections(), without()));
    repo.sync(&["--check"]).expect(0);
    // Change the text and restore it: the section is removed again.
    repo.write(SKILL, document("alpha"));
    repo.sync(&[]).expect(0);
    repo.assert_copied("alpha", ".gemini/skills/alpha");
    repo.write(SKILL, with_sections());
    repo.sync(&[]).expect(0);
    assert_eq!((repo.text(CLAUDE), repo.text(GEMINI)), (with_sections(), without()));
}

#[test]
fn removing_an_overlay_equal_to_the_canon_leaves_no_section_of_other_tools() {
    let repo = repo();
    // With this overlay the mirror would contain sections of other tools.
    let overlay = "agent/overlays/gemini/skills/alpha/SKILL.md";
    repo.write(overlay, with_sections());
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(GEMINI), without());
    repo.remove(overlay);
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(GEMINI), without());
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn sections_of_a_nested_skill_are_removed_too() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/skills/alpha/inner/SKILL.md", document("inner") + PART);
    repo.sync(&[]).expect(0);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    assert_eq!(repo.text(".gemini/skills/alpha/inner/SKILL.md"), document("inner") + "\n");
    repo.commit_all("all");
    repo.check(&["--rev", "HEAD"]).says_nothing_of(&["mirror-"]);
}

#[test]
fn init_does_not_adopt_a_skill_with_sections_for_other_tools() {
    let repo = Repo::empty();
    let own = document("alpha") + "<!-- canonry: except claude -->\nx\n<!-- canonry: end -->\n";
    repo.write(CLAUDE, &own);
    repo.write(".claude/skills/beta/SKILL.md", document("beta"));
    repo.canonry(&["init", "--all"]).says(&["give this tool other content"]);
    assert!(!repo.exists(SKILL) && repo.exists("agent/skills/beta/SKILL.md"));
    assert_eq!(repo.text(CLAUDE), own);
}
