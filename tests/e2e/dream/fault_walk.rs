//! Weeks of nights with faults at random, often two in one night: killed, disk full, log read-only, clock wrong, nobody
//! there. Whatever the sequence, no row is lost, each fault is reported, and the next good night makes up for all of them.
//! A failure prints its seed and its nights.

use crate::dream::faults::{GIT_LOCKS, assert_nothing_lost, dream_at, log_day, night, status};
use crate::dream::team::{LESSONS, LOG, team};
use crate::support::failpoints::interrupt;
use crate::support::random::Random;
use crate::support::repo::Repo;
use crate::support::same::assert_same;

/// Faults hit one of the first writes of a night; most nights have fewer.
const WRITES: usize = 60;

struct FaultWalk {
    repo: Repo,
    logged: Vec<String>,
    story: String,
    /// Whether an interrupted night may have left work that the next one finishes first, whatever its clock says.
    is_unfinished: bool,
}

impl FaultWalk {
    /// Each row is at least once in the log or a snapshot: an interrupted night may have copied it, and not removed it yet.
    fn assert_each_is_there(&self) {
        let lines = self.repo.lines();
        let missing: Vec<&String> = self.logged.iter().filter(|row| !lines.contains_key(row.as_bytes())).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", self.story);
    }

    /// A night with a fault at a write: it succeeds all the same, changes nothing, or is reported.
    fn interrupted_night(&mut self, day: usize, interruption: &str) {
        let before = self.repo.tree();
        let head = self.repo.head();
        let ended = interrupt(&self.repo, &["dream", "--now", &night(day)], interruption);
        self.assert_each_is_there();
        let is_unchanged = self.repo.tree() == before && self.repo.head() == head;
        self.is_unfinished |= !ended.success();
        if !ended.success() && !is_unchanged && self.repo.head() == head {
            let said = status(&self.repo, day);
            assert!(said.contains("failed"), "{}: {said}", self.story);
        }
    }

    fn night(&mut self, day: usize, random: &mut Random) {
        self.logged.extend(log_day(&self.repo, day));
        match random.below(8) {
            0 => {
                self.story.push_str(&format!(" {day}:good"));
                self.good_night(day);
            }
            1 => self.story.push_str(&format!(" {day}:skipped")),
            2..5 => self.fault(day, random),
            // Somebody tries again, and something else goes wrong.
            _ => {
                self.fault(day, random);
                self.fault(day, random);
            }
        }
    }

    fn fault(&mut self, day: usize, random: &mut Random) {
        let at = 1 + random.below(WRITES);
        let year = if random.below(2) == 0 { "2099" } else { "2020" };
        let wrong = format!("{year}-05-05T03:00:00Z");
        let fault = match random.below(5) {
            0 => format!("kill@{at}"),
            1 => format!("ENOSPC@{at}"),
            2 => "read-only".to_owned(),
            3 => "clock".to_owned(),
            _ => format!("clock,kill@{at}"),
        };
        self.story.push_str(&format!(" {day}:{fault}"));
        match fault.as_str() {
            "read-only" => self.read_only_night(day),
            "clock" => {
                let before = self.repo.tree();
                dream_at(&self.repo, &wrong).expect(5).says(&["--trust-clock"]);
                if !std::mem::take(&mut self.is_unfinished) {
                    assert_same(&self.repo.tree(), &before, &self.story);
                }
                let said = status(&self.repo, day);
                assert!(said.contains("failed"), "{}: {said}", self.story);
            }
            fault => match fault.strip_prefix("clock,") {
                Some(kill) => {
                    let before = self.repo.tree();
                    let ended = interrupt(&self.repo, &["dream", "--now", &wrong], kill);
                    assert!(!ended.success(), "{}", self.story);
                    if !self.is_unfinished {
                        assert_same(&self.repo.tree(), &before, &self.story);
                    }
                }
                None => self.interrupted_night(day, fault),
            },
        }
        self.assert_each_is_there();
    }

    /// The log cannot be written. Nothing else is, either, unless a killed night left work to finish.
    fn read_only_night(&mut self, day: usize) {
        self.repo.chmod(LOG, 0o444);
        let before = self.repo.tree();
        let ended = dream_at(&self.repo, &night(day));
        if self.is_unfinished {
            self.assert_each_is_there();
            assert!(ended.status == 0 || !ended.stderr.is_empty(), "{}", self.story);
        } else {
            ended.expect(70).says(&["read-only"]);
            assert_same(&self.repo.tree(), &before, &self.story);
            assert!(status(&self.repo, day).contains("read-only"), "{}", self.story);
        }
        self.repo.chmod(LOG, 0o644);
    }

    fn good_night(&mut self, day: usize) {
        self.is_unfinished = false;
        dream_at(&self.repo, &night(day)).expect(0);
        assert_nothing_lost(&self.repo, &self.logged, &self.story);
        assert!(!status(&self.repo, day).contains("failed"), "{}", self.story);
        assert!(!GIT_LOCKS.iter().any(|lock| self.repo.exists(lock)), "{}", self.story);
        assert_eq!(self.repo.git(&["status", "--porcelain"]), "", "{}", self.story);
    }
}

fn walk(seed: u64, nights: usize) {
    let mut random = Random::new(seed);
    let mut walk =
        FaultWalk { repo: team(""), logged: Vec::new(), story: format!("seed {seed}:"), is_unfinished: false };
    for day in 1..=nights {
        walk.night(day, &mut random);
    }
    let last = nights + 1;
    walk.logged.extend(log_day(&walk.repo, last));
    walk.story.push_str(" last");
    walk.good_night(last);
    // Learned once, and every old row is archived, however often a night was interrupted.
    let lessons = walk.repo.text(LESSONS);
    assert_eq!(lessons.matches("push to main teaches").count(), 1, "{}: {lessons}", walk.story);
    assert!((1..=last).all(|day| !walk.repo.text(LOG).contains(&format!("\"o{day}\""))), "{}", walk.story);
}

#[test]
fn a_week_of_random_faults_loses_nothing() {
    (1..=4).for_each(|seed| walk(seed, 6));
}

#[test]
#[ignore = "long: run by the nightly checks"]
fn nightly_weeks_of_random_faults_lose_nothing() {
    (100..160).for_each(|seed| walk(seed, 20));
}
