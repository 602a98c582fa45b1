//! git's hooks around `sync --commit`, compared with what `git commit --only` does.

use crate::support::repo::{Repo, binary, document};

/// Installs an executable hook.
fn hook(repo: &Repo, name: &str, script: &str) {
    repo.write(&format!(".git/hooks/{name}"), script);
    repo.chmod(&format!(".git/hooks/{name}"), 0o755);
}

fn edited() -> Repo {
    let repo = Repo::synced(&["alpha"]);
    repo.targets(&["claude"]);
    repo.sync(&["--commit"]).expect(0);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo
}

#[test]
fn pre_commit_can_refuse_and_no_verify_skips_it() {
    let repo = edited();
    hook(&repo, "pre-commit", "#!/bin/sh\necho 'line too long: \u{1b}[31malpha'\necho second >&2\nexit 3\n");
    let before = repo.git(&["rev-parse", "HEAD"]);
    let said = ["`pre-commit` refused the commit (exit status: 3)", "| line too long: ", "| second", "--no-verify"];
    let refused = repo.sync(&["--commit"]).expect(5).says(&said);
    assert!(!refused.all().contains('\u{1b}'), "control characters of a hook are not printed");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
    assert!(!repo.exists(".git/index.lock"));
    let left = std::fs::read_dir(repo.path(".git")).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.starts_with("next-index-")), "{names:?}");
    assert_eq!(
        repo.read(".claude/skills/alpha/SKILL.md"),
        repo.read("agent/skills/alpha/SKILL.md"),
        "the sync itself is done"
    );
    repo.sync(&["--commit", "--no-verify"]).expect(0).says(&["Committed"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn pre_commit_sees_exactly_what_is_committed() {
    let script = "#!/bin/sh\ngit diff --cached --name-status > \"$HOME/staged\"\ngit diff --name-only > \"$HOME/dirty\"\n\
                  test -z \"$(git diff-files --name-only agent .claude)\" || exit 9\npwd > \"$HOME/cwd\"\n";
    let repo = edited();
    repo.write("staged.txt", "staged\n");
    repo.git(&["add", "staged.txt"]);
    hook(&repo, "pre-commit", script);
    repo.canonry_in(&repo.path("agent"), &["sync", "--commit"]).expect(0);
    let read = |name: &str| std::fs::read_to_string(repo.home().join(name)).unwrap();
    assert_eq!(
        read("staged"),
        "M\t.claude/skills/alpha/SKILL.md\nM\tagent/mirrors.lock\nM\tagent/skills/alpha/SKILL.md\n"
    );
    assert_eq!((read("dirty").as_str(), read("cwd").trim_end()), ("", repo.root.to_str().unwrap()));
    assert_eq!(repo.git(&["status", "--porcelain"]), "A  staged.txt");
}

#[test]
fn what_pre_commit_stages_is_committed() {
    let repo = edited();
    repo.write("notes.txt", "one\n");
    repo.commit_all("notes");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "more\n");
    repo.write("notes.txt", "staged by the user\n");
    repo.git(&["add", "notes.txt"]);
    hook(
        &repo,
        "pre-commit",
        "#!/bin/sh\necho stamp > stamp.txt\necho by-hook > notes.txt\ngit add stamp.txt notes.txt\n\
         git rm -q --cached old.txt 2>/dev/null\nexit 0\n",
    );
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.git(&["show", "HEAD:stamp.txt"]), "stamp");
    assert_eq!(repo.git(&["show", "HEAD:notes.txt"]), "by-hook");
    assert_eq!(repo.git(&["show", ":notes.txt"]), "staged by the user", "staged work stays staged");
    assert_eq!(repo.git(&["ls-files", "stamp.txt"]), "stamp.txt");
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn message_hooks_change_or_refuse_the_message() {
    let repo = edited();
    hook(&repo, "prepare-commit-msg", "#!/bin/sh\n[ \"$2\" = message ] && echo 'Ticket: 12' >> \"$1\"\n");
    hook(&repo, "commit-msg", "#!/bin/sh\ngrep -q '^Ticket' \"$1\" && echo 'Checked: yes' >> \"$1\"\n");
    repo.sync(&["--commit", "-m", "Mirror alpha"]).expect(0);
    assert_eq!(repo.git(&["log", "-1", "--format=%B"]), "Mirror alpha\nTicket: 12\nChecked: yes");
    hook(&repo, "commit-msg", "#!/bin/sh\n: > \"$1\"\n");
    repo.append("agent/skills/alpha/SKILL.md", "again\n");
    repo.sync(&["--commit"]).expect(5).says(&["message is empty"]);
    hook(&repo, "commit-msg", "#!/bin/sh\nexit 1\n");
    repo.sync(&["--commit"]).expect(5).says(&["`commit-msg` refused"]);
    repo.sync(&["--commit", "-n"]).expect(0);
}

#[test]
fn post_commit_runs_after_the_commit_and_does_not_recurse() {
    let repo = edited();
    let script = format!(
        "#!/bin/sh\ngit log -1 --format=%s >> \"$HOME/log\"\ngit status --porcelain >> \"$HOME/log\"\n\
         echo more >> agent/skills/alpha/SKILL.md\n'{}' sync --commit -m inner\nexit 1\n",
        binary().display()
    );
    hook(&repo, "post-commit", &script);
    repo.sync(&["--commit", "-m", "outer"]).expect(0).says(&["Committed"]);
    assert_eq!(std::fs::read_to_string(repo.home().join("log")).unwrap(), "outer\n");
    assert_eq!(repo.git(&["log", "-2", "--format=%s"]), "inner\nouter");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn hooks_are_found_as_git_finds_them() {
    let repo = edited();
    let head = repo.git(&["rev-parse", "HEAD"]);
    // A script without a first line for the interpreter, in the configured folder.
    repo.write(".githooks/pre-commit", "exit 1\n");
    repo.git(&["config", "core.hooksPath", ".githooks"]);
    repo.sync(&["--commit"]).expect(0);
    assert_ne!(repo.git(&["rev-parse", "HEAD"]), head, "git ignores a hook that is not executable");
    repo.append("agent/skills/alpha/SKILL.md", "again\n");
    repo.chmod(".githooks/pre-commit", 0o755);
    repo.sync(&["--commit"]).expect(5).says(&["`pre-commit` refused"]);
    repo.git(&["config", "--unset", "core.hooksPath"]);
    hook(&repo, "pre-commit", "#!/no/such/interpreter\n");
    repo.sync(&["--commit"]).expect(5).says(&["pre-commit` cannot be run"]);
}

#[test]
fn a_hook_that_leaves_a_process_behind_does_not_block_the_commit() {
    let repo = edited();
    hook(&repo, "pre-commit", "#!/bin/sh\nsleep 30 &\nexit 0\n");
    repo.sync(&["--commit"]).expect(0);
}

#[test]
fn nothing_to_commit_runs_no_hook() {
    let repo = Repo::synced(&["alpha"]);
    hook(&repo, "pre-commit", "#!/bin/sh\nexit 1\n");
    repo.sync(&["--commit"]).expect(0).says(&["Nothing to commit"]);
}
