//! Kinds of actions that prose can name, with the commands, operations and files that they mean: the table `actions.txt`.

use std::sync::LazyLock;

const TABLE: &str = include_str!("actions.txt");

static ACTIONS: LazyLock<Vec<Action>> = LazyLock::new(|| parse(TABLE));

/// A kind of action.
#[derive(Debug, Default)]
pub struct Action {
    pub id: &'static str,
    /// Name of the action, as in "deploying requires approval".
    pub what: &'static str,
    /// The phrases that name it.
    pub phrases: Vec<Phrase>,
    /// The commands, in the notation of `protocol::matching::pattern`.
    pub commands: Vec<&'static str>,
    /// The operations of MCP servers.
    pub operations: Vec<&'static str>,
    /// Patterns of files whose change is the action.
    pub files: Vec<&'static str>,
    /// The built-in guards that enforce it.
    pub guards: Vec<&'static str>,
    /// Whether a branch can be a condition.
    pub has_branches: bool,
    /// Whether a path can be a condition.
    pub has_paths: bool,
    /// Whether an environment, such as production, can be a condition.
    pub has_environments: bool,
    /// Whether prose can allow it.
    pub can_allow: bool,
}

/// Words that name an action: elements, separated by spaces, which are alternatives.
#[derive(Debug)]
pub struct Phrase {
    pub text: &'static str,
    /// For each element, how its words begin.
    beginnings: Vec<Vec<Beginning>>,
}

impl Phrase {
    fn new(text: &'static str) -> Self {
        let of_element = |element: &'static str| element.split('|').filter_map(Beginning::of).collect();
        Self { text, beginnings: text.split(' ').map(of_element).collect() }
    }

    /// Whether it has only one element.
    pub fn is_single(&self) -> bool {
        self.beginnings.len() == 1
    }

    /// Whether each element has a word that begins like one of these words. Few phrases do.
    pub fn may_occur(&self, words: &Beginnings) -> bool {
        self.beginnings.iter().all(|element| element.iter().any(|begins| words.contains(*begins)))
    }
}

/// The first two letters of a word, reduced to a number below 1,024. Some pairs share one.
#[derive(Clone, Copy, Debug)]
struct Beginning(u16);

impl Beginning {
    fn of(word: &str) -> Option<Self> {
        let [first, second, ..] = word.as_bytes() else { return None };
        let letter = |byte: &u8| u16::from(byte.to_ascii_lowercase() & 31);
        Some(Self(letter(first) * 32 + letter(second)))
    }
}

/// First words of a clause.
#[derive(Debug, Default)]
pub struct Beginnings([u64; 16]);

impl Beginnings {
    fn contains(&self, Beginning(at): Beginning) -> bool {
        self.0.get(usize::from(at / 64)).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }
}

impl<'w> FromIterator<&'w str> for Beginnings {
    fn from_iter<I: IntoIterator<Item = &'w str>>(words: I) -> Self {
        let mut found = Self::default();
        for Beginning(at) in words.into_iter().filter_map(Beginning::of) {
            if let Some(bits) = found.0.get_mut(usize::from(at / 64)) {
                *bits |= 1 << (at % 64);
            }
        }
        found
    }
}

impl Action {
    /// Every action.
    pub fn all() -> &'static [Self] {
        &ACTIONS
    }

    /// The action with an id.
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|action| action.id == id)
    }

    /// Whether the hook can recognise the action, or a built-in guard does.
    pub fn is_enforced(&self) -> bool {
        !(self.commands.is_empty() && self.operations.is_empty() && self.files.is_empty() && self.guards.is_empty())
    }
}

fn parse(table: &'static str) -> Vec<Action> {
    let mut found: Vec<Action> = Vec::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((id, what)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            found.push(Action { id, what: what.trim(), ..Action::default() });
            continue;
        }
        let Some(action) = found.last_mut() else { continue };
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let value = value.trim();
        match key {
            "say" => action.phrases.push(Phrase::new(value)),
            "run" => action.commands.push(value),
            "tool" => action.operations.extend(value.split_whitespace()),
            "edit" => action.files.extend(value.split_whitespace()),
            "by" => action.guards.extend(value.split_whitespace()),
            "scope" => {
                action.has_branches |= value.contains("branches");
                action.has_paths |= value.contains("paths");
                action.has_environments |= value.contains("environments");
            }
            "allow" => action.can_allow = true,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_has_a_meaning() {
        let keys = ["say", "run", "tool", "edit", "by", "scope", "allow"];
        for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '['])) {
            let key = line.split(' ').next().expect("split is never empty");
            assert!(keys.contains(&key), "{line}");
        }
        let mut ids: Vec<&str> = Action::all().iter().map(|action| action.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        for action in Action::all() {
            assert!(!action.what.is_empty() && !action.phrases.is_empty(), "{}", action.id);
        }
    }
}
