//! Commits of an edit of HEAD's content, whatever the work tree has.

use super::sandbox::Sandbox;
use crate::git::commit::{CommitRequest, CommitSelection, ContentEdit, GitHooks, commit, restage};
use gix::bstr::BString;

/// A repository whose `plan` has these lines.
fn repo(lines: &str) -> Sandbox {
    let repo = Sandbox::new();
    repo.write("plan", lines);
    repo.git(&["add", "plan"]);
    repo.git(&["commit", "-qm", "plan"]);
    repo
}

/// Replaces the line `b` of the plan with `B`, and commits that with other files.
fn with_selection<T>(paths: &[&str], act: impl FnOnce(CommitSelection<'_>) -> T) -> T {
    let paths: Vec<BString> = paths.iter().map(|path| BString::from(*path)).collect();
    let plan = BString::from("plan");
    let apply = |text: &[u8]| {
        let text = std::str::from_utf8(text).ok()?;
        let known = text.lines().any(|line| ["b", "B"].contains(&line));
        known.then(|| text.replace("\nb\n", "\nB\n").into_bytes())
    };
    act(CommitSelection::Edited { paths: &paths, edit: ContentEdit { path: &plan, apply: &apply } })
}

fn edit(repo: &Sandbox, paths: &[&str]) -> Vec<String> {
    let committed = with_selection(paths, |selection| {
        commit(&repo.open(), &CommitRequest { selection, message: "edit", hooks: GitHooks::Run }).unwrap()
    });
    repo.assert_sound();
    if committed.is_some() { repo.head_changes() } else { Vec::new() }
}

#[test]
fn only_the_edit_is_committed() {
    let repo = repo("a\nb\nc\n");
    repo.write("plan", "a\nb\nchanged\n");
    repo.write("top", "t2\n");
    repo.write("src/s.c", "staged\n");
    repo.git(&["add", "src/s.c"]);
    assert_eq!(edit(&repo, &["top"]), ["M plan", "M top"]);
    assert_eq!(repo.git(&["show", "HEAD:plan"]), "a\nB\nc");
    assert_eq!(repo.git(&["show", ":plan"]), "a\nB\nc");
    assert_eq!(std::fs::read_to_string(repo.path("plan")).unwrap(), "a\nb\nchanged\n");
    assert_eq!(repo.status(), " M plan\nM  src/s.c");
    assert_eq!(edit(&repo, &["top"]), Vec::<String>::new());
    // The work tree has the same content as the commit.
    repo.write("plan", "a\nB\nc\n");
    assert_eq!(repo.status(), "M  src/s.c");
}

#[test]
fn what_is_staged_gets_the_edit_and_stays_staged() {
    let repo = repo("a\nb\nc\n");
    repo.write("plan", "a\nb\nstaged\n");
    repo.git(&["add", "plan"]);
    repo.write("plan", "a\nB\nstaged, and changed again\n");
    assert_eq!(edit(&repo, &[]), ["M plan"]);
    assert_eq!(repo.git(&["show", "HEAD:plan"]), "a\nB\nc");
    assert_eq!(repo.git(&["show", ":plan"]), "a\nB\nstaged");
    assert_eq!(std::fs::read_to_string(repo.path("plan")).unwrap(), "a\nB\nstaged, and changed again\n");
    // An edit that is not possible in the staged content leaves it as it is.
    for staged in [Some("other\n"), None] {
        let repo = self::repo("a\nb\nc\n");
        match staged {
            Some(text) => {
                repo.write("plan", text);
                repo.git(&["add", "plan"]);
            }
            None => drop(repo.git(&["rm", "-q", "--cached", "plan"])),
        }
        assert_eq!(edit(&repo, &[]), ["M plan"]);
        let text = repo.try_git_in(&repo.root, &["show", ":plan"]);
        assert_eq!(text.status.success().then_some(text.stdout), staged.map(|text| text.as_bytes().to_vec()));
    }
}

#[test]
fn a_file_without_the_edit_is_not_part_of_the_commit() {
    for text in [None, Some("other\n")] {
        let repo = text.map_or_else(Sandbox::new, repo);
        repo.write("plan", "a\nb\nc\n");
        repo.write("top", "t2\n");
        assert_eq!(edit(&repo, &[]), Vec::<String>::new());
        assert_eq!(edit(&repo, &["top"]), ["M top"]);
        assert_eq!(repo.status(), if text.is_some() { " M plan" } else { "?? plan" });
    }
}

#[test]
fn hooks_see_the_edit_and_may_change_it() {
    let repo = repo("a\nb\nc\n");
    repo.write("plan", "a\nb\nchanged\n");
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\ngit show :plan >seen\ngit diff --cached --name-only >>seen\n");
    repo.chmod(".git/hooks/pre-commit", 0o755);
    edit(&repo, &[]);
    assert_eq!(std::fs::read_to_string(repo.path("seen")).unwrap(), "a\nB\nc\nplan\n");
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nprintf 'a\\nb\\nformatted\\n' >plan\ngit add plan\n");
    repo.remove("seen");
    repo.git(&["reset", "-q", "--soft", "HEAD~"]);
    assert_eq!(edit(&repo, &[]), ["M plan"]);
    assert_eq!(repo.git(&["show", "HEAD:plan"]), "a\nb\nformatted");
    assert_eq!(repo.status(), "");
}

#[test]
fn the_index_follows_after_a_kill() {
    let repo = repo("a\nb\nc\n");
    repo.write("plan", "a\nb\nstaged\n");
    repo.git(&["add", "plan"]);
    let before = std::fs::read(repo.path(".git/index")).unwrap();
    edit(&repo, &[]);
    std::fs::write(repo.path(".git/index"), before).unwrap();
    with_selection(&[], |selection| restage(&repo.open(), selection).unwrap());
    assert_eq!(repo.git(&["show", ":plan"]), "a\nB\nstaged");
}
