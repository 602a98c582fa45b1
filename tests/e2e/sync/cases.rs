//! User files at the top of the repository.

use crate::support::repo::{Repo, document};

const MAP: &str = "# Our map\n\nWritten by a person.\r\n\n\tno end";

/// Case: the user's own root AGENTS.md.
#[test]
fn a_users_own_agents_md_is_preserved_and_a_second_run_changes_nothing() {
    let repo = Repo::with_skills(&["alpha"]);
    let files = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
    files.iter().for_each(|file| repo.write(file, MAP));
    repo.sync(&[]).expect(0);
    let first = repo.tree();
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(0);
        assert_eq!(repo.tree(), first, "{args:?}");
    }
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.sync(&[]).expect(0);
    for file in files {
        assert!(repo.text(file).contains(MAP), "{file}: {:?}", repo.text(file));
    }
}

/// Case: a mirror root, or AGENTS.md, is a link to outside.
#[test]
fn sync_does_not_write_through_an_agents_md_that_links_outside() {
    let repo = Repo::with_skills(&["alpha"]);
    let outside = repo.outside("elsewhere").join("AGENTS.md");
    std::fs::write(&outside, MAP).unwrap();
    for file in ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] {
        repo.link(file, &outside);
    }
    for args in [&[][..], &["--force"]] {
        repo.sync(args);
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), MAP, "{args:?}");
        assert!(repo.path("AGENTS.md").read_link().is_ok());
    }
    repo.assert_mirrored(&["alpha"]);
}
