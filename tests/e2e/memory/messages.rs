//! Messages of memory commands when there is little to say.

use crate::dream::team::{LOG, NOW, row, team};
use crate::support::repo::Repo;

#[test]
fn a_budget_that_nothing_fits_is_named() {
    let repo = team(row("a1", 1, "rotate the signing key", 9));
    repo.canonry(&["recall", "signing key", "--budget", "3", "--now", NOW])
        .expect(0)
        .says(&["none fits into 3 tokens"]);
    repo.canonry(&["recall", "kubernetes", "--budget", "3", "--now", NOW]).expect(0).says(&["No match"]);
}

#[test]
fn an_episode_needs_an_action() {
    let repo = team("");
    for action in ["", " \t"] {
        repo.canonry(&["log", "-a", action]).expect(64).says(&["`--action` is empty"]);
    }
    assert_eq!(repo.text(LOG), "");
}

#[test]
fn the_preferences_of_a_new_canon_are_not_context() {
    let repo = Repo::empty();
    repo.canonry(&["init", "--all"]).expect(0);
    repo.canonry(&["context"]).says_nothing_of(&["# Preferences", "How you like to work"]);
    repo.append("agent/memory/personal/PREFERENCES.md", "\n- Short answers.\n");
    repo.canonry(&["context"]).expect(0).says(&["Short answers."]);
}

#[test]
fn a_repeated_failure_is_no_skill() {
    for result in ["failed", "fail", "error", "Failure"] {
        let one = |id: &str| {
            row(id, 1, "rotate the key", 1)
                .replace("\"reflection\"", &format!("\"result\": \"{result}\", \"reflection\""))
        };
        let repo = team(one("a1") + &one("a2") + &one("a3"));
        repo.dream(&[]).expect(0);
        assert!(repo.waiting().iter().all(|one| one["kind"] != "skill"), "{result}");
    }
}

#[test]
fn the_report_starts_with_what_was_learned_and_what_waits() {
    let repo = super::bulk::staged(&["use tabs <b>", "run the linter"]);
    let name = repo.waiting()[0]["candidate"].as_str().unwrap().to_owned();
    repo.decide("accept", &name, &[]).expect(0);
    repo.canonry(&["memory", "status", "--html", "report.html", "--now", NOW]).expect(0);
    let page = repo.text("report.html");
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("`{text}` is not in {page}"));
    let order =
        ["<h2>Learned</h2>", "use tabs &lt;b&gt;", "<h2>Waiting for review</h2>", "run the linter", "rows in the log"];
    assert!(order.map(at).is_sorted(), "{page}");
}
