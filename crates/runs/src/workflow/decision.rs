//! The guard: what a worker's answer means for the run. Nothing else declares a run complete.
//!
//! | step has `end` | a condition redirects | `TASK_DONE` among the keywords | verdict |
//! |---|---|---|---|
//! | yes | no | no | complete |
//! | yes | yes | no | continue |
//! | any | no | yes | complete |
//! | any | yes | yes | abort, ambiguous |
//! | no | any | no | continue |
//!
//! A step with several keywords that states no other route must be decided by a keyword: an answer without one is a failure.
//!
//! A route to `end` completes the run as well. The decision line of an answer is its last line with a known keyword; other
//! lines do not count, so that an answer may quote its instructions. If it is unclear what the worker decided, the run is
//! aborted: a wrong abort costs a repetition, a wrong approval is not noticed.

use super::condition::{TASK_DONE, own_field};
use super::expression::{Expression, ExpressionError, is_keyword, is_upper_case};
use super::output_contract::{check_output, locate_output, value_at};
use canonry_model::canon::workflow::{END, Route, WorkflowStep};
use serde_json::Value as Json;
use std::collections::HashSet;

/// Consequence of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteDecision {
    pub verdict: RouteVerdict,
    /// The index of the route in the step's routes. `None` if the run is aborted, or ends or continues without a route.
    pub route: Option<usize>,
    /// The keywords with which the worker decided, in the order of the answer.
    pub keywords: Vec<String>,
    /// Why the run is aborted, what the worker did not decide, or why no route is taken.
    pub reason: Option<String>,
}

/// Whether the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteVerdict {
    Continue,
    Complete,
    Abort,
    /// The worker had to decide, and did not.
    Undecided,
}

/// The fields of an output that may contain the keyword of the decision.
const DECIDING_FIELDS: [&str; 4] = ["decision", "status", "route", "next"];

/// Decides by keywords (orchestrator dialects), or by output fields when `output` is given and a route's condition is a
/// comparison.
///
/// If the output, or a JSON object in the answer that meets the step's contract, has a keyword in `decision`, `status`,
/// `route` or `next`, the rest of the answer does not count. A step that declares an output and has no keyword in its
/// conditions is decided by fields alone: its first route whose condition holds is taken.
///
/// The run is aborted if keywords match different conditions, if `TASK_DONE` comes with a redirection, if a keyword of the
/// decision line is negated (`not APPROVED`), or if a condition cannot be evaluated.
pub fn decide(
    step: &WorkflowStep,
    answer: &str,
    output: Option<&Json>,
    lookup: &dyn Fn(&str) -> Option<Json>,
) -> RouteDecision {
    let found = find_keywords(step, answer, output);
    let abort = |reason: String| RouteDecision {
        verdict: RouteVerdict::Abort,
        route: None,
        keywords: found.keywords.clone(),
        reason: Some(reason),
    };
    if let Some(doubt) = &found.doubt {
        return abort(doubt.clone());
    }
    let redirect = match redirect(step, &found, output, lookup) {
        Ok(redirect) => redirect,
        Err(reason) => return abort(reason),
    };
    if redirect.is_none() && found.keywords.is_empty() && needs_keyword(step, found.known.len()) {
        let mut known: Vec<&str> = found.known.iter().map(String::as_str).collect();
        known.sort_unstable();
        let reason = Some(format!("the answer decides nothing: it has none of the words {}", known.join(", ")));
        return RouteDecision { verdict: RouteVerdict::Undecided, route: None, keywords: Vec::new(), reason };
    }
    let is_done = found.keywords.iter().any(|keyword| keyword == TASK_DONE);
    let fallback = step.routes.iter().position(|route| route.condition.is_none());
    let ending = || step.routes.iter().position(|route| route.condition.is_none() && leads_to_end(route));
    let decision = |verdict, route| RouteDecision { verdict, route, keywords: found.keywords.clone(), reason: None };
    let follow = |at: usize| {
        let verdict = if leads_to_end(&step.routes[at]) { RouteVerdict::Complete } else { RouteVerdict::Continue };
        decision(verdict, Some(at))
    };
    match (redirect, fallback) {
        (Some(at), _) if is_done && !leads_to_end(&step.routes[at]) => {
            abort(format!("the answer is ambiguous: `{TASK_DONE}` ends the run, but a condition leads elsewhere"))
        }
        (Some(at), _) => follow(at),
        (None, _) if is_done || step.ends => decision(RouteVerdict::Complete, ending()),
        (None, Some(at)) => follow(at),
        (None, None) => {
            let reason =
                (!step.routes.is_empty()).then(|| "no condition holds, and there is no other route".to_owned());
            RouteDecision { reason, ..decision(RouteVerdict::Continue, None) }
        }
    }
}

/// Whether an answer must contain one of the `keywords` that the conditions of a step use: there are several, and the step
/// does not say itself where the run goes without one. A single keyword is an exception from what happens otherwise, and so is
/// one that rejects.
pub fn needs_keyword(step: &WorkflowStep, keywords: usize) -> bool {
    let states_other = step.routes.iter().any(|route| route.condition.is_none() && !route.is_implied);
    keywords > 1 && !states_other && step.fan_out.reject.is_empty()
}

/// Whether the fields of an output decide about a step alone, whatever else the answer says.
pub fn decides_by_fields(step: &WorkflowStep, output: &Json) -> bool {
    let found = find_keywords(step, "", Some(output));
    step.fan_out.reject.is_empty() && (found.known.is_empty() || !found.keywords.is_empty())
}

fn leads_to_end(route: &Route) -> bool {
    route.target.as_ref().is_some_and(|target| target.text == END)
}

/// The keywords of an answer.
#[derive(Default)]
struct FoundKeywords {
    keywords: Vec<String>,
    /// The keywords that the conditions of the step use.
    known: HashSet<String>,
    /// Why it is unclear what the worker decided.
    doubt: Option<String>,
}

fn find_keywords(step: &WorkflowStep, answer: &str, output: Option<&Json>) -> FoundKeywords {
    let known = condition_keywords(step, output);
    // The workers of durable steps answer with fields, and their prose decides nothing.
    if known.is_empty() && (step.output.is_some() || step.context.mode.is_some()) {
        return FoundKeywords::default();
    }
    let mut words: Vec<&str> = known.iter().map(String::as_str).collect();
    words.push(TASK_DONE);
    let declared = step.output.as_ref().map(|output| output.fields.as_slice()).unwrap_or_default();
    let located = locate_output(answer).filter(|(json, _)| check_output(json, declared, None).is_ok());
    let json = output.or(located.as_ref().map(|(json, _)| json));
    let in_fields = json.map(|json| field_keywords(json, &words)).unwrap_or_default();
    let before = located.as_ref().map_or(answer, |(_, range)| &answer[..range.start]);
    let after = located.as_ref().map_or("", |(_, range)| &answer[range.end..]);
    let (keywords, doubt) = match in_fields {
        FieldKeywords::Some(keywords) => {
            // Nothing says that an object is the worker's output if none is declared: what follows it must not contradict.
            let later = if step.output.is_none() && output.is_none() { keywords_in(after, &words) } else { Vec::new() };
            let contradicts = later.iter().any(|keyword| !keywords.contains(keyword));
            let doubt = contradicts.then(|| {
                format!("the answer is ambiguous: its JSON says {}, but then {}", keywords.join(", "), later.join(", "))
            });
            (keywords, doubt)
        }
        // The object decides something else, so keywords inside it mean nothing.
        FieldKeywords::Unknown => {
            let part = if has_keyword(after, &words) { after } else { before };
            (keywords_in(part, &words), negation(part, &words))
        }
        FieldKeywords::None => (keywords_in(answer, &words), negation(answer, &words)),
    };
    FoundKeywords { keywords, known, doubt }
}

/// The keywords in the conditions of a step: words that are neither declared fields nor fields of the output.
fn condition_keywords(step: &WorkflowStep, output: Option<&Json>) -> HashSet<String> {
    let declares = step.output.as_ref().is_some_and(|output| !output.fields.is_empty() || output.schema_file.is_some());
    let conditions = step.routes.iter().filter_map(|route| Expression::parse(&route.condition.as_ref()?.text).ok());
    let words: Vec<&str> = conditions.flat_map(|condition| condition.words().collect::<Vec<_>>()).collect();
    let is_field = |word: &str| step.field(word).is_some() || output.is_some_and(|output| output.get(word).is_some());
    let keywords =
        words.into_iter().filter(|word| is_keyword(word) && (is_upper_case(word) || !declares && !is_field(word)));
    keywords.filter(|word| step.field(word).is_none()).map(str::to_owned).collect()
}

/// The keywords in the deciding fields of an output.
#[derive(Default)]
enum FieldKeywords {
    /// No field decides.
    #[default]
    None,
    /// The fields decide with words that are no keywords.
    Unknown,
    Some(Vec<String>),
}

fn field_keywords(output: &Json, known: &[&str]) -> FieldKeywords {
    let values = DECIDING_FIELDS.iter().filter_map(|field| output.get(field)?.as_str()).map(str::trim);
    let values: Vec<&str> = values.collect();
    let mut keywords: Vec<String> = Vec::new();
    for value in values.iter().filter(|value| known.contains(value)) {
        if !keywords.iter().any(|keyword| keyword == value) {
            keywords.push((*value).to_owned());
        }
    }
    match (values.is_empty(), keywords.is_empty()) {
        (true, _) => FieldKeywords::None,
        (false, true) => FieldKeywords::Unknown,
        (false, false) => FieldKeywords::Some(keywords),
    }
}

/// The first conditional route that applies. An unconditional route hides those after it.
fn redirect(
    step: &WorkflowStep,
    found: &FoundKeywords,
    output: Option<&Json>,
    lookup: &dyn Fn(&str) -> Option<Json>,
) -> Result<Option<usize>, String> {
    // A keyword that the worker did not use is false, not a missing field.
    let resolve = |name: &str| {
        let own = output.and_then(|output| value_at(output, own_field(name, step)).cloned());
        own.or_else(|| lookup(name)).or_else(|| found.known.contains(name).then_some(Json::Bool(false)))
    };
    let decided: HashSet<&str> = found.keywords.iter().map(String::as_str).collect();
    let mut redirect: Option<(usize, HashSet<&str>)> = None;
    for (at, route) in step.routes.iter().enumerate() {
        let Some(condition) = &route.condition else { break };
        // After the first route, only another keyword can make a difference.
        if redirect.is_some() && found.keywords.is_empty() {
            break;
        }
        let failed =
            |error: ExpressionError| format!("the condition `{}` has no value: {error}", shown(&condition.text));
        let expression = Expression::parse(&condition.text).map_err(failed)?;
        let words: HashSet<&str> = expression.words().filter(|word| decided.contains(word)).collect();
        if redirect.is_some() && words.is_empty() {
            continue;
        }
        if !expression.evaluate(&resolve, &found.keywords).map_err(failed)? {
            continue;
        }
        match &redirect {
            None => redirect = Some((at, words)),
            // Conditions on fields come in order; one that holds is not ambiguous.
            Some((_, first)) if first.is_empty() || words.is_subset(first) => {}
            Some((first, _)) => {
                let target =
                    |at: usize| step.routes[at].target.as_ref().map_or("nowhere", |target| target.text.as_str());
                return Err(format!(
                    "the answer is ambiguous: {} lead to both `{}` and `{}`",
                    found.keywords.join(", "),
                    shown(target(*first)),
                    shown(target(at)),
                ));
            }
        }
    }
    Ok(redirect.map(|(at, _)| at))
}

fn shown(text: &str) -> &str {
    canonry_text::printable::head(text.trim(), 120)
}

/// The known keywords on the decision line of an answer, in order and without repetition. The decision line is the last line
/// that contains a known keyword. Keywords match whole words: `PLANNED` is not in `UNPLANNED`, nor `WORK` in `NEEDS-WORK`.
pub fn keywords_in(answer: &str, known: &[&str]) -> Vec<String> {
    let mut seen = HashSet::new();
    let keywords = decision_line(answer, known).map(|line| line.keywords).unwrap_or_default();
    keywords.into_iter().filter(|(_, keyword)| seen.insert(*keyword)).map(|(_, keyword)| keyword.to_owned()).collect()
}

fn has_keyword(answer: &str, known: &[&str]) -> bool {
    decision_line(answer, known).is_some()
}

/// The line of an answer that decides.
struct DecisionLine<'a> {
    words: Vec<AnswerWord<'a>>,
    /// The keywords with the indices of their words; at least one.
    keywords: Vec<(usize, &'a str)>,
}

fn decision_line<'a>(answer: &'a str, known: &[&str]) -> Option<DecisionLine<'a>> {
    let known: HashSet<&str> = known.iter().copied().collect();
    answer.lines().rev().find_map(|line| {
        let words = words(line);
        let keyword = |word: &AnswerWord<'a>| {
            // `_APPROVED_` is emphasis in Markdown.
            [word.text, word.text.trim_matches('_')].into_iter().find(|text| known.contains(text))
        };
        let keywords: Vec<(usize, &str)> =
            words.iter().enumerate().filter_map(|(at, word)| Some((at, keyword(word)?))).collect();
        (!keywords.is_empty()).then_some(DecisionLine { words, keywords })
    })
}

/// A word of a line.
struct AnswerWord<'a> {
    text: &'a str,
    /// Whether a punctuation mark separates it from the previous word.
    starts_clause: bool,
}

/// The words of a line: letters, digits, `_`, and `-` and apostrophes between them. `APPROVED.md` is one word.
fn words(line: &str) -> Vec<AnswerWord<'_>> {
    let mut found: Vec<AnswerWord<'_>> = Vec::new();
    let mut starts_clause = true;
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = word_length(rest);
        if length == 0 {
            let is_dash = first == '-' && found.last().is_some();
            starts_clause |=
                is_dash || matches!(first, '.' | ';' | ':' | ',' | '!' | '?' | '(' | ')' | '—' | '–' | '|');
            rest = &rest[first.len_utf8()..];
            continue;
        }
        found.push(AnswerWord { text: &rest[..length], starts_clause: std::mem::take(&mut starts_clause) });
        rest = &rest[length..];
    }
    found
}

/// The length of the word at the beginning of a text; 0 if there is none.
fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let mut following = text[length..].chars();
        let joint = following.next();
        let after = following.next();
        let joins = match joint {
            Some('-' | '\'' | '’') => after.is_some_and(is_part),
            Some('.') => is_extension(&text[length + 1..]),
            _ => false,
        };
        if length == 0 || !joins {
            return length;
        }
        length += joint.map_or(0, char::len_utf8);
    }
}

/// Whether a text begins with a file extension.
fn is_extension(text: &str) -> bool {
    let length = text.bytes().take(6).take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit()).count();
    (1..=5).contains(&length) && !text[length..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Words that negate a keyword in the same clause.
const NEGATIONS: [&str; 12] =
    ["not", "no", "never", "cannot", "cant", "dont", "without", "neither", "nor", "unable", "refuse", "instead"];
/// Words that separate a keyword from what is said of something else.
const CONJUNCTIONS: [&str; 9] = ["because", "as", "since", "but", "and", "while", "if", "so", "although"];
/// The words after a keyword that may negate it: `APPROVED is not`, `APPROVED cannot`.
const AFTER: usize = 2;

/// Why the decision line is doubtful: it negates one of its keywords.
pub fn negation(answer: &str, known: &[&str]) -> Option<String> {
    let DecisionLine { words, keywords } = decision_line(answer, known)?;
    let places: HashSet<usize> = keywords.iter().map(|(at, _)| *at).collect();
    let negates = |at: usize| {
        let lower = words[at].text.to_lowercase();
        let is_contraction = lower.ends_with("n't") || lower.ends_with("n’t");
        !places.contains(&at) && (is_contraction || NEGATIONS.contains(&lower.as_str()))
    };
    // One pass from the left, and a look at the next words, because a line can have any number of keywords.
    let mut is_negated = false;
    let mut keywords_left = keywords.iter().peekable();
    for (at, word) in words.iter().enumerate() {
        is_negated &= !word.starts_clause;
        let Some((_, keyword)) = keywords_left.next_if(|(keyword, _)| *keyword == at) else {
            is_negated |= negates(at);
            continue;
        };
        let follows = |at: &usize| {
            let word = &words[*at];
            !word.starts_clause && !CONJUNCTIONS.contains(&word.text.to_lowercase().as_str())
        };
        let is_negated_later = (at + 1..words.len()).take(AFTER).take_while(follows).any(negates);
        if is_negated || is_negated_later {
            return Some(format!("the answer is ambiguous: its decision line negates `{}`", shown(keyword)));
        }
    }
    None
}

#[cfg(test)]
#[path = "decision_tests.rs"]
mod tests;
