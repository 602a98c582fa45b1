//! Token budgets of texts that agents read.

/// Characters per token. An estimate, the same for every model, so that a text always has the same cost.
pub const CHARACTERS_PER_TOKEN: usize = 4;

/// The cost of a text in tokens, rounded up.
pub fn cost(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS_PER_TOKEN)
}

/// The rest of a budget, counted in characters so that many short texts never exceed it by rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBudget {
    characters: usize,
}

impl TokenBudget {
    /// A budget of this many tokens.
    pub fn new(tokens: usize) -> Self {
        Self { characters: tokens.saturating_mul(CHARACTERS_PER_TOKEN) }
    }

    /// Spends the cost of a text. Returns false and spends nothing if the text does not fit.
    pub fn take(&mut self, text: &str) -> bool {
        let rest = self.characters.checked_sub(text.chars().count());
        self.characters = rest.unwrap_or(self.characters);
        rest.is_some()
    }

    /// This budget, limited to `tokens`.
    #[must_use]
    pub fn limited_to(self, tokens: usize) -> Self {
        Self { characters: self.characters.min(Self::new(tokens).characters) }
    }

    /// Spends what a limited copy of this budget spent, given the copy's state before and after.
    pub fn spend_difference(&mut self, before: Self, after: Self) {
        self.characters -= before.characters - after.characters;
    }
}
