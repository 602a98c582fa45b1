//! Progress of a long job.

/// Receives progress and notices. Implementations decide whether and how to show them.
pub trait Progress: Sync {
    /// A task of `total` units starts; it replaces the one before.
    fn start(&self, task: &str, total: usize) {
        let _ = (task, total);
    }

    /// `count` units of the current task are done. Called from several threads.
    fn advance(&self, count: usize) {
        let _ = count;
    }

    /// The current task is over.
    fn finish(&self) {}

    /// Something the user should read, although the job continues. One or more whole lines.
    fn notice(&self, message: &str) {
        let _ = message;
    }
}

/// Discards everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {}
