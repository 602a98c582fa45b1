//! The steps of a walk: what a person, git or canonry does in a clone. Each returns a line for the message of a failure.

use super::template::{
    CONFIG, MIRRORS, PAGE, PAGES, PERMISSION_FILES, SOURCES, TARGETS, config, name_of, new_document, renamed, skills,
};
use super::{NAMES, Walk};
use crate::support::failpoints::run;
use crate::support::repo::{Ran, Repo, binary};
use std::fmt::Write as _;

pub type Step = fn(&mut Walk, usize) -> String;

/// Each step with its weight.
pub const STEPS: &[(usize, Step)] = &[
    (5, Walk::edits_the_canon),
    (2, Walk::edits_a_mirror),
    (1, Walk::edits_the_permissions),
    (1, Walk::comments_in_a_tool_file),
    (2, Walk::adds_a_skill),
    (2, Walk::moves_a_skill),
    (2, Walk::removes_a_skill),
    (2, Walk::moves_or_removes_a_source),
    (2, Walk::stages_a_part),
    (1, Walk::stages_the_canon),
    (1, Walk::unstages),
    (1, Walk::commits_the_index),
    (2, Walk::switches_targets),
    (1, Walk::deletes_the_lock),
    (1, Walk::takes_an_older_lock),
    (1, Walk::checks_out_a_branch),
    (2, Walk::merges_a_branch),
    (2, Walk::pulls),
    (2, Walk::pushes),
    (1, Walk::stashes),
    (1, Walk::pops_the_stash),
    (1, Walk::restores_the_canon),
    (2, Walk::changes_the_sparse_set),
    (1, Walk::is_killed),
    (2, Walk::saves_during_a_sync),
    (1, Walk::adopts),
    (2, Walk::syncs_the_index),
    (4, Walk::syncs_with_a_commit),
    (3, Walk::syncs),
];

impl Walk {
    fn skill(&mut self, at: usize) -> String {
        let skills = skills(&self.clones[at].repo);
        if skills.is_empty() {
            "agent/skills/alpha".to_owned()
        } else {
            skills[self.random.below(skills.len())].clone()
        }
    }

    fn edits_the_canon(&mut self, at: usize) -> String {
        let folder = self.skill(at);
        let text = self.new_text();
        let file = format!("{folder}/SKILL.md");
        self.edit(at, &file, &folder, &text);
        self.clones[at].precious.insert(text.clone());
        format!("edits {file}: {text}")
    }

    fn edits_a_mirror(&mut self, at: usize) -> String {
        let folder = self.skill(at);
        let mirror = self.random.pick(&MIRRORS);
        let text = self.new_text();
        let file = format!("{mirror}/{}/SKILL.md", name_of(&folder));
        self.edit(at, &file, &folder, &text);
        let clone = &mut self.clones[at];
        clone.by_hand.insert(text.clone());
        clone.precious.insert(text.clone());
        format!("edits {file}: {text}")
    }

    fn edits_the_permissions(&mut self, at: usize) -> String {
        let version = self.random.below(PAGES.len());
        self.clones[at].repo.write(PAGE, PAGES[version]);
        format!("writes the permissions {version}")
    }

    fn comments_in_a_tool_file(&mut self, at: usize) -> String {
        let file = self.random.pick(&PERMISSION_FILES);
        let text = self.new_text();
        let clone = &mut self.clones[at];
        let before = if clone.repo.exists(file) { clone.repo.text(file) } else { "{\n}\n".to_owned() };
        clone.repo.write(file, before.replacen('{', &format!("{{\n  // {text}"), 1));
        clone.precious.insert(text.clone());
        format!("comments in {file}: {text}")
    }

    fn adds_a_skill(&mut self, at: usize) -> String {
        let Some(name) = self.free_name(at) else { return "adds no skill".to_owned() };
        let folder = format!("agent/skills/{name}");
        let repo = &self.clones[at].repo;
        repo.write(&format!("{folder}/SKILL.md"), new_document(&folder));
        let staged = self.random.pick(&["", "-N", "-A"]);
        if !staged.is_empty() {
            let _ = repo.try_git(&["add", staged, &folder]);
        }
        format!("adds {folder}, git add {staged}")
    }

    /// A name that no skill of a clone has, and that its index does not know.
    fn free_name(&mut self, at: usize) -> Option<&'static str> {
        let repo = &self.clones[at].repo;
        let used = skills(repo).join(" ") + &repo.git(&["ls-files", "agent/skills"]);
        let free: Vec<&str> = NAMES.into_iter().filter(|name| !used.contains(name)).collect();
        (!free.is_empty()).then(|| self.random.pick(&free))
    }

    /// Into a category or out of it with the same name, or to another name, which the document gets, staged or not.
    fn moves_a_skill(&mut self, at: usize) -> String {
        let from = self.skill(at);
        let name = name_of(&from).to_owned();
        let new_name = if self.random.below(2) == 0 { None } else { self.free_name(at) };
        let to = match new_name {
            Some(name) => format!("agent/skills/{name}"),
            None if from.matches('/').count() == 2 => format!("agent/skills/cat/{name}"),
            None => format!("agent/skills/{name}"),
        };
        let repo = &self.clones[at].repo;
        let by_git = self.random.below(3) > 0;
        if repo.exists(&to) || !repo.exists(&from) {
            return format!("does not move {from}");
        }
        if by_git {
            repo.write("agent/skills/cat/.keep", "");
            if !repo.try_git(&["mv", &from, &to]).status.success() {
                return format!("fails to move {from}");
            }
        } else {
            repo.rename(&from, &to);
        }
        let document = format!("{to}/SKILL.md");
        if let Some(name) = new_name.filter(|_| repo.exists(&document)) {
            repo.write(&document, renamed(&repo.text(&document), name));
            if self.random.below(2) == 0 {
                let _ = repo.try_git(&["add", &document]);
            }
        }
        format!("moves {from} to {to}, by git: {by_git}")
    }

    fn removes_a_skill(&mut self, at: usize) -> String {
        if skills(&self.clones[at].repo).len() < 2 {
            return "removes nothing".to_owned();
        }
        let folder = self.skill(at);
        let how = self.random.pick(&["git rm", "git rm", "git rm --cached", "rm"]);
        let gone = if how == "git rm --cached" { Vec::new() } else { self.discard(at, &folder) };
        let repo = &self.clones[at].repo;
        match how {
            "git rm" => drop(repo.try_git(&["rm", "-rqf", &folder])),
            "git rm --cached" => drop(repo.try_git(&["rm", "-rq", "--cached", &folder])),
            _ => {}
        }
        if how != "git rm --cached" && repo.exists(&folder) {
            repo.remove(&folder);
        }
        format!("{how} {folder}, discarding {gone:?}")
    }

    /// A subagent, a command, the servers or the instructions: moved, removed, or written again.
    fn moves_or_removes_a_source(&mut self, at: usize) -> String {
        let (path, other, text) = self.random.pick(&SOURCES);
        let choice = self.random.below(4);
        let repo = &self.clones[at].repo;
        let here = if repo.exists(path) { path } else { other };
        if !repo.exists(here) {
            repo.write(path, text);
            return format!("writes {path}");
        }
        let there = if here == path { other } else { path };
        match choice {
            0 | 1 => {
                repo.exists(there).then(|| repo.remove(there));
                let done = repo.try_git(&["mv", "-f", here, there]).status.success();
                if done && path.ends_with("reviewer.md") {
                    repo.write(there, renamed(&repo.text(there), name_of(there).trim_end_matches(".md")));
                }
                format!("git mv {here} {there}: {done}")
            }
            2 => {
                let done = repo.try_git(&["rm", "-qf", here]).status.success();
                format!("git rm {here}: {done}")
            }
            _ => {
                repo.remove(here);
                format!("rm {here}")
            }
        }
    }

    /// Stages one of two edits, so that the index differs from HEAD and from the work tree.
    fn stages_a_part(&mut self, at: usize) -> String {
        let folder = self.skill(at);
        let file = format!("{folder}/SKILL.md");
        let texts = [self.new_text(), self.new_text()];
        texts.iter().for_each(|text| self.edit(at, &file, &folder, text));
        let left_out = self.random.below(2);
        let clone = &mut self.clones[at];
        let staged = clone.repo.text(&file).replace(&format!("{}\n", texts[left_out]), "");
        clone.repo.write("../part", staged);
        let id = clone.repo.git(&["hash-object", "-w", "--path", &file, "../part"]);
        let entry = format!("100644,{id},{file}");
        let done = clone.repo.try_git(&["update-index", "--add", "--cacheinfo", &entry]).status.success();
        clone.precious.extend(texts.iter().cloned());
        format!("stages of {file} {texts:?} all but {left_out}: {done}")
    }

    fn stages_the_canon(&mut self, at: usize) -> String {
        let what = self.random.pick(&["agent", "agent/skills", "."]);
        let _ = self.clones[at].repo.try_git(&["add", "-A", what]);
        format!("git add -A {what}")
    }

    fn unstages(&mut self, at: usize) -> String {
        let _ = self.clones[at].repo.try_git(&["reset", "-q"]);
        "unstages".to_owned()
    }

    fn commits_the_index(&mut self, at: usize) -> String {
        let all = self.random.pick(&["-qm", "-qam"]);
        let _ = self.clones[at].repo.try_git(&["commit", all, "by hand"]);
        format!("git commit {all}")
    }

    fn switches_targets(&mut self, at: usize) -> String {
        let targets = self.random.pick(&TARGETS);
        self.clones[at].repo.write(CONFIG, config(targets));
        format!("targets {targets:?}")
    }

    fn deletes_the_lock(&mut self, at: usize) -> String {
        let repo = &self.clones[at].repo;
        repo.exists("agent/mirrors.lock").then(|| repo.remove("agent/mirrors.lock"));
        "deletes the lock".to_owned()
    }

    fn takes_an_older_lock(&mut self, at: usize) -> String {
        let lock = self.random.pick(&["", "HEAD~1", "HEAD"]);
        let repo = &self.clones[at].repo;
        match lock {
            "" => repo.write("agent/mirrors.lock", ""),
            rev => drop(repo.try_git(&["checkout", rev, "--", "agent/mirrors.lock"])),
        }
        format!("lock from {lock:?}")
    }

    fn checks_out_a_branch(&mut self, at: usize) -> String {
        let branch = self.random.pick(&["main", "other"]);
        let done = self.clones[at].repo.try_git(&["checkout", "-q", branch]).status.success();
        format!("checks out {branch}: {done}")
    }

    fn merges_a_branch(&mut self, at: usize) -> String {
        let repo = &self.clones[at].repo;
        commit(repo);
        let other = if repo.git(&["branch", "--show-current"]) == "main" { "other" } else { "main" };
        if repo.try_git(&["merge", "-q", "--no-edit", other]).status.success() {
            return format!("commits and merges {other}");
        }
        format!("commits and merges {other}, {}", self.settle(at))
    }

    fn pulls(&mut self, at: usize) -> String {
        let repo = &self.clones[at].repo;
        commit(repo);
        let branch = repo.git(&["branch", "--show-current"]);
        if repo.try_git(&["pull", "-q", "--no-rebase", "--no-edit", "origin", &branch]).status.success() {
            return "commits and pulls".to_owned();
        }
        format!("commits and pulls, {}", self.settle(at))
    }

    /// A conflict, in one of the ways in which people settle it.
    fn settle(&mut self, at: usize) -> String {
        self.assert_one_truth(at);
        let side = self.random.pick(&["--ours", "--theirs"]);
        match self.random.below(4) {
            // One side of everything, the lock included.
            0 => self.resolve(at, side),
            // The lock is left to sync.
            1 => {
                self.take_side(at, side, "agent/mirrors.lock");
                let ran = self.clones[at].repo.sync(&[]);
                self.assert_reasons(at, &ran);
                commit(&self.clones[at].repo);
            }
            // An edit before the conflict is resolved.
            2 => {
                let folder = self.skill(at);
                let text = self.new_text();
                self.take_side(at, side, "");
                self.edit(at, &format!("{folder}/SKILL.md"), &folder, &text);
                self.clones[at].precious.insert(text);
                let repo = &self.clones[at].repo;
                let _ = repo.try_git(&["add", "-A"]);
                let ran = repo.sync(&[]);
                self.assert_reasons(at, &ran);
                commit(&self.clones[at].repo);
            }
            _ => {
                let repo = &self.clones[at].repo;
                let staged = repo.sync(&["--staged"]);
                self.assert_reasons(at, &staged);
                let _ = self.clones[at].repo.try_git(&["merge", "--abort"]);
                return format!("aborted after sync --staged: {}", staged.status);
            }
        }
        format!("resolved with {side}")
    }

    fn pushes(&mut self, at: usize) -> String {
        let repo = &self.clones[at].repo;
        commit(repo);
        let branch = repo.git(&["branch", "--show-current"]);
        let _ = repo.try_git(&["push", "-q", "origin", &branch]);
        "commits and pushes".to_owned()
    }

    fn stashes(&mut self, at: usize) -> String {
        let _ = self.clones[at].repo.try_git(&["stash", "push", "-q"]);
        "stashes".to_owned()
    }

    fn pops_the_stash(&mut self, at: usize) -> String {
        let repo = &self.clones[at].repo;
        if repo.try_git(&["rev-parse", "-q", "--verify", "refs/stash"]).status.success()
            && !repo.try_git(&["stash", "pop", "-q"]).status.success()
        {
            self.resolve(at, "--theirs");
        }
        "pops the stash".to_owned()
    }

    fn restores_the_canon(&mut self, at: usize) -> String {
        let gone = self.discard(at, "agent");
        self.clones[at].repo.git(&["checkout", "HEAD", "--", "agent"]);
        format!("restores agent/, discarding {gone:?}")
    }

    fn changes_the_sparse_set(&mut self, at: usize) -> String {
        let sets: [&[&str]; 5] = [
            &["set", "agent/skills/alpha", "agent/protocols", ".claude", ".codex", ".foo", ".cursor", ".antigravity"],
            &["set", "agent", ".claude", ".cursor", ".antigravity"],
            &["set", "--sparse-index", "agent", ".claude", ".foo", ".agents", ".cursor", ".antigravity"],
            &["set", "--no-cone", "/*", "!/.codex/"],
            &["disable"],
        ];
        let set = self.random.pick(&sets);
        let done = self.clones[at].repo.try_git(&[&["sparse-checkout"], set].concat()).status.success();
        format!("sparse-checkout {set:?}: {done}")
    }

    fn is_killed(&mut self, at: usize) -> String {
        let number = 1 + self.random.below(14);
        let mut command = self.clones[at].repo.command(binary());
        command.arg("sync");
        run(command, ("CANONRY_FAILPOINT", &format!("kill@{number}")));
        format!("sync is killed at {number}")
    }

    /// A person saves at one of the writes of a sync.
    fn saves_during_a_sync(&mut self, at: usize) -> String {
        let folder = self.skill(at);
        let mirror = self.random.pick(&MIRRORS);
        let in_mirror = format!("{mirror}/{}/SKILL.md", name_of(&folder));
        let file = match self.random.below(4) {
            0 => in_mirror,
            1 => "CLAUDE.md".to_owned(),
            _ => format!("{folder}/SKILL.md"),
        };
        let args = self.random.pick(&[&["sync"][..], &["sync", "--commit"]]);
        let number = 1 + self.random.below(25);
        let text = self.new_text();
        let repo = &self.clones[at].repo;
        let script = repo.home().join("save");
        // Not where the sync removed the folder, as an editor would say.
        let save = format!("printf '%s\\n' '{text}' >> '{file}' && : > '{}'.done\n", script.display());
        std::fs::write(&script, save).unwrap();
        let mut command = repo.command(binary());
        command.args(args).env("RAYON_NUM_THREADS", "1");
        command.env("CANONRY_FAILPOINT", format!("{}@{number}", script.display()));
        let ran = Ran::from(command.output().unwrap());
        let is_saved = std::fs::remove_file(script.with_extension("done")).is_ok();
        let clone = &mut self.clones[at];
        if is_saved {
            clone.precious.insert(text.clone());
            if !file.starts_with("agent/") {
                clone.by_hand.insert(text.clone());
            }
        }
        self.assert_reasons(at, &ran);
        if args.len() > 1 && ran.status == 0 {
            self.assert_head(at, &ran);
        }
        format!("saves {text} in {file} at write {number} of {args:?}: {is_saved}, {}", ran.status)
    }

    fn adopts(&mut self, at: usize) -> String {
        let folder = self.skill(at);
        let mirror = self.random.pick(&MIRRORS);
        let file = format!("{mirror}/{}/SKILL.md", name_of(&folder));
        let ran = self.clones[at].repo.sync(&["--adopt", &file]);
        self.assert_reasons(at, &ran);
        format!("adopts {file}: {}", ran.status)
    }

    /// As a pre-commit hook does, perhaps with the commit.
    fn syncs_the_index(&mut self, at: usize) -> String {
        let ran = self.clones[at].repo.sync(&["--staged"]);
        self.assert_reasons(at, &ran);
        let mut note = format!("syncs the index: {}", ran.status);
        if self.random.below(2) == 0 {
            let done = self.clones[at].repo.try_git(&["commit", "-qm", "staged"]).status.success();
            write!(note, ", commits: {done}").unwrap();
            // A sync that names ignored mirrors leaves them out of the index.
            let is_complete = !ran.all().contains("nothing of agent") && !ran.all().contains("Git ignores");
            if done && ran.status == 0 && is_complete {
                self.assert_head(at, &ran);
            }
        }
        note
    }

    fn syncs_with_a_commit(&mut self, at: usize) -> String {
        let ran = self.clones[at].repo.sync(&["--commit"]);
        self.assert_reasons(at, &ran);
        if ran.status == 0 {
            self.assert_head(at, &ran);
        }
        format!("syncs with a commit: {}", ran.status)
    }

    fn syncs(&mut self, at: usize) -> String {
        let ran = self.clones[at].repo.sync(&[]);
        self.assert_reasons(at, &ran);
        format!("syncs: {}", ran.status)
    }
}

/// Git stages what it can: it refuses files that are outside of the sparse set.
pub fn commit(repo: &Repo) {
    let _ = repo.try_git(&["add", "-A"]);
    let _ = repo.try_git(&["commit", "-qm", "work"]);
}
