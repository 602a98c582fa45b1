//! Generates episode logs. The same options give the same bytes.

use crate::random::Random;
use serde_json::{Value, json};

/// The time that logs end at.
pub const NOW: &str = "2026-05-01T03:00:00Z";
const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;
const OLDEST_DAYS: i64 = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Rows that an agent writes: six in ten repeat one of 160 patterns in other words, the others are unique.
    Curated,
    /// Rows that a hook writes after each tool call.
    Hook,
    /// Rows that share no word.
    Unique,
    /// Half curated, half hook.
    Mixed,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub rows: usize,
    pub style: Style,
    pub seed: u64,
    /// Whether rows have an `id`.
    pub ids: bool,
    /// Whether rows have a confidence and a source.
    pub source: bool,
    /// Whether about two rows in a hundred are malformed or unusual.
    pub dirty: bool,
}

impl Options {
    pub fn new(rows: usize, style: Style) -> Self {
        Self { rows, style, seed: 42, ids: true, source: false, dirty: false }
    }
}

/// A row, and the pattern that it repeats. Rows with equal labels are about the same thing.
#[derive(Debug)]
pub struct Episode {
    pub line: String,
    pub label: String,
}

/// The lines of a log.
pub fn log(options: &Options) -> Vec<u8> {
    let mut log = Vec::new();
    for episode in episodes(options) {
        log.extend_from_slice(episode.line.as_bytes());
        log.push(b'\n');
    }
    log
}

pub fn episodes(options: &Options) -> Vec<Episode> {
    let mut random = Random::new(options.seed);
    let patterns: Vec<Pattern> = (0..160).map(|_| Pattern::draw(&mut random)).collect();
    let now: jiff::Timestamp = NOW.parse().unwrap();
    let mut episodes: Vec<Episode> = Vec::with_capacity(options.rows);
    for number in 0..options.rows {
        let left = (options.rows - number) as i64;
        let age = OLDEST_DAYS * MICROSECONDS_PER_DAY / options.rows as i64 * left - random.below(1_000_000) as i64;
        let time = now - jiff::SignedDuration::from_micros(age);
        let (mut row, label) = match options.style {
            Style::Curated => curated(&mut random, &patterns),
            Style::Hook => hook(&mut random),
            Style::Unique => unique(&mut random),
            Style::Mixed if random.below(2) == 0 => curated(&mut random, &patterns),
            Style::Mixed => hook(&mut random),
        };
        row["timestamp"] = json!(time.to_string());
        if options.ids {
            row["id"] = json!(format!("e{number:06}"));
        }
        if options.source {
            row["confidence"] = json!(0.7);
            row["source"] =
                json!({"skill": row["skill"], "profile": "default", "run_id": format!("run-{}", number / 50)});
        }
        let line = if options.dirty && random.below(50) == 0 {
            spoil(&mut random, row, episodes.last().map(|episode| episode.line.as_str()))
        } else {
            row.to_string()
        };
        episodes.push(Episode { line, label });
    }
    episodes
}

impl Random {
    fn score(&mut self) -> u64 {
        1 + self.below(9) as u64
    }

    /// A made-up word of some syllables.
    fn word(&mut self, syllables: usize) -> String {
        let mut word = String::new();
        for _ in 0..syllables {
            word.push(char::from(self.pick(b"bdfgklmnprstvz")));
            word.push(char::from(self.pick(b"aeiou")));
        }
        word
    }
}

const SKILLS: [&str; 8] = [
    "release-notes",
    "triage-bug",
    "write-tests",
    "migrate-schema",
    "review-code",
    "deploy",
    "general",
    "tune-queries",
];
const VERBS: [&str; 12] = [
    "rewrote",
    "rolled out",
    "split",
    "merged",
    "benchmarked",
    "disabled",
    "restored",
    "cached",
    "inlined",
    "retired",
    "audited",
    "replayed",
];
const OBJECTS: [&str; 16] = [
    "the login form",
    "the invoice export",
    "a slow join",
    "the upload queue",
    "the mail template",
    "the feature switch",
    "the audit trail",
    "the image resizer",
    "the tax table",
    "the price cache",
    "the backup job",
    "the search filter",
    "the address parser",
    "the session cookie",
    "the nightly report",
    "the error page",
];
const CAUSES: [&str; 8] = [
    "two workers shared one temporary folder",
    "the sandbox had yesterday's certificates",
    "a default changed between minor versions",
    "the clock of one host was behind",
    "a join multiplied rows that had no key",
    "the fixture depended on the order of a map",
    "an old client still sent the former header",
    "the disk quota was counted in blocks",
];
const LESSONS: [&str; 8] = [
    "give each worker a folder of its own",
    "pin the version of every image that a build uses",
    "compare dates with their offsets",
    "write the check before the change",
    "measure on production-sized data before a release",
    "keep the former format readable for one release",
    "ask the owner before dropping a column",
    "log the request id in every service",
];
const COMMANDS: [&str; 8] = [
    "make check -C {}",
    "go test ./{}/...",
    "yarn build {}",
    "terraform apply -target {}",
    "helm upgrade {} ./chart",
    "git push origin topic/{}",
    "psql -f {}.sql",
    "rg FIXME {}",
];
const FOLDERS: [&str; 10] =
    ["accounts", "basket", "courier", "docs", "events", "front", "geo", "hooks", "images", "jobs"];
const ERRORS: [&str; 5] = [
    "error: table is locked",
    "no space left on device",
    "expected 3 rows, found 4",
    "unknown flag: --all",
    "the server closed the connection",
];

struct Pattern {
    skill: &'static str,
    action: String,
    lesson: &'static str,
    cause: &'static str,
    result: &'static str,
    pain: u64,
    importance: u64,
}

impl Pattern {
    fn draw(random: &mut Random) -> Self {
        Self {
            skill: random.pick(&SKILLS),
            action: format!("{} {} of {} service", random.pick(&VERBS), random.pick(&OBJECTS), random.word(3)),
            lesson: random.pick(&LESSONS),
            cause: random.pick(&CAUSES),
            result: random.pick(&["success", "failure"]),
            pain: random.pick(&[2, 4, 6, 8, 9]),
            importance: random.pick(&[3, 5, 7, 9]),
        }
    }
}

fn curated(random: &mut Random, patterns: &[Pattern]) -> (Value, String) {
    if random.below(10) < 6 {
        // The smaller of two draws: early patterns recur more often.
        let at = random.below(patterns.len()).min(random.below(patterns.len()));
        let pattern = &patterns[at];
        let tail = match random.below(4) {
            0 => String::new(),
            1 => " again".to_owned(),
            2 => " on retry".to_owned(),
            _ => format!(" (run {})", random.below(500)),
        };
        let reflection = if random.below(4) == 0 {
            format!("{}; {}", pattern.cause, pattern.lesson)
        } else {
            format!("{} because {}", pattern.lesson, pattern.cause)
        };
        let row = json!({
            "skill": pattern.skill, "action": format!("{}{tail}", pattern.action), "result": pattern.result,
            "detail": format!("{} took {} s", random.pick(&FOLDERS), random.below(900)),
            "pain_score": (pattern.pain + random.below(2) as u64).min(10), "importance": pattern.importance,
            "reflection": reflection,
        });
        return (row, format!("pattern {at}"));
    }
    let one = random.word(4);
    let other = random.word(4);
    let action = format!("{} {one} {other} module", random.pick(&VERBS));
    let row = json!({
        "skill": random.pick(&SKILLS), "action": action, "result": "success",
        "detail": format!("{} {} files", random.word(4), random.below(40)),
        "pain_score": random.score(), "importance": random.score(),
        "reflection": format!("{one} needs {} before {}", random.word(4), random.word(4)),
    });
    (row, action)
}

fn hook(random: &mut Random) -> (Value, String) {
    let command = random.pick(&COMMANDS).replace("{}", random.pick(&FOLDERS));
    let high = ["apply", "upgrade", "push"].iter().any(|word| command.contains(word));
    let (action, result, pain, importance, reflection) = match random.below(20) {
        0..9 => {
            let path = format!("src/{}/{}.rs", random.pick(&FOLDERS), random.word(2));
            let reflection = format!("Edited {path}: replaced '{}' with '{}'", random.word(3), random.word(3));
            (format!("edit: {path}"), "success", 2, 5, reflection)
        }
        9..18 => {
            let (pain, importance) = if high { (5, 9) } else { (2, 6) };
            (format!("bash: {command}"), "success", pain, importance, format!("Ran: {command}"))
        }
        _ => {
            let (pain, importance) = if high { (10, 9) } else { (8, 6) };
            let reflection = format!("FAILURE: {command}. Error: {}", random.pick(&ERRORS));
            (format!("bash: {command}"), "failure", pain, importance, reflection)
        }
    };
    let row = json!({
        "skill": "claude-code", "action": action, "result": result, "detail": format!("{} lines", random.below(400)),
        "pain_score": pain, "importance": importance, "reflection": reflection,
    });
    (row, action)
}

fn unique(random: &mut Random) -> (Value, String) {
    let mut words = || (0..5).map(|_| random.word(4)).collect::<Vec<_>>().join(" ");
    let action = words();
    let detail = words();
    let reflection = words();
    let row = json!({
        "skill": random.pick(&SKILLS), "action": action, "result": "success", "detail": detail,
        "pain_score": random.score(), "importance": random.score(), "reflection": reflection,
    });
    (row, action)
}

/// A row that is malformed, or unusual but valid.
fn spoil(random: &mut Random, mut row: Value, previous: Option<&str>) -> String {
    let time = row["timestamp"].as_str().unwrap().trim_end_matches('Z').to_owned();
    match random.below(12) {
        0 => row["timestamp"] = json!(time),
        1 => row["timestamp"] = json!(format!("{time}+00:00")),
        2 => row["timestamp"] = json!("2026-05-01T12:00:00+00:00"),
        3 => row["timestamp"] = json!("last week"),
        4 => row["reflection"] = json!("first line\n## A heading\n- an item"),
        5 => row["reflection"] = json!("a separator\u{2028}and a next line\u{85}within"),
        6 => {
            row.as_object_mut().unwrap().remove("pain_score");
            row.as_object_mut().unwrap().remove("importance");
        }
        7 => row["action"] = Value::Null,
        8 => row["pain_score"] = json!("8"),
        9 => return "[1, 2, 3]".to_owned(),
        10 => {
            let text = row.to_string();
            return text.chars().take(text.chars().count() / 2).collect();
        }
        _ => return previous.map_or_else(|| row.to_string(), str::to_owned),
    }
    row.to_string()
}
