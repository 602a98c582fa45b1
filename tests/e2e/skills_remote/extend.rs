//! `extends`: every skill of a source belongs to the canon.

use super::source::{Source, skills};
use crate::support::repo::{Repo, document};

#[test]
fn the_skills_of_a_base_are_added_pinned_and_updated() {
    let source = Source::new(&["pdf", "xls"]);
    let repo = Repo::with_skills(&["mine"]);
    repo.write("agent/skills/xls/SKILL.md", document("xls"));
    repo.write("agent/canonry.yaml", format!("extends: [\"{}\"]\n", source.url()));
    let own = repo.text("agent/skills/xls/SKILL.md");
    skills(&repo, &["install", "--frozen"]).expect(5).says(&["`extends` names it", "canonry skills update"]);
    let before = skills(&repo, &["outdated"]).expect(1);
    before.says(&["the canon has nothing of it yet; `canonry skills update`"]).says_nothing_of(&["current"]);
    skills(&repo, &["update", "--dry-run"]).expect(0).says(&["would add pdf"]);
    assert!(!repo.exists("agent/skills/pdf"));
    skills(&repo, &["update", "--yes"]).expect(0).says(&["added     pdf", "kept      xls: the canon's own skill"]);
    assert_eq!(repo.text("agent/skills/xls/SKILL.md"), own);
    skills(&repo, &["install", "--frozen"]).expect(0);

    source.edit("pdf", "One.", "Uno.");
    source.work.write("skills/doc/SKILL.md", document("doc"));
    source.publish();
    skills(&repo, &["update", "--yes"]).expect(0).says(&["updated   pdf", "added     doc"]);
    assert!(repo.text("agent/skills/pdf/SKILL.md").contains("Uno.") && repo.exists("agent/skills/doc/SKILL.md"));
    // Offline, the lock has everything.
    repo.remove("agent/skills/pdf");
    repo.write("agent/canonry.yaml", "extends: []\n");
    skills(&repo, &["install"]).expect(0).says(&["pdf"]);
}

#[test]
fn outdated_says_if_nothing_comes_from_elsewhere() {
    skills(&Repo::with_skills(&["mine"]), &["outdated"]).expect(0).says(&["No skill comes from elsewhere"]);
}
