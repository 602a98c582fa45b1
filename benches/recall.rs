//! Quality of `canonry recall` compared with plain BM25, on a generated log with known answers, and its speed.
//! `cargo bench --bench recall`; `cargo test --bench recall` measures the quality only.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use canonry_app::recall::{self, RecallOutcome, RecallRequest};
use canonry_app::{Environment, MemorySource, Quiet, Timestamp, Workspace};
use std::collections::{HashMap, HashSet};
use std::time::Instant;

const ROWS: usize = 10_000;
const QUESTIONS: usize = 400;
/// Rows on the same topic as an answer.
const RIVALS: usize = 12;
const DEPTH: usize = 50;
const NOW: &str = "2026-05-01T03:00:00Z";

/// SplitMix64: reproducible on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// A word from a vocabulary of 3,000 with a skewed distribution.
    fn word(&mut self) -> String {
        let part = self.below(1_000_000) as f64 / 1_000_000.0;
        spelt((3_000f64.powf(part)) as usize)
    }
}

/// Spells a number as syllables.
fn spelt(mut number: usize) -> String {
    let mut word = String::new();
    for _ in 0..3 {
        word.push(b"bdfgklmnprtvz"[number % 13] as char);
        word.push(b"aeiou"[number / 13 % 5] as char);
        number /= 65;
    }
    word + "k"
}

struct Row {
    text: String,
    line: String,
}

fn row(random: &mut Random, id: &str, words: &[String], (pain, importance, age): (usize, usize, usize)) -> Row {
    let mut said = words.to_vec();
    for _ in 0..random.between(6, 16) {
        let at = random.below(said.len() + 1);
        said.insert(at, random.word());
    }
    let middle = said.len() / 2;
    let action = said[..middle].join(" ");
    let reflection = said[middle..].join(" ");
    let at = Timestamp::parse(NOW).unwrap().minus_days(age as i64);
    let line = format!(
        "{{\"timestamp\":\"{at}\",\"id\":\"{id}\",\"skill\":\"s\",\"action\":\"{action}\",\"reflection\":\"{reflection}\",\
         \"pain_score\":{pain},\"importance\":{importance}}}\n"
    );
    Row { text: format!("s {action} {reflection}"), line }
}

/// Difference between the answer and the other rows on its topic.
#[derive(Clone, Copy, PartialEq)]
enum AnswerKind {
    /// Higher salience than the others.
    ByWeight,
    /// One more of the question's words; its salience is random.
    ByWords,
}

struct Generated {
    rows: Vec<(String, Row)>,
    questions: Vec<(String, String, AnswerKind)>,
}

/// Each question has three words of its own topic, and all rows on the topic have two or three of them. Half of the answers
/// differ by salience and half by a fourth word, so a score that uses only one of the two misses the rest.
fn generate(count: usize, questions: usize) -> Generated {
    let mut random = Random(20_260_501);
    let mut rows = Vec::new();
    let mut asked = Vec::new();
    for nth in 0..questions {
        let topic: Vec<String> = (0..3).map(|at| spelt(4_000 + nth * 5 + at)).collect();
        let fourth = spelt(90_000 + nth);
        let kind = if nth % 2 == 0 { AnswerKind::ByWeight } else { AnswerKind::ByWords };
        let answer = format!("answer-{nth}");
        let mut words = topic.clone();
        let weight = match kind {
            AnswerKind::ByWeight => (random.between(7, 10), random.between(6, 10), random.between(0, 45)),
            AnswerKind::ByWords => {
                words.push(fourth.clone());
                any(&mut random)
            }
        };
        rows.push((answer.clone(), row(&mut random, &answer, &words, weight)));
        for rival in 0..RIVALS {
            let mut words = topic.clone();
            if random.below(3) == 0 {
                words.remove(random.below(3));
            }
            let weight = match kind {
                AnswerKind::ByWeight => (random.between(1, 6), random.between(2, 7), random.between(0, 300)),
                AnswerKind::ByWords => any(&mut random),
            };
            let id = format!("rival-{nth}-{rival}");
            rows.push((id.clone(), row(&mut random, &id, &words, weight)));
        }
        let mut question = vec!["how".to_owned(), "to".to_owned(), random.word()];
        question.extend(topic);
        question.extend((kind == AnswerKind::ByWords).then_some(fourth));
        asked.push((question.join(" "), answer, kind));
    }
    while rows.len() < count {
        let id = format!("noise-{}", rows.len());
        let weight = any(&mut random);
        let noise = [random.word()];
        rows.push((id.clone(), row(&mut random, &id, &noise, weight)));
    }
    // The position in the log does not reveal the answer.
    for at in (1..rows.len()).rev() {
        rows.swap(at, random.below(at + 1));
    }
    Generated { rows, questions: asked }
}

fn any(random: &mut Random) -> (usize, usize, usize) {
    (random.between(1, 10), random.between(1, 10), random.between(0, 300))
}

/// Recall@5 and the mean reciprocal rank.
#[derive(Default)]
struct Quality {
    count: f64,
    among_five: f64,
    reciprocal: f64,
}

impl Quality {
    fn add(&mut self, ids: &[&str], answer: &str) {
        self.count += 1.0;
        if let Some(at) = ids.iter().position(|id| *id == answer) {
            self.among_five += f64::from(at < 5);
            self.reciprocal += 1.0 / (at + 1) as f64;
        }
    }

    fn summary(&self) -> String {
        format!("Recall@5 {:.3}  MRR {:.3}", self.among_five / self.count, self.reciprocal / self.count)
    }
}

/// Plain BM25 with the usual parameters.
struct Bm25<'g> {
    /// The id and the words of each row.
    rows: Vec<(&'g str, Vec<&'g str>)>,
    /// Number of rows that contain a word.
    holding: HashMap<&'g str, usize>,
    mean_length: f64,
}

impl<'g> Bm25<'g> {
    fn new(generated: &'g Generated) -> Self {
        let rows = generated.rows.iter().map(|(id, row)| (id.as_str(), row.text.split(' ').collect::<Vec<_>>()));
        let rows: Vec<(&str, Vec<&str>)> = rows.collect();
        let mut holding: HashMap<&str, usize> = HashMap::new();
        for (_, words) in &rows {
            words.iter().collect::<HashSet<_>>().into_iter().for_each(|word| *holding.entry(word).or_default() += 1);
        }
        let mean_length = rows.iter().map(|(_, words)| words.len()).sum::<usize>() as f64 / rows.len() as f64;
        Self { rows, holding, mean_length }
    }

    fn search(&self, question: &str) -> Vec<&'g str> {
        let score = |words: &[&str]| -> f64 {
            let of = |word: &str| {
                let count = words.iter().filter(|other| **other == word).count() as f64;
                let holding = self.holding.get(word).copied().unwrap_or_default() as f64;
                let rarity = (1.0 + (self.rows.len() as f64 - holding + 0.5) / (holding + 0.5)).ln();
                rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * words.len() as f64 / self.mean_length))
            };
            question.split(' ').map(of).sum()
        };
        let mut scored: Vec<(f64, &str)> = self.rows.iter().map(|(id, words)| (score(words), *id)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        scored.into_iter().take(DEPTH).map(|(_, id)| id).collect()
    }
}

/// A canon whose log has the generated rows.
fn workspace(generated: &Generated) -> Workspace {
    let log: String = generated.rows.iter().map(|(_, row)| row.line.as_str()).collect();
    let mut files = MemorySource::new();
    files.add("agent/memory/episodic/AGENT_LEARNINGS.jsonl", log);
    Workspace::in_memory(&Environment::isolated(), files).unwrap()
}

fn ask(workspace: &Workspace, question: &str) -> RecallOutcome {
    let request = RecallRequest {
        text: question.to_owned(),
        top: DEPTH,
        budget: usize::MAX,
        snapshots: false,
        now: Timestamp::parse(NOW),
    };
    recall::run(workspace, &request, &Quiet).unwrap()
}

fn quality() {
    let generated = generate(ROWS, QUESTIONS);
    let workspace = workspace(&generated);
    let bm25 = Bm25::new(&generated);
    println!("{ROWS} rows, {QUESTIONS} questions, {RIVALS} rivals each");
    // By kind: recall, then plain BM25.
    let mut kinds: [[Quality; 2]; 2] = Default::default();
    let mut all: [Quality; 2] = Default::default();
    for (text, answer, kind) in &generated.questions {
        let got = ask(&workspace, text);
        let ours: Vec<&str> = got.hits.iter().filter_map(|hit| hit.id.as_deref()).collect();
        let found = [ours, bm25.search(text)];
        for (at, ids) in found.iter().enumerate() {
            all[at].add(ids, answer);
            kinds[usize::from(*kind == AnswerKind::ByWords)][at].add(ids, answer);
        }
    }
    for (name, [ours, words]) in ["all", "by salience", "by words"].into_iter().zip([&all].into_iter().chain(&kinds)) {
        println!("{name:15}  recall: {}   plain BM25: {}", ours.summary(), words.summary());
    }
}

/// Subjects in four wordings each: action and reflection of a row, and two questions.
const PARAPHRASES: &str = include_str!("paraphrases.tsv");
/// Questions about nothing in the log.
const UNRELATED: &str = include_str!("unrelated.txt");

/// Paraphrased questions that find their row among generated noise, and unrelated questions that find anything.
fn paraphrases() {
    let mut random = Random(20_260_502);
    let mut rows = Vec::new();
    let mut questions = Vec::new();
    for (nth, line) in PARAPHRASES.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let id = format!("subject-{nth}");
        let at = Timestamp::parse(NOW).unwrap().minus_days(random.between(0, 45) as i64);
        let line = format!(
            "{{\"timestamp\":\"{at}\",\"id\":\"{id}\",\"skill\":\"s\",\"action\":\"{}\",\"reflection\":\"{}\",\"pain_score\":5,\
             \"importance\":5}}\n",
            fields[0], fields[1]
        );
        rows.push((id.clone(), Row { text: format!("s {} {}", fields[0], fields[1]), line }));
        questions.extend(fields[2..].iter().map(|question| ((*question).to_owned(), id.clone(), AnswerKind::ByWords)));
    }
    for nth in 0..500 {
        let id = format!("noise-{nth}");
        let weight = any(&mut random);
        let words = [random.word()];
        rows.push((id.clone(), row(&mut random, &id, &words, weight)));
    }
    let generated = Generated { rows, questions };
    let workspace = workspace(&generated);
    let bm25 = Bm25::new(&generated);
    let mut found: [Quality; 2] = Default::default();
    for (text, answer, _) in &generated.questions {
        let got = ask(&workspace, text);
        let ours: Vec<&str> = got.hits.iter().filter_map(|hit| hit.id.as_deref()).collect();
        found[0].add(&ours, answer);
        found[1].add(&bm25.search(text), answer);
    }
    println!("paraphrases      recall: {}   plain BM25: {}", found[0].summary(), found[1].summary());
    let answered = UNRELATED.lines().filter(|text| !ask(&workspace, text).hits.is_empty()).count();
    println!("unrelated        {answered} of {} questions find anything", UNRELATED.lines().count());
}

fn speed() {
    for count in [10_000, 100_000] {
        let generated = generate(count, QUESTIONS);
        let workspace = workspace(&generated);
        let mut times: Vec<f64> = Vec::new();
        for (text, ..) in generated.questions.iter().take(11) {
            let begin = Instant::now();
            ask(&workspace, text);
            times.push(begin.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        println!("{count:>7} rows: {:.3} s (median of {})", times[times.len() / 2], times.len());
    }
}

fn main() {
    quality();
    paraphrases();
    if cfg!(debug_assertions) {
        println!("not timed: this is a debug build");
    } else {
        speed();
    }
}
