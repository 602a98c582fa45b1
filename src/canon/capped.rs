//! What is kept of things that may be many.

/// How many are shown one by one.
pub const SHOWN: usize = 20;

/// What was found of one kind: the first few, and how many there are. A log of a million bad rows must neither fill the
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
    /// Takes in one more.
    pub fn push(&mut self, item: T) {
        self.push_with(|| item);
    }

    /// Takes in one more, which is made only where it is kept.
    pub fn push_with(&mut self, make: impl FnOnce() -> T) {
        self.count += 1;
        // One more than is shown, so that the rest has a place.
        if self.first.len() <= SHOWN {
            self.first.push(make());
        }
    }

    /// Takes in those that come behind.
    pub fn append(&mut self, later: Self) {
        self.count += later.count;
        let room = (SHOWN + 1).saturating_sub(self.first.len());
        self.first.extend(later.first.into_iter().take(room));
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Those that are shown one by one, and the first of the rest. A rest of one is shown like the others.
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
    fn a_rest_of_one_is_shown() {
        for (count, shown, rest) in
            [(0, 0, None), (20, 20, None), (21, 21, None), (22, 20, Some(&20)), (90, 20, Some(&20))]
        {
            let mut few = Capped::default();
            let mut later = Capped::default();
            (0..count.min(15)).for_each(|at| few.push(at));
            (15..count).for_each(|at| later.push(at));
            few.append(later);
            assert_eq!((few.shown().0.len(), few.shown().1, few.count()), (shown, rest, count));
        }
    }
}
