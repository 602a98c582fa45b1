//! The context of an agent: sections assembled within a token budget.

use super::budget::{TokenBudget, cost};
use super::failures::REWRITE_THRESHOLD;
use super::lessons::{MAX_LINES, count_read_lines};
use std::collections::BTreeMap;

/// The kind of a section. The order is that of the sections in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKind {
    /// Urgent instructions, at the top and without a title.
    Notice,
    /// The map of the canon.
    Map,
    /// The user's preferences.
    Personal,
    /// The working memory.
    Workspace,
    /// The active plan.
    Plan,
    /// The task and its requirements.
    Task,
    /// Pages of the spec that apply to the task.
    Spec,
    /// Files that the task names.
    Files,
    /// The end of the owner's journal.
    Journal,
    /// Skills that fail repeatedly.
    Rewrite,
    /// Lessons.
    Lessons,
    /// Episodes.
    Episodes,
    /// Skills that match the task.
    Skills,
    /// The permissions.
    Permissions,
}

impl SectionKind {
    /// The name in JSON documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Map => "map",
            Self::Personal => "personal",
            Self::Workspace => "workspace",
            Self::Plan => "plan",
            Self::Task => "task",
            Self::Spec => "spec",
            Self::Files => "files",
            Self::Journal => "journal",
            Self::Rewrite => "rewrite",
            Self::Lessons => "lessons",
            Self::Episodes => "episodes",
            Self::Skills => "skills",
            Self::Permissions => "permissions",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Notice => "",
            Self::Map => "Map",
            Self::Personal => "Personal preferences",
            Self::Workspace => "Workspace",
            Self::Plan => "Active plan",
            Self::Task => "Task",
            Self::Spec => "Spec",
            Self::Files => "Files of the task",
            Self::Journal => "Journal",
            Self::Rewrite => "Skills that keep failing",
            Self::Lessons => "Lessons",
            Self::Episodes => "Episodes",
            Self::Skills => "Matching skills",
            Self::Permissions => "Permissions",
        }
    }

    /// The order in which sections get their share of the budget: what must not be missing first; the map last, because
    /// most tools have read it already.
    fn priority(self) -> (u8, Self) {
        let first = match self {
            Self::Notice => 0,
            Self::Rewrite | Self::Permissions | Self::Task => 1,
            Self::Lessons | Self::Episodes => 2,
            Self::Map => 4,
            _ => 3,
        };
        (first, self)
    }

    /// The largest share of the budget a section gets. Lessons and episodes are unlimited in number, and permissions must
    /// leave room for them.
    fn max_share(self, budget: usize) -> usize {
        match self {
            Self::Map | Self::Lessons | Self::Episodes => budget / 4,
            Self::Permissions | Self::Task | Self::Spec => budget / 2,
            Self::Journal => budget / 8,
            _ => budget,
        }
    }
}

/// A section before it is fitted to the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextSection {
    /// The kind.
    pub kind: SectionKind,
    /// The path of the text.
    pub source: String,
    /// The text.
    pub body: SectionBody,
    /// What was left out before assembling, each with the reason.
    pub left_out: Vec<String>,
}

/// The text of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionBody {
    /// A document; it can be cut after a line.
    Document(String),
    /// Snippets, the most important first; each is included completely or not at all.
    Snippets(Vec<Snippet>),
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The name that reports it if it is left out.
    pub name: String,
    /// The text.
    pub text: String,
}

/// How much of a section was included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionUsage {
    /// The kind.
    pub kind: SectionKind,
    /// The path of the text.
    pub source: String,
    /// Tokens of the included text.
    pub cost: usize,
    /// Tokens of the complete section.
    pub whole: usize,
    /// What was left out, each with the reason.
    pub left_out: Vec<String>,
}

/// An assembled context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssembledContext {
    /// The text; it never costs more than the budget.
    pub text: String,
    /// The usage of each section, in the order of the text.
    pub sections: Vec<SectionUsage>,
    /// Tokens of the text.
    pub used: usize,
}

/// Assembles sections into one text of at most `budget` tokens. Empty sections are skipped.
pub fn assemble(mut sections: Vec<ContextSection>, budget: usize) -> AssembledContext {
    struct Included {
        text: String,
        usage: SectionUsage,
    }
    sections.sort_by_key(|section| section.kind.priority());
    let mut total = TokenBudget::new(budget);
    let mut included: Vec<Included> = Vec::new();
    for section in &sections {
        let share = total.limited_to(section.kind.max_share(budget));
        let mut rest = share;
        let FittedText { text, left_out } = section.fit(&mut rest);
        total.spend_difference(share, rest);
        let left_out: Vec<String> = section.left_out.iter().cloned().chain(left_out).collect();
        if !text.is_empty() || !left_out.is_empty() {
            let (kind, source, whole) = (section.kind, section.source.clone(), cost(&section.complete_text()));
            let usage = SectionUsage { kind, source, cost: cost(&text), whole, left_out };
            included.push(Included { text, usage });
        }
    }
    included.sort_by_key(|section| section.usage.kind);
    let text: String = included.iter().map(|section| section.text.as_str()).collect();
    AssembledContext { used: cost(&text), text, sections: included.into_iter().map(|section| section.usage).collect() }
}

/// The part of a section that fits.
struct FittedText {
    text: String,
    left_out: Vec<String>,
}

impl ContextSection {
    fn heading(&self) -> String {
        if self.kind == SectionKind::Notice {
            return String::new();
        }
        format!("# {} ({})\n\n", self.kind.title(), self.source)
    }

    fn complete_text(&self) -> String {
        let text = match &self.body {
            SectionBody::Document(text) => text.trim().to_owned(),
            SectionBody::Snippets(snippets) => {
                snippets.iter().map(|snippet| format!("{}\n", snippet.text.trim_end())).collect()
            }
        };
        if text.is_empty() { text } else { format!("{}{}\n\n", self.heading(), text.trim_end()) }
    }

    fn fit(&self, budget: &mut TokenBudget) -> FittedText {
        let text = self.complete_text();
        if budget.take(&text) {
            return FittedText { text, left_out: Vec::new() };
        }
        match &self.body {
            SectionBody::Document(text) => self.fit_document(text.trim(), budget),
            SectionBody::Snippets(snippets) => self.fit_snippets(snippets, budget),
        }
    }

    /// The first lines of a document, and a reference to the rest.
    fn fit_document(&self, text: &str, budget: &mut TokenBudget) -> FittedText {
        let nothing = || FittedText {
            text: String::new(),
            left_out: vec![format!("all of it: {} tokens", cost(&self.complete_text()))],
        };
        let end = format!("… cut here; full text is in {}\n\n", self.source);
        let mut rest = *budget;
        if !(rest.take(&self.heading()) && rest.take(&end)) {
            return nothing();
        }
        let lines: Vec<&str> = text.split_inclusive('\n').take_while(|line| rest.take(line)).collect();
        if lines.iter().all(|line| line.trim().is_empty()) {
            return nothing();
        }
        *budget = rest;
        let missing = format!("its last {} lines", text.lines().count() - lines.len());
        FittedText { text: format!("{}{}{end}", self.heading(), lines.concat()), left_out: vec![missing] }
    }

    fn fit_snippets(&self, snippets: &[Snippet], budget: &mut TokenBudget) -> FittedText {
        let (mut rest, mut text, mut left_out) = (*budget, self.heading(), Vec::new());
        let heading_fits = rest.take(&text) && rest.take("\n");
        let heading_length = text.len();
        for snippet in snippets {
            let line = format!("{}\n", snippet.text.trim_end());
            if heading_fits && rest.take(&line) {
                text.push_str(&line);
            } else {
                left_out.push(format!("{}: {} tokens", snippet.name, cost(&line)));
            }
        }
        if text.len() == heading_length {
            return FittedText { text: String::new(), left_out };
        }
        *budget = rest;
        text.push('\n');
        FittedText { text, left_out }
    }
}

/// The notice that `LESSONS.md` has become too long to read.
pub fn lessons_too_long_notice(path: &str, lessons: &str) -> Option<String> {
    let lines = count_read_lines(lessons);
    let name = path.rsplit('/').next().unwrap_or(path);
    (lines > MAX_LINES)
        .then(|| format!("{name} has {lines} lines of text: run `canonry dream`, and merge duplicate ones by hand."))
}

/// A line for each skill that failed often enough to be rewritten, given the number of recent failures.
pub fn skills_to_rewrite(failures: &BTreeMap<String, usize>) -> Vec<Snippet> {
    let failing = failures.iter().filter(|(_, count)| **count >= REWRITE_THRESHOLD);
    let snippet = |(skill, count): (&String, &usize)| Snippet {
        name: skill.clone(),
        text: format!("- {skill} failed {count} times in 14 days: rewrite it, or say why not."),
    };
    failing.map(snippet).collect()
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
