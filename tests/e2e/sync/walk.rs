//! Random walks over three clones of one remote. After every step no text that a person wrote is lost, `check` and
//! `sync --check` agree in every view, and nothing is called an edit that is not one.
//!
//! `CANONRY_WALKS` sets the number of walks (12 by default), `CANONRY_WALK_STEPS` their length, `CANONRY_WALK_SEED` the first
//! seed. A failure prints its seed and its steps.

use crate::support::failpoints::{copy, run};
use crate::support::repo::{Held, Ran, Repo, Tree, binary, document};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const SKILLS: [&str; 2] = ["alpha", "beta"];
/// The last one is a row of the config.
const MIRRORS: [&str; 3] = [".claude/skills", ".codex/skills", ".foo/skills"];
const CLONES: usize = 3;
/// What agents may do, in three versions, and the files with it.
const PAGE: &str = "agent/protocols/permissions.md";
const PAGES: [&str; 3] = [
    "# Permissions\n\n## Always allowed\n\n- `git status`\n- Edit: `src/**`\n\n## Requires approval\n\n- `git push`\n\n## Never allowed\n\n- Read: `.env*`\n",
    "# Permissions\n\n## Always allowed\n\n- `git status`\n\n## Requires approval\n\n- `git push`\n- MCP: `db/insert`\n\n## Never allowed\n\n- MCP: `db/drop`\n",
    "# Permissions\n\n## Always allowed\n\nNone.\n\n## Requires approval\n\n- `make`\n\n## Never allowed\n\n- Web: `example.com`\n",
];
const PERMISSION_FILES: [&str; 2] = [".cursor/cli.json", ".antigravity/settings.json"];

/// A generator of small numbers: xorshift, so that a seed means the same walk everywhere.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

/// A clone, and what a person wrote in it.
struct Clone {
    repo: Repo,
    /// Texts that must exist somewhere.
    precious: BTreeSet<String>,
    /// Texts that a person wrote into a mirror.
    by_hand: BTreeSet<String>,
    /// Texts of the canon that a person discarded, perhaps after a sync had mirrored them.
    discarded: BTreeSet<String>,
}

struct Walk {
    seed: u64,
    random: Random,
    remote: Repo,
    clones: Vec<Clone>,
    texts: usize,
    /// The steps so far, for the message of a failure.
    story: String,
}

/// The template: a bare remote and its clones, made once, because git is slow.
struct Template {
    remote: Repo,
    clone: Repo,
}

fn template(ignored: bool) -> Template {
    let clone = Repo::with_skills(&SKILLS);
    let files = "files:\n  cursor: {permissions: true}\n  antigravity: {permissions: true}\n  accept_omitted: [antigravity/permissions/*]\n";
    let targets = "targets:\n  claude:\n  codex: true\n  foo: {skills: .foo/skills}\n";
    clone.write("agent/canonry.yaml", format!("{targets}{files}"));
    clone.write(PAGE, PAGES[0]);
    PERMISSION_FILES.iter().for_each(|file| clone.write(file, "{\n  // ours\n}\n"));
    if ignored {
        clone.write(".gitignore", ".claude/\n.codex/\n.foo/\n");
    }
    clone.sync(&[]).expect(0);
    clone.git(&["add", "-A"]);
    clone.git(&["commit", "-qm", "first"]);
    clone.append("agent/skills/alpha/SKILL.md", "on the other branch\n");
    clone.git(&["checkout", "-qb", "other"]);
    clone.sync(&[]).expect(0);
    clone.git(&["add", "-A"]);
    clone.git(&["commit", "-qm", "other"]);
    clone.git(&["checkout", "-q", "main"]);
    clone.sync(&[]).expect(0);
    let remote = Repo::empty();
    remote.git(&["config", "core.bare", "true"]);
    clone.git(&["remote", "add", "origin", remote.root.to_str().unwrap()]);
    clone.git(&["push", "-q", "origin", "main", "other"]);
    Template { remote, clone }
}

impl Walk {
    fn begin(seed: u64, template: &Template) -> Self {
        let remote = copy(&template.remote);
        let (from, to) = (template.remote.root.to_str().unwrap(), remote.root.to_str().unwrap());
        let clones = (0..CLONES).map(|_| {
            let repo = copy(&template.clone);
            repo.write(".git/config", repo.text(".git/config").replace(from, to));
            Clone { repo, precious: BTreeSet::new(), by_hand: BTreeSet::new(), discarded: BTreeSet::new() }
        });
        let clones = clones.collect();
        Self { seed, random: Random::new(seed), remote, clones, texts: 0, story: String::new() }
    }

    fn step(&mut self) {
        let at = self.random.below(CLONES);
        let skill = *self.random.pick(&SKILLS);
        let mirror = *self.random.pick(&MIRRORS);
        let canon_file = format!("agent/skills/{skill}/SKILL.md");
        let mirror_file = format!("{mirror}/{skill}/SKILL.md");
        let choice = self.random.below(22);
        let repo = &self.clones[at].repo;
        let mut note;
        let mut sync = None;
        match choice {
            0..=3 => {
                let text = self.new_text();
                note = format!("edits {canon_file}: {text}");
                self.edit(at, &canon_file, skill, &text);
                self.clones[at].precious.insert(text);
            }
            4 | 5 => {
                let text = self.new_text();
                note = format!("edits {mirror_file}: {text}");
                self.edit(at, &mirror_file, skill, &text);
                let clone = &mut self.clones[at];
                clone.by_hand.insert(text.clone());
                clone.precious.insert(text);
            }
            6 => {
                let branch = *self.random.pick(&["main", "other"]);
                note = format!("checks out {branch}");
                let _ = self.clones[at].repo.try_git(&["checkout", "-q", branch]);
            }
            7 | 8 => {
                note = "commits and pulls".to_owned();
                commit(repo);
                let branch = repo.git(&["branch", "--show-current"]);
                if !repo.try_git(&["pull", "-q", "--no-rebase", "--no-edit", "origin", &branch]).status.success() {
                    // A person takes one side of everything, the lock included.
                    let side = *self.random.pick(&["--ours", "--theirs"]);
                    write!(note, ", resolved with {side}").unwrap();
                    self.resolve(at, side);
                }
            }
            9 | 10 => {
                note = "commits and pushes".to_owned();
                commit(repo);
                let branch = repo.git(&["branch", "--show-current"]);
                let _ = repo.try_git(&["push", "-q", "origin", &branch]);
            }
            11 => {
                note = "stashes".to_owned();
                let _ = repo.try_git(&["stash", "push", "-q"]);
            }
            12 => {
                note = "pops the stash".to_owned();
                if repo.try_git(&["rev-parse", "-q", "--verify", "refs/stash"]).status.success()
                    && !repo.try_git(&["stash", "pop", "-q"]).status.success()
                {
                    self.resolve(at, "--theirs");
                }
            }
            13 => {
                note = format!("restores agent/, discarding {:?}", self.discard(at, "agent"));
                self.clones[at].repo.git(&["checkout", "HEAD", "--", "agent"]);
            }
            14 => {
                let cones: [&[&str]; 3] = [
                    &[
                        "sparse-checkout",
                        "set",
                        "agent/skills/alpha",
                        "agent/protocols",
                        ".claude",
                        ".codex",
                        ".foo",
                        ".cursor",
                        ".antigravity",
                    ],
                    &["sparse-checkout", "set", "agent", ".claude", ".cursor", ".antigravity"],
                    &["sparse-checkout", "disable"],
                ];
                let cone = self.random.pick(&cones);
                note = format!("{cone:?}");
                let _ = repo.try_git(cone);
            }
            15 => {
                let lock = *self.random.pick(&["", "HEAD~1", "HEAD"]);
                note = format!("lock from {lock:?}");
                match lock {
                    "" => repo.write("agent/mirrors.lock", ""),
                    rev => drop(repo.try_git(&["checkout", rev, "--", "agent/mirrors.lock"])),
                }
            }
            16 => {
                let number = 1 + self.random.below(14);
                note = format!("sync is killed at {number}");
                let mut command = repo.command(binary());
                command.arg("sync");
                run(command, ("CANONRY_FAILPOINT", &format!("kill@{number}")));
            }
            17 => {
                let ran = repo.sync(&["--adopt", &mirror_file]);
                note = format!("adopts {mirror_file}: {}", ran.status);
                sync = Some(ran);
            }
            18 => {
                note = "cleans".to_owned();
                let _ = repo.try_git(&["clean", "-fdq", "agent/plans", ".claude/none"]);
                let ran = repo.sync(&["--commit"]);
                write!(note, " and syncs with a commit: {}", ran.status).unwrap();
                sync = Some(ran);
            }
            19 => {
                let version = self.random.below(PAGES.len());
                note = format!("writes the permissions {version}");
                repo.write(PAGE, PAGES[version]);
            }
            20 => {
                let file = *self.random.pick(&PERMISSION_FILES);
                let text = self.new_text();
                note = format!("comments in {file}: {text}");
                let repo = &self.clones[at].repo;
                let before = if repo.exists(file) { repo.text(file) } else { "{\n}\n".to_owned() };
                repo.write(file, before.replacen('{', &format!("{{\n  // {text}"), 1));
                self.clones[at].precious.insert(text);
            }
            _ => {
                let ran = repo.sync(&[]);
                note = format!("syncs: {}", ran.status);
                sync = Some(ran);
            }
        }
        writeln!(self.story, "{at}: {note}").unwrap();
        if let Some(ran) = sync {
            self.assert_reasons(at, &ran);
        }
        self.assert_work_tree(at);
        if self.random.below(3) == 0 {
            self.assert_index(at);
        }
        self.assert_nothing_is_lost(at);
    }

    fn new_text(&mut self) -> String {
        self.texts += 1;
        format!("written-{}-{}", self.seed, self.texts)
    }

    /// Adds a line in the middle of the text, so that git merges edits of different places.
    fn edit(&mut self, at: usize, path: &str, skill: &str, text: &str) {
        let repo = &self.clones[at].repo;
        let before = if repo.exists(path) { repo.text(path) } else { document(skill) };
        let lines: Vec<&str> = before.lines().collect();
        let place = 5 + self.random.below(lines.len().saturating_sub(4));
        let place = place.min(lines.len());
        let lines = lines[..place].iter().chain([&text]).chain(&lines[place..]);
        repo.write(path, lines.map(|line| format!("{line}\n")).collect::<String>());
    }

    /// A person decides for one side; what only the other side has remains in git.
    fn resolve(&mut self, at: usize, side: &str) {
        let repo = &self.clones[at].repo;
        let unmerged = repo.git(&["diff", "--name-only", "--diff-filter=U"]);
        for path in unmerged.lines() {
            if !repo.try_git(&["checkout", side, "--", path]).status.success() {
                let _ = repo.try_git(&["rm", "-q", "-f", "--", path]);
            }
        }
        commit(repo);
    }

    /// What a person gives up who restores a folder: texts that are nowhere else.
    fn discard(&mut self, at: usize, folder: &str) -> Vec<String> {
        let clone = &mut self.clones[at];
        let all = clone.repo.tree_of(&[folder]);
        let gone: Vec<String> = clone.precious.iter().filter(|text| holds(&all, text)).cloned().collect();
        clone.precious.retain(|text| !gone.contains(text));
        clone.discarded.extend(gone.iter().cloned());
        gone
    }

    #[track_caller]
    fn assert(&self, holds: bool, what: &str) {
        assert!(holds, "seed {}: {what}\n{}", self.seed, self.story);
    }

    /// Only a file with a text that a person wrote there is called an edit.
    fn assert_reasons(&self, at: usize, ran: &Ran) {
        let clone = &self.clones[at];
        self.assert(matches!(ran.status, 0 | 1 | 5 | 65), &ran.all());
        for line in ran.all().lines().filter(|line| line.contains("edited by hand")) {
            let path = line.split_whitespace().nth(1).unwrap_or_default().trim_end_matches(':');
            let text = if clone.repo.exists(path) { clone.repo.text(path) } else { String::new() };
            let by_hand = self.clones.iter().flat_map(|clone| &clone.by_hand);
            // A mirror of a discarded text that was committed alone: only the clone that wrote it knows who did.
            let others = self.clones.iter().enumerate().filter(|(other, _)| *other != at);
            let by_hand = by_hand.chain(others.flat_map(|(_, clone)| &clone.discarded));
            self.assert(by_hand.into_iter().any(|edit| text.contains(edit)), &format!("no edit: {line}\n{text}"));
        }
    }

    fn assert_work_tree(&self, at: usize) {
        let repo = &self.clones[at].repo;
        let sync = repo.sync(&["--check"]);
        let check = repo.check(&[]);
        self.assert_reasons(at, &sync);
        let both = format!("sync --check {}, check {}\n{}\n{}", sync.status, check.status, sync.all(), check.all());
        self.assert(sync.status == check.status, &both);
        let refused: BTreeSet<&str> = sync.stdout.lines().filter_map(|line| line.strip_prefix("refused   ")).collect();
        self.assert(
            refused.iter().any(|line| line.contains("edited by hand")) == check.stdout.contains("mirror-edited")
                || refused.iter().any(|line| line.contains("differs")),
            &both,
        );
    }

    fn assert_index(&self, at: usize) {
        let repo = &self.clones[at].repo;
        let staged = repo.sync(&["--staged", "--check"]);
        let index = repo.check(&["--staged"]);
        let both =
            format!("--staged: sync {}, check {}\n{}\n{}", staged.status, index.status, staged.all(), index.all());
        self.assert(staged.status == index.status, &both);
    }

    fn assert_nothing_is_lost(&self, at: usize) {
        let clone = &self.clones[at];
        let work_tree = clone.repo.tree();
        let kept = clone.repo.tree_of(&[".git/canonry/kept"]);
        let missing: Vec<&String> =
            clone.precious.iter().filter(|text| !holds(&work_tree, text) && !holds(&kept, text)).collect();
        if missing.is_empty() {
            return;
        }
        let objects = objects(&clone.repo);
        for text in missing {
            self.assert(objects.contains(text.as_str()), &format!("{text} is lost"));
        }
    }

    /// A clone can be brought in order again, without loss.
    fn finish(&mut self) {
        let at = self.random.below(CLONES);
        let repo = &self.clones[at].repo;
        if repo.git(&["config", "--default", "false", "--get", "core.sparseCheckout"]) == "true" {
            repo.git(&["sparse-checkout", "disable"]);
        }
        let ran = repo.sync(&["--force"]);
        writeln!(self.story, "{at}: syncs by force: {}", ran.status).unwrap();
        self.assert(ran.status == 0, &ran.all());
        let repo = &self.clones[at].repo;
        for skill in SKILLS.iter().filter(|skill| repo.exists(&format!("agent/skills/{skill}"))) {
            MIRRORS.iter().for_each(|mirror| repo.assert_copied(skill, &format!("{mirror}/{skill}")));
        }
        self.assert_work_tree(at);
        self.assert_index(at);
        self.assert_nothing_is_lost(at);
        assert!(self.remote.exists(".git"));
    }
}

fn commit(repo: &Repo) {
    repo.git(&["add", "-A"]);
    let _ = repo.try_git(&["commit", "-qm", "work"]);
}

fn holds(tree: &Tree, text: &str) -> bool {
    tree.values().any(|held| match held {
        Held::File { bytes, .. } => bytes.windows(text.len()).any(|window| window == text.as_bytes()),
        Held::Folder | Held::Link(_) => false,
    })
}

/// The content of everything that git stores.
fn objects(repo: &Repo) -> String {
    repo.git(&["cat-file", "--batch-all-objects", "--batch"])
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn walk(walks: u64, steps: u64) {
    let first = setting("CANONRY_WALK_SEED", 1);
    let templates = [template(false), template(true)];
    for seed in first..first + walks {
        let mut walk = Walk::begin(seed, &templates[(seed % 2) as usize]);
        for _ in 0..steps {
            walk.step();
        }
        walk.finish();
    }
}

#[test]
fn walks() {
    walk(setting("CANONRY_WALKS", 12), setting("CANONRY_WALK_STEPS", 4));
}

#[test]
#[ignore = "takes minutes"]
fn nightly_long_walks() {
    walk(setting("CANONRY_WALKS", 100), setting("CANONRY_WALK_STEPS", 25));
}
