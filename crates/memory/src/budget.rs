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
        self.spend(Self::cost_of(text))
    }

    /// Spends another budget. Returns false and spends nothing if it is larger.
    pub fn spend(&mut self, cost: Self) -> bool {
        let rest = self.units.checked_sub(cost.units);
        self.units = rest.unwrap_or(self.units);
        rest.is_some()
    }

    /// The budget that a text costs.
    pub fn cost_of(text: &str) -> Self {
        Self { units: units(text) }
    }

    /// This budget without another.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self { units: self.units.saturating_sub(other.units) }
    }

    /// This budget and another.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { units: self.units.saturating_add(other.units) }
    }
}
