//! Meaning of a list item of the permissions page.

use super::label::{ItemLabel, host};
use super::prose::{NamedAction, meaning};
use super::scope::{Checkable, Condition, condition};
use super::words::{Token, clauses};
use super::{PermissionEntry, PermissionSection, PermissionSubject, Verdict};
use canonry_text::Span;
use canonry_text::sections::ListItem;

/// A list item of the permissions page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionItem {
    pub section: PermissionSection,
    /// The text in one line.
    pub text: String,
    pub span: Span,
    pub entries: Vec<PermissionEntry>,
    /// The parts that mean nothing to the hook.
    pub unbound: Vec<String>,
}

/// Degree to which an item is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// There is nothing to enforce: `None.`
    Empty,
    Whole,
    /// Less than the words say.
    Part,
    Nothing,
}

/// Words that begin a condition.
const CONDITIONS: [&str; 31] = [
    "of",
    "on",
    "in",
    "to",
    "from",
    "into",
    "onto",
    "against",
    "for",
    "with",
    "without",
    "unless",
    "if",
    "when",
    "while",
    "that",
    "which",
    "who",
    "outside",
    "except",
    "besides",
    "excluding",
    "during",
    "before",
    "after",
    "by",
    "below",
    "under",
    "within",
    "at",
    "over",
];

impl PermissionItem {
    pub(super) fn parse(section: PermissionSection, item: &ListItem) -> Self {
        let text = item.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut own = Self { section, text, span: item.span, entries: Vec::new(), unbound: Vec::new() };
        if own.is_empty() {
            return own;
        }
        let words = ItemWords::parse(&item.text);
        let label = ItemLabel::parse(&own.text).filter(|label| {
            let is_host = *label == ItemLabel::Web;
            !words.code.is_empty() && (is_host || section != PermissionSection::Domains)
        });
        match section {
            _ if label.is_some() => label.into_iter().for_each(|label| own.read_labelled(label, &words)),
            PermissionSection::Domains => {
                let host = host(&item.text).map(PermissionSubject::Domain);
                own.entries.extend(host.map(|subject| own.entry(Verdict::Allow, subject, Condition::default())));
            }
            PermissionSection::Always if words.is_list => {
                let commands = words.code.iter().filter_map(|code| command(code)).map(PermissionSubject::Command);
                let entries = commands.map(|subject| own.entry(Verdict::Allow, subject, Condition::default()));
                own.entries = entries.collect();
            }
            PermissionSection::Always => own.read_allowed(),
            PermissionSection::Approval | PermissionSection::Never => {
                clauses(&item.text).iter().for_each(|clause| own.read_clause(clause, &words));
            }
        }
        own
    }

    /// Degree to which the item is enforced.
    pub fn binding(&self) -> Binding {
        let is_weaker = |entry: &PermissionEntry| {
            self.section == PermissionSection::Never && entry.unchecked.is_some() && entry.decision != Verdict::Deny
        };
        if self.is_empty() {
            Binding::Empty
        } else if self.entries.is_empty() {
            Binding::Nothing
        } else if !self.unbound.is_empty() || self.entries.iter().any(is_weaker) {
            Binding::Part
        } else {
            Binding::Whole
        }
    }

    fn is_empty(&self) -> bool {
        let bare = self.text.trim_end_matches(['.', ';', ',']).to_lowercase();
        matches!(bare.as_str(), "" | "none" | "nothing" | "n/a" | "-" | "…")
    }

    fn entry(&self, decision: Verdict, subject: PermissionSubject, condition: Condition) -> PermissionEntry {
        let Condition { scope, unchecked, .. } = condition;
        let unchecked = (!unchecked.is_empty()).then(|| unchecked.join(" "));
        PermissionEntry { section: self.section, decision, subject, scope, unchecked, span: self.span }
    }

    /// A label decides what the code spans are about. A condition cannot be checked, so that an allowance with one allows
    /// nothing, and a prohibition asks; but nobody reads secrets "if …".
    fn read_labelled(&mut self, label: ItemLabel, words: &ItemWords<'_>) {
        let decision = match self.section {
            PermissionSection::Always | PermissionSection::Domains if !words.is_list => return,
            PermissionSection::Always | PermissionSection::Domains => Verdict::Allow,
            PermissionSection::Never if words.is_list || label == ItemLabel::Read => Verdict::Deny,
            PermissionSection::Approval | PermissionSection::Never => Verdict::Ask,
        };
        let outside: Vec<&str> = self.text.split('`').skip(2).step_by(2).map(str::trim).collect();
        let outside = outside.join(" ").trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let unchecked = (!words.is_list && !outside.is_empty()).then_some(outside);
        for code in &words.code {
            match label.subject(code) {
                Some(subject) => self.entries.push(PermissionEntry {
                    section: self.section,
                    decision,
                    subject,
                    scope: super::EntryScope::default(),
                    unchecked: unchecked.clone(),
                    span: self.span,
                }),
                None => self.unbound.push(format!("`{code}`")),
            }
        }
    }

    /// Prose allows an action only if the hook understands every word of it.
    fn read_allowed(&mut self) {
        let mut entries = Vec::new();
        for clause in clauses(&self.text) {
            let meaning = meaning(&clause, &vec![false; clause.len()]);
            let is_clear = |named: &NamedAction| named.action.can_allow && named.condition == Condition::default();
            if !meaning.unbound.is_empty() || !meaning.actions.iter().all(is_clear) {
                return;
            }
            let subjects = meaning.actions.iter().map(|named| PermissionSubject::Action(named.action.id));
            entries.extend(subjects.map(|subject| self.entry(Verdict::Allow, subject, Condition::default())));
        }
        self.entries = entries;
    }

    fn read_clause(&mut self, tokens: &[Token], words: &ItemWords<'_>) {
        let mut is_taken = vec![false; tokens.len()];
        let mut pushes = false;
        let trails = trails(tokens);
        for (at, token) in tokens.iter().enumerate() {
            let Token::Code(code) = token else { continue };
            let subjects = words.subjects(self.section, code);
            if subjects.is_empty() {
                continue;
            }
            let trail = trails.get(at).cloned().unwrap_or_default();
            is_taken.iter_mut().skip(at).take(1).for_each(|is| *is = true);
            // Several commands can have one condition.
            if is_taken.get(trail.start) == Some(&false) {
                is_taken.iter_mut().take(trail.end).skip(trail.start).for_each(|is| *is = true);
            }
            let own: Vec<&Token> = tokens.get(trail).unwrap_or_default().iter().take(MAX_CONDITION + 1).collect();
            for subject in subjects {
                pushes |= matches!(subject, PermissionSubject::Push(_));
                let condition = match subject {
                    PermissionSubject::Read(_) => Condition::default(),
                    _ if own.len() > MAX_CONDITION => Condition::unreadable("a condition of too many words"),
                    _ => condition(&own, checkable(&subject)),
                };
                let entry = self.entry(self.decision(&condition), subject, condition);
                self.entries.push(entry);
            }
        }
        let meaning = meaning(tokens, &is_taken);
        for NamedAction { action, introduces, condition } in meaning.actions {
            // The branches in backticks are entries of their own, and the commands behind an introduction are what it means.
            let is_listed = pushes && action.id == "push" && condition.scope.branches.is_empty();
            let is_introduction = introduces && is_taken.contains(&true) && action.guards.is_empty();
            if is_listed || is_introduction || !action.is_enforced() {
                continue;
            }
            let entry = self.entry(self.decision(&condition), PermissionSubject::Action(action.id), condition);
            self.entries.push(entry);
        }
        self.unbound.extend(meaning.unbound);
    }

    fn decision(&self, condition: &Condition) -> Verdict {
        let is_certain = condition.unchecked.is_empty() && !condition.asks;
        if self.section == PermissionSection::Never && is_certain { Verdict::Deny } else { Verdict::Ask }
    }
}

/// The words of a condition that are read. Each of its commands gets a copy.
const MAX_CONDITION: usize = 64;

/// For each token, the condition behind it. In `a`, `b` or `c` with a condition, it applies to all three. Read from the end, so
/// that each condition is found once.
fn trails(tokens: &[Token]) -> Vec<std::ops::Range<usize>> {
    let mut found = vec![0..0; tokens.len()];
    // The next end of a part, and the condition that follows it.
    let mut to = tokens.len();
    let mut behind = 0..0;
    for at in (0..tokens.len()).rev() {
        if !matches!(tokens.get(at), Some(Token::Code(_) | Token::Comma | Token::Colon)) {
            continue;
        }
        let from = at + 1;
        let words = tokens.get(from..to).unwrap_or_default();
        let joins = |token: &Token| matches!(token.raw(), "and" | "or" | "nor");
        let begins = |token: &Token| CONDITIONS.contains(&token.raw().to_lowercase().as_str());
        let continues = matches!(tokens.get(to), Some(Token::Code(_) | Token::Comma)) && words.iter().all(joins);
        if words.first().is_some_and(begins) {
            behind = from..with_names(tokens, to);
        } else if !continues {
            behind = 0..0;
        }
        if let Some(own) = found.get_mut(at) {
            *own = behind.clone();
        }
        to = at;
    }
    found
}

/// A condition may end with names in backticks: "`git push` to `main`".
fn with_names(tokens: &[Token], mut to: usize) -> usize {
    while matches!(tokens.get(to), Some(Token::Code(code)) if !code.contains(' ') && !code.starts_with('-')) {
        to += 1;
        while tokens.get(to).is_some_and(|token| matches!(token.raw(), "and" | "or")) {
            to += 1;
        }
    }
    to
}

fn checkable(subject: &PermissionSubject) -> Checkable {
    let program = match subject {
        PermissionSubject::Command(words) => words.first().map(String::as_str).unwrap_or_default(),
        _ => "git",
    };
    let is_git = matches!(program, "git" | "gh" | "glab");
    Checkable { branches: is_git, environments: !is_git, paths: !is_git }
}

/// A list item, split into code spans and words.
struct ItemWords<'t> {
    code: Vec<&'t str>,
    /// Whether the item is a list of code spans after an optional introduction.
    is_list: bool,
    /// Whether it begins with "push", mentions it, and mentions reading.
    begins_with_push: bool,
    mentions_push: bool,
    mentions_read: bool,
}

impl<'t> ItemWords<'t> {
    fn parse(text: &'t str) -> Self {
        let pieces: Vec<&str> = text.split('`').collect();
        let code = pieces.iter().skip(1).step_by(2).map(|code| code.trim()).collect();
        let lead = pieces.first().copied().unwrap_or_default().trim_end();
        let led = lead.is_empty() || lead.ends_with(':');
        let separators = |word: &str| matches!(word, "" | "and" | "or");
        let outside = pieces.iter().skip(2).step_by(2);
        let plain = outside.flat_map(|outside| outside.split([' ', ',', ';', '.', '\n'])).all(separators);
        // With an odd number of backticks, the last part is ambiguous.
        let lower = text.to_lowercase();
        let mentions = |what: &str| lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == what);
        Self {
            code,
            is_list: led && plain && pieces.len() % 2 == 1,
            begins_with_push: lower.starts_with("push"),
            mentions_push: mentions("push"),
            mentions_read: mentions("read"),
        }
    }

    /// Subjects of a code span of the item.
    fn subjects(&self, section: PermissionSection, code: &str) -> Vec<PermissionSubject> {
        let is_never = section == PermissionSection::Never;
        let least = if self.is_list && !(is_never && self.mentions_push) { 1 } else { 2 };
        let named = command(code).filter(|words| words.len() >= least).map(PermissionSubject::Command);
        let reads = (is_never && self.mentions_read && is_path(code)).then(|| PermissionSubject::Read(code.to_owned()));
        // Options without a command.
        let flag = is_flag(code).then(|| PermissionSubject::Flag(code.to_owned()));
        // Branches in an item that begins with "push": "Push to `main`, or to any protected branch".
        let pushes = self.begins_with_push && is_branch(code);
        let push = pushes.then(|| PermissionSubject::Push(code.to_owned()));
        named.into_iter().chain(reads).chain(flag).chain(push).collect()
    }
}

/// The leading words that identify a command; a trailing `*` is dropped.
fn command(code: &str) -> Option<Vec<String>> {
    let mut words: Vec<&str> = code.split_whitespace().collect();
    if words.len() > 1 && words.last() == Some(&"*") {
        words.pop();
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | ':' | '=' | '@');
    let first = words.first()?;
    let is_command = first.starts_with(|c: char| c.is_ascii_alphanumeric()) && !first.contains('/');
    let is_plain = words.iter().all(|word| word.chars().all(plain));
    (is_command && is_plain).then(|| words.into_iter().map(str::to_owned).collect())
}

/// Long options only: the meaning of a single letter depends on the program.
fn is_flag(code: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c == '-';
    code.len() > 3 && code.starts_with("--") && code.chars().all(plain)
}

fn is_branch(code: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '*');
    !code.starts_with(['-', '/']) && !code.is_empty() && code.chars().all(plain)
}

fn is_path(code: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '*' | '~');
    code.chars().all(plain) && (code.starts_with(['.', '~', '/', '*']) || code.contains(['/', '*']))
}
