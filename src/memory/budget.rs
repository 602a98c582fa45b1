//! What a text costs an agent that reads it.

/// Characters of a token. The same for every model, so that the same text always costs the same: it is an estimate.
pub const CHARACTERS: usize = 4;

/// The tokens of a text: a quarter of its characters, rounded up.
pub fn cost(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS)
}

/// Room for text. What is taken together never costs more than the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    characters: usize,
}

impl Room {
    /// Of a budget in tokens.
    pub fn of(budget: usize) -> Self {
        Self { characters: budget.saturating_mul(CHARACTERS) }
    }

    /// Takes a text where there is room for all of it.
    pub fn take(&mut self, text: &str) -> bool {
        let rest = self.characters.checked_sub(text.chars().count());
        self.characters = rest.unwrap_or(self.characters);
        rest.is_some()
    }

    /// How many characters there is room for.
    pub fn left(self) -> usize {
        self.characters
    }

    /// No more of this room than a budget.
    #[must_use]
    pub fn at_most(self, budget: usize) -> Self {
        Self { characters: self.characters.min(Self::of(budget).characters) }
    }

    /// Without what was taken of a part of it.
    pub fn without(&mut self, before: Self, after: Self) {
        self.characters -= before.characters - after.characters;
    }
}
