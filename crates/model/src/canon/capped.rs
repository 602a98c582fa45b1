//! A list that keeps its first items and counts the rest.

/// The number of items that are kept.
pub const SHOWN: usize = 20;

/// The first items of a list, and how many there are in total. A log with a million bad rows must fill neither the
/// memory nor a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capped<T> {
    first: Vec<T>,
    count: usize,
}

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Self { first: Vec::new(), count: 0 }
    }
}

impl<T> Capped<T> {
    /// Adds an item.
    pub fn push(&mut self, item: T) {
        self.push_with(|| item);
    }

    /// Adds an item, which is built only if it is kept.
    pub fn push_with(&mut self, make: impl FnOnce() -> T) {
        self.count += 1;
        // Keeps one more than is shown, as the location of a summary of the rest.
        if self.first.len() <= SHOWN {
            self.first.push(make());
        }
    }

    /// Adds the items of `later` after these.
    pub fn append(&mut self, later: Self) {
        self.count += later.count;
        let room = (SHOWN + 1).saturating_sub(self.first.len());
        self.first.extend(later.first.into_iter().take(room));
    }

    /// The total number of items.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The items to show one by one, and the first of the rest. A rest of one item is shown like the others.
    pub fn shown(&self) -> (&[T], Option<&T>) {
        match self.first.get(SHOWN) {
            Some(rest) if self.count > SHOWN + 1 => (&self.first[..SHOWN], Some(rest)),
            _ => (&self.first, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_a_rest_of_one_item() {
        for (count, shown, rest) in
            [(0, 0, None), (20, 20, None), (21, 21, None), (22, 20, Some(&20)), (90, 20, Some(&20))]
        {
            let mut capped = Capped::default();
            let mut later = Capped::default();
            (0..count.min(15)).for_each(|at| capped.push(at));
            (15..count).for_each(|at| later.push(at));
            capped.append(later);
            assert_eq!((capped.shown().0.len(), capped.shown().1, capped.count()), (shown, rest, count));
        }
    }
}
