//! Random walks over three clones of one remote. After every step no text that a person wrote is lost, everybody who is
//! asked gives the same answer about each view, nothing is called an edit that is not one, and a commit of `sync` is in order.
//!
//! `CANONRY_WALKS` sets the number of walks, `CANONRY_WALK_STEPS` their length, `CANONRY_WALK_SEED` the first seed. A failure
//! prints its seed and its steps; with `CANONRY_WALK_KEEP` it leaves its clones on the disk.

mod agreement;
mod steps;
mod template;

use crate::support::failpoints::{copy, holds};
use crate::support::random::Random;
use crate::support::repo::{Held, Ran, Repo, Tree};
use crate::support::walk::{seeds, setting};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use steps::{STEPS, commit};
use template::{MIRRORS, Template, name_of, new_document, skills, template};

/// The names of skills.
const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];
const CLONES: usize = 3;
/// Walks at the same time: a step mostly waits for processes.
const PARALLEL: usize = 2;

/// A clone, and what a person wrote in it.
struct Clone {
    repo: Repo,
    /// Texts that must exist somewhere.
    precious: BTreeSet<String>,
    /// Texts that a person wrote into a mirror.
    by_hand: BTreeSet<String>,
}

struct Walk {
    seed: u64,
    /// Whether git ignores the mirrors.
    is_ignored: bool,
    random: Random,
    remote: Repo,
    clones: Vec<Clone>,
    texts: usize,
    /// The steps so far, for the message of a failure.
    story: String,
}

impl Walk {
    fn begin(seed: u64, templates: &[Template; 2]) -> Self {
        // One walk in four.
        let is_ignored = seed % 4 == 3;
        let template = &templates[usize::from(is_ignored)];
        let remote = copy(&template.remote);
        let from = template.remote.root.to_str().unwrap();
        let to = remote.root.to_str().unwrap();
        let clones = (0..CLONES).map(|_| {
            let repo = copy(&template.clone);
            repo.write(".git/config", repo.text(".git/config").replace(from, to));
            Clone { repo, precious: BTreeSet::new(), by_hand: BTreeSet::new() }
        });
        let clones = clones.collect();
        Self { seed, is_ignored, random: Random::new(seed), remote, clones, texts: 0, story: String::new() }
    }

    fn step(&mut self) {
        let at = self.random.below(CLONES);
        let mut choice = self.random.below(STEPS.iter().map(|(weight, _)| weight).sum());
        let step = STEPS.iter().find(|(weight, _)| {
            let is_chosen = choice < *weight;
            choice = choice.saturating_sub(*weight);
            is_chosen
        });
        write!(self.story, "{at}: ").unwrap();
        let note = (step.unwrap().1)(self, at);
        writeln!(self.story, "{note}").unwrap();
        self.assert_one_truth(at);
        self.assert_nothing_is_lost(at);
    }

    fn new_text(&mut self) -> String {
        self.texts += 1;
        format!("written-{}-{}-", self.seed, self.texts)
    }

    /// Adds a line in the middle of the text, so that git merges edits of different places.
    fn edit(&mut self, at: usize, path: &str, skill: &str, text: &str) {
        let repo = &self.clones[at].repo;
        let before = if repo.exists(path) { repo.text(path) } else { new_document(skill) };
        let lines: Vec<&str> = before.lines().collect();
        let place = 5 + self.random.below(lines.len().saturating_sub(4));
        let place = place.min(lines.len());
        let lines = lines[..place].iter().chain([&text]).chain(&lines[place..]);
        repo.write(path, lines.map(|line| format!("{line}\n")).collect::<String>());
    }

    /// A person decides for one side; what only the other side has remains in git.
    fn resolve(&mut self, at: usize, side: &str) {
        self.take_side(at, side, "");
        commit(&self.clones[at].repo);
    }

    /// Takes one side of each unmerged path but one.
    fn take_side(&mut self, at: usize, side: &str, but: &str) {
        let repo = &self.clones[at].repo;
        let unmerged = repo.git(&["diff", "--name-only", "--diff-filter=U"]);
        for path in unmerged.lines().filter(|path| *path != but) {
            if repo.try_git(&["checkout", side, "--", path]).status.success() {
                let _ = repo.try_git(&["add", "--sparse", "--", path]);
            } else {
                let _ = repo.try_git(&["rm", "-q", "-f", "--sparse", "--", path]);
            }
        }
    }

    /// Texts that a person gives up by restoring or removing a folder: those that are nowhere else.
    fn discard(&mut self, at: usize, folder: &str) -> Vec<String> {
        let clone = &mut self.clones[at];
        let all = clone.repo.tree_of(&[folder]);
        let gone: Vec<String> = clone.precious.iter().filter(|text| has(&all, text)).cloned().collect();
        clone.precious.retain(|text| !gone.contains(text));
        gone
    }

    #[track_caller]
    fn assert(&self, is_true: bool, otherwise: &str) {
        assert!(is_true, "seed {}: {otherwise}\n{}", self.seed, self.story);
    }

    /// Only a file with a text that a person wrote there is called an edit.
    fn assert_reasons(&self, at: usize, ran: &Ran) {
        let clone = &self.clones[at];
        self.assert(matches!(ran.status, 0 | 1 | 5 | 65), &ran.all());
        for line in ran.all().lines().filter(|line| line.contains("edited by hand")) {
            let path = line.split_whitespace().nth(1).unwrap_or_default().trim_end_matches(':');
            let staged = || clone.repo.try_git(&["show", &format!(":{path}")]).stdout;
            // What a sparse checkout leaves out is in the index.
            let text = if clone.repo.exists(path) { clone.repo.read(path) } else { staged() };
            let text = String::from_utf8_lossy(&text);
            let mut by_hand = self.clones.iter().flat_map(|clone| &clone.by_hand);
            self.assert(by_hand.any(|edit| text.contains(edit)), &format!("no edit: {line}\n{text}"));
        }
    }

    fn assert_nothing_is_lost(&self, at: usize) {
        let clone = &self.clones[at];
        let missing: Vec<&String> = clone.precious.iter().filter(|text| !holds(&clone.repo, text)).collect();
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
        // A merge can bring a skill that the other side moved.
        let folders = skills(repo);
        let is_twice =
            |folder: &&String| folders.iter().any(|other| other < *folder && name_of(other) == name_of(folder));
        for folder in folders.iter().filter(is_twice) {
            self.discard(at, folder);
            self.clones[at].repo.remove(folder);
        }
        let repo = &self.clones[at].repo;
        let ran = repo.sync(&["--force"]);
        writeln!(self.story, "{at}: syncs by force: {}", ran.status).unwrap();
        self.assert(ran.status == 0, &ran.all());
        let repo = &self.clones[at].repo;
        let config = repo.text(template::CONFIG);
        let targets = config.split("files:").next().unwrap();
        for folder in skills(repo) {
            let below = folder.strip_prefix("agent/skills/").unwrap();
            for mirror in
                MIRRORS.iter().filter(|mirror| targets.contains(&format!("  {}:", &mirror[1..mirror.len() - 7])))
            {
                let folder = format!("{mirror}/{}", name_of(&folder));
                // Git may bring back a file that canonry removed and no lock names: then it is said not to be ours.
                if !ran.all().contains(&format!("not ours  {folder} ")) {
                    repo.assert_copied(below, &folder);
                }
            }
        }
        self.assert_one_truth(at);
        self.assert_nothing_is_lost(at);
        let mut ran = self.clones[at].repo.sync(&["--commit"]);
        writeln!(self.story, "{at}: commits: {}", ran.status).unwrap();
        // A person finishes a merge, and commits what sync did not write.
        if ["a merge is in progress", "commit it yourself"].iter().any(|words| ran.all().contains(words)) {
            commit(&self.clones[at].repo);
            ran = self.clones[at].repo.sync(&["--commit"]);
        }
        self.assert(ran.status == 0 || self.is_ignored, &ran.all());
        if ran.status == 0 {
            self.assert_head(at, &ran);
        }
        assert!(self.remote.exists(".git"));
    }
}

fn has(tree: &Tree, text: &str) -> bool {
    tree.values().any(|held| match held {
        Held::File { bytes, .. } => bytes.windows(text.len()).any(|window| window == text.as_bytes()),
        Held::Folder | Held::Link(_) => false,
    })
}

/// The content of everything that git stores.
fn objects(repo: &Repo) -> String {
    repo.git(&["cat-file", "--batch-all-objects", "--batch"])
}

/// Walks on after a fault, so that one run shows the faults of all seeds.
fn walk(seeds: Range<u64>, steps: u64) {
    let templates = [template(false), template(true)];
    let next = AtomicU64::new(seeds.start);
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..PARALLEL {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let mut walk = Walk::begin(seed, &templates);
                    let walked = catch_unwind(AssertUnwindSafe(|| {
                        (0..steps).for_each(|_| walk.step());
                        walk.finish();
                    }));
                    if walked.is_err() {
                        eprintln!("seed {seed}:\n{}", walk.story);
                        if std::env::var_os("CANONRY_WALK_KEEP").is_some() {
                            eprintln!(
                                "kept: {:?}",
                                walk.clones.iter().map(|clone| &clone.repo.root).collect::<Vec<_>>()
                            );
                            std::mem::forget(walk);
                        }
                        faults.lock().unwrap().push(seed);
                    }
                }
            });
        }
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort_unstable();
    assert!(faults.is_empty(), "{} of the walks {seeds:?} fail, with the seeds {faults:?}", faults.len());
}

#[test]
fn walks() {
    walk(seeds(8), setting("CANONRY_WALK_STEPS", 8));
}

#[test]
#[ignore = "takes minutes"]
fn nightly_long_walks() {
    walk(seeds(200), setting("CANONRY_WALK_STEPS", 100));
}
