//! What an agent is to read before it begins, within a budget of tokens.
//!
//! Who gathers the parts, and for which command, does not matter here: a part is a title, where it comes from, and pieces
//! of text.

use super::budget::{Room, cost};

/// What a part is. The order is that in which the parts stand in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// What is to be done first; it stands at the top, without a title.
    Notice,
    /// The map of the canon.
    Map,
    /// What the person likes.
    Personal,
    /// What is being done.
    Workspace,
    /// The plan that is being worked on.
    Plan,
    /// Skills that keep failing.
    Rewrite,
    /// Lessons.
    Lessons,
    /// Episodes.
    Episodes,
    /// Skills that fit what is to be done.
    Skills,
    /// What may be done alone, after asking, and never.
    Permissions,
}

impl Kind {
    /// As it is named in the JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Map => "map",
            Self::Personal => "personal",
            Self::Workspace => "workspace",
            Self::Plan => "plan",
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
            Self::Rewrite => "Skills that keep failing",
            Self::Lessons => "Lessons",
            Self::Episodes => "Episodes",
            Self::Skills => "Skills that fit",
            Self::Permissions => "Permissions",
        }
    }

    /// Who gets room first: what must not be missed, then as they stand; the map last, which most tools have read already.
    fn rank(self) -> (u8, Self) {
        let first = match self {
            Self::Notice => 0,
            Self::Rewrite | Self::Permissions => 1,
            Self::Lessons | Self::Episodes => 2,
            Self::Map => 4,
            _ => 3,
        };
        (first, self)
    }

    /// The part of the whole budget that it gets at most; lessons and episodes are endless, and permissions may not crowd
    /// them out.
    fn most(self, budget: usize) -> usize {
        match self {
            Self::Map | Self::Lessons | Self::Episodes => budget / 4,
            Self::Permissions => budget / 2,
            _ => budget,
        }
    }
}

/// Something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: Kind,
    /// Where it comes from.
    pub source: String,
    /// Its text.
    pub body: Body,
    /// What is not even tried, and why.
    pub left_out: Vec<String>,
}

/// The text of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A document, which may be cut at the end of a line.
    Document(String),
    /// Pieces with their names, the most important first, of which each is taken whole or not at all.
    Pieces(Vec<(String, String)>),
}

/// What a part came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// What it is.
    pub kind: Kind,
    /// Where it comes from.
    pub source: String,
    /// Tokens that it costs as it was taken.
    pub cost: usize,
    /// Tokens that all of it would cost.
    pub whole: usize,
    /// What was left out, and why.
    pub left_out: Vec<String>,
}

/// What there is to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// All of it; it costs no more than the budget.
    pub text: String,
    /// What each part came to, in the order in which they stand.
    pub accounts: Vec<Account>,
    /// Tokens of the text.
    pub used: usize,
}

/// Assembles. A part without text is passed over, but for what it leaves out.
pub fn assemble(mut parts: Vec<Part>, budget: usize) -> Assembled {
    parts.sort_by_key(|part| part.kind.rank());
    let mut room = Room::of(budget);
    let mut taken: Vec<(String, Account)> = Vec::new();
    for part in &parts {
        let before = room.at_most(part.kind.most(budget));
        let mut own = before;
        let (text, left_out) = part.take(&mut own);
        room.without(before, own);
        let left_out: Vec<String> = part.left_out.iter().cloned().chain(left_out).collect();
        if !text.is_empty() || !left_out.is_empty() {
            let whole = cost(&part.whole());
            taken.push((
                text.clone(),
                Account { kind: part.kind, source: part.source.clone(), cost: cost(&text), whole, left_out },
            ));
        }
    }
    taken.sort_by_key(|(_, account)| account.kind);
    let text: String = taken.iter().map(|(text, _)| text.as_str()).collect();
    Assembled { used: cost(&text), text, accounts: taken.into_iter().map(|(_, account)| account).collect() }
}

impl Part {
    fn heading(&self) -> String {
        if self.kind == Kind::Notice {
            return String::new();
        }
        format!("# {} ({})\n\n", self.kind.title(), self.source)
    }

    fn whole(&self) -> String {
        let text = match &self.body {
            Body::Document(text) => text.trim().to_owned(),
            Body::Pieces(pieces) => pieces.iter().map(|(_, text)| format!("{}\n", text.trim_end())).collect(),
        };
        if text.is_empty() { text } else { format!("{}{}\n\n", self.heading(), text.trim_end()) }
    }

    /// The text for which there is room, and what there is none for.
    fn take(&self, room: &mut Room) -> (String, Vec<String>) {
        let whole = self.whole();
        if room.take(&whole) {
            return (whole, Vec::new());
        }
        match &self.body {
            Body::Document(text) => self.cut(text.trim(), room),
            Body::Pieces(pieces) => self.some(pieces, room),
        }
    }

    /// The first lines of a document, and where the rest is.
    fn cut(&self, text: &str, room: &mut Room) -> (String, Vec<String>) {
        let end = format!("… cut here; all of it is in {}\n\n", self.source);
        let mut own = *room;
        if !(own.take(&self.heading()) && own.take(&end)) {
            return (String::new(), vec![format!("all of it: {} tokens", cost(&self.whole()))]);
        }
        let lines: Vec<&str> = text.split_inclusive('\n').take_while(|line| own.take(line)).collect();
        let rest = text.lines().count() - lines.len();
        if lines.iter().all(|line| line.trim().is_empty()) {
            return (String::new(), vec![format!("all of it: {} tokens", cost(&self.whole()))]);
        }
        *room = own;
        let missing = format!("its last {rest} lines");
        (format!("{}{}{end}", self.heading(), lines.concat()), vec![missing])
    }

    fn some(&self, pieces: &[(String, String)], room: &mut Room) -> (String, Vec<String>) {
        let (mut own, mut text, mut left_out) = (*room, self.heading(), Vec::new());
        let has_room = own.take(&text) && own.take("\n");
        let bare = text.len();
        for (name, piece) in pieces {
            let piece = format!("{}\n", piece.trim_end());
            match has_room && own.take(&piece) {
                true => text.push_str(&piece),
                false => left_out.push(format!("{name}: {} tokens", cost(&piece))),
            }
        }
        if text.len() == bare {
            return (String::new(), left_out);
        }
        *room = own;
        text.push('\n');
        (text, left_out)
    }
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
