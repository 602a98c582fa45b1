//! Random walks over a source and a canon: whatever is added, edited, updated and removed in whatever order, no text that a person
//! wrote into a skill is lost.
//!
//! `CANONRY_WALKS` sets the number of walks, `CANONRY_WALK_SEED` the first seed. A failure prints its steps.

use super::source::{Source, canon, skills};
use crate::support::failpoints::holds;
use crate::support::random::Random;
use crate::support::repo::Repo;
use crate::support::walk::seeds;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const NAMES: [&str; 3] = ["pdf", "xls", "doc"];
const STEPS: usize = 24;

struct Walk {
    random: Random,
    source: Source,
    repo: Repo,
    precious: BTreeSet<String>,
    texts: usize,
    story: String,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let random = Random::new(seed);
        let precious = BTreeSet::new();
        let story = format!("seed {seed}\n");
        Self { random, source: Source::new(&NAMES), repo: canon(), precious, texts: 0, story }
    }

    fn step(&mut self) {
        let name = NAMES[self.random.below(NAMES.len())];
        let folder = format!("agent/skills/{name}");
        let url = self.source.url();
        match self.random.below(12) {
            0 | 1 => self.run(&["add", &url, "--skill", name, "--yes"]),
            2 | 3 => self.run(&["update", "--yes"]),
            4 => self.run(&["remove", name]),
            5 => self.run(&["install"]),
            6 if self.random.below(3) == 0 => self.run(&["remove", name, "--force"]),
            7 | 8 if self.repo.exists(&folder) => self.edit(&folder, name),
            9 => self.change_source(name),
            10 => self.change_source(name),
            11 if self.random.below(2) == 0 => {
                self.repo.git(&["add", "-A"]);
                let _ = self.repo.try_git(&["commit", "-qm", "walk"]);
                let _ = writeln!(self.story, "commit");
            }
            _ => self.run(&["list", "--remote"]),
        }
    }

    fn run(&mut self, args: &[&str]) {
        let ran = skills(&self.repo, args);
        let _ = writeln!(self.story, "{args:?}: {}\n{}", ran.status, ran.stderr.trim());
        // Done, refused, not in the lock, or not offered any more.
        assert!([0, 5, 64, 65].contains(&ran.status), "{}\n{}", self.story, ran.all());
    }

    /// A person edits a line, appends one, or writes a new file.
    fn edit(&mut self, folder: &str, name: &str) {
        self.texts += 1;
        let text = format!("mine-{}-{name}.", self.texts);
        let document = format!("{folder}/SKILL.md");
        match self.random.below(3) {
            0 if self.repo.exists(&document) => self.repo.append(&document, &format!("{text}\n")),
            1 if self.repo.exists(&document) => {
                let line = ["Two.\n", "Four.\n"][self.random.below(2)];
                let now = self.repo.text(&document).replacen(line, &format!("{line}{text}\n"), 1);
                self.repo.write(&document, now);
            }
            _ => self.repo.write(&format!("{folder}/notes-{}.md", self.random.below(2)), format!("{text}\n")),
        }
        let _ = writeln!(self.story, "edit {folder}: {text}");
        // A person who overwrites an own note knows it.
        self.precious.insert(text);
        let repo = &self.repo;
        self.precious.retain(|text| holds(repo, text));
    }

    fn change_source(&mut self, name: &str) {
        let work = &self.source.work;
        let document = format!("skills/{name}/SKILL.md");
        let choice = self.random.below(6);
        match choice {
            0 if work.exists(&document) => work.append(&document, &format!("theirs-{}\n", self.texts)),
            1 if work.exists(&document) => {
                let line = ["One.\n", "Two.\n", "Three.\n"][self.random.below(3)];
                work.write(&document, work.text(&document).replacen(line, &format!("Their {line}"), 1));
            }
            2 if work.exists(&document) => work.write(&format!("skills/{name}/notes-0.md"), "their notes\n"),
            3 if work.exists(&document) => work.rename(&format!("skills/{name}"), &format!("moved/{name}")),
            4 if !work.exists(&document) && work.exists(&format!("moved/{name}")) => {
                work.rename(&format!("moved/{name}"), &format!("skills/{name}"));
            }
            _ => work.write("README.md", format!("{}\n", self.texts)),
        }
        self.texts += 1;
        work.git(&["add", "-A"]);
        let amend = if self.random.below(3) == 0 { &["--amend"][..] } else { &[] };
        work.git(&[&["commit", "-q", "--allow-empty", "-m", "change"], amend].concat());
        self.source.push();
        if self.random.below(4) == 0 {
            self.source.collect_garbage();
        }
        let _ = writeln!(self.story, "source {name}: {choice} {amend:?}");
    }

    fn check(&self) {
        for text in &self.precious {
            assert!(holds(&self.repo, text), "{text} is lost\n{}", self.story);
        }
    }
}

#[test]
fn no_text_of_a_person_is_lost() {
    for seed in seeds(4) {
        let mut walk = Walk::new(seed);
        for _ in 0..STEPS {
            walk.step();
            walk.check();
        }
    }
}
