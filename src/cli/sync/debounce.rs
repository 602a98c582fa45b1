//! When changes have come to rest. Time is an argument.

use std::time::Duration;

/// So long nothing must have changed: an editor's save is several events.
const QUIET: Duration = Duration::from_millis(100);
/// So long at most is waited where changes do not come to rest.
const MOST: Duration = Duration::from_secs(1);

/// Changes that are not synced yet, by the time at which they came.
#[derive(Debug, Default)]
pub struct Debounce {
    pending: Option<(Duration, Duration)>,
}

impl Debounce {
    /// Something changed.
    pub fn note(&mut self, now: Duration) {
        let first = self.pending.map_or(now, |(first, _)| first);
        self.pending = Some((first, now));
    }

    /// How long to wait for a sync; zero where it is due, `None` where nothing changed.
    pub fn wait(&self, now: Duration) -> Option<Duration> {
        let (first, last) = self.pending?;
        Some((last + QUIET).min(first + MOST).saturating_sub(now))
    }

    /// A sync begins, and what changes from now on is for the next.
    pub fn begin(&mut self) {
        self.pending = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn waits_for_quiet() {
        let mut debounce = Debounce::default();
        assert_eq!(debounce.wait(ms(5)), None);
        debounce.note(ms(10));
        assert_eq!(debounce.wait(ms(10)), Some(ms(100)));
        debounce.note(ms(60));
        assert_eq!(debounce.wait(ms(120)), Some(ms(40)));
        assert_eq!(debounce.wait(ms(160)), Some(ms(0)));
        debounce.begin();
        assert_eq!(debounce.wait(ms(400)), None);
    }

    #[test]
    fn does_not_wait_for_ever() {
        let mut debounce = Debounce::default();
        (0..=19).for_each(|n| debounce.note(ms(n * 50)));
        assert_eq!(debounce.wait(ms(970)), Some(ms(30)));
        debounce.note(ms(990));
        assert_eq!(debounce.wait(ms(1000)), Some(ms(0)));
    }
}
