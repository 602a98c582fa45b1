//! Single keys from the terminal on stdin.

pub use console::Key;
use console::Term;
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};
use std::io;

/// Ctrl-D, which ends the input.
pub const END: Key = Key::Char('\u{4}');

/// Waits for a key without echo. Keys typed before are dropped, so that nothing is decided unseen. Ctrl-C and a signal that
/// ends the process are [`Key::CtrlC`]; a terminal that is gone is [`END`].
///
/// # Errors
/// Stdin is not a terminal, or cannot be read.
pub fn read_key() -> io::Result<Key> {
    tcflush(io::stdin(), QueueSelector::IFlush)?;
    match Term::stdout().read_key_raw() {
        Err(error)
            if error.kind() == io::ErrorKind::UnexpectedEof || Errno::from_io_error(&error) == Some(Errno::IO) =>
        {
            Ok(END)
        }
        key => key,
    }
}
