//! Token budgets of texts that agents read.

use super::tokens::{UNITS_PER_TOKEN, units};

/// The estimated cost of a text in tokens, rounded up.
pub fn cost(text: &str) -> usize {
    units(text).div_ceil(UNITS_PER_TOKEN)
}

/// The rest of a budget, counted in parts of a token so that many short texts never exceed it by rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBudget {
    units: usize,
}

impl TokenBudget {
    /// A budget of this many tokens.
    pub fn new(tokens: usize) -> Self {
        Self { units: tokens.saturating_mul(UNITS_PER_TOKEN) }
    }

    /// Spends the cost of a text. Returns false and spends nothing if the text does not fit.
    pub fn take(&mut self, text: &str) -> bool {
        let rest = self.units.checked_sub(units(text));
        self.units = rest.unwrap_or(self.units);
        rest.is_some()
    }

    /// This budget, limited to `tokens`.
    #[must_use]
    pub fn limited_to(self, tokens: usize) -> Self {
        Self { units: self.units.min(Self::new(tokens).units) }
    }

    /// This budget without a reserve of `tokens`.
    #[must_use]
    pub fn without(self, tokens: usize) -> Self {
        Self { units: self.units.saturating_sub(Self::new(tokens).units) }
    }

    /// Spends what a limited copy of this budget spent, given the copy's state before and after.
    pub fn spend_difference(&mut self, before: Self, after: Self) {
        self.units -= before.units - after.units;
    }
}
