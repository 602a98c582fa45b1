//! Single keys from the terminal on stdin.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// The pause between two looks at `cancel`.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
const CTRL_C: u8 = 0x03;
const CTRL_D: u8 = 0x04;
const ESCAPE: u8 = 0x1b;

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A key with a character.
    Character(char),
    /// Any other key, such as an arrow.
    Other,
    /// Ctrl-D, or the terminal is gone.
    End,
    /// Ctrl-C, or the process should stop.
    Interrupt,
}

/// Waits for a key without echo. The terminal is as before afterwards, so that other output and other programs are not affected.
///
/// # Errors
/// Stdin is not a terminal, or cannot be read.
pub fn read_key(cancel: &AtomicBool) -> io::Result<Key> {
    let stdin = io::stdin();
    read_key_from(&stdin, cancel)
}

fn read_key_from(terminal: &impl AsFd, cancel: &AtomicBool) -> io::Result<Key> {
    let _mode = KeyMode::enter(terminal)?;
    loop {
        if cancel.load(Ordering::Relaxed) {
            return Ok(Key::Interrupt);
        }
        let mut wanted = [PollFd::new(terminal, PollFlags::IN)];
        match poll(&mut wanted, Some(&PAUSE)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        // One read has all bytes of a key; what was typed ahead beyond that is dropped, so that nothing is decided unseen.
        let mut bytes = [0; 64];
        match read(terminal, &mut bytes) {
            Ok(0) | Err(Errno::IO) => return Ok(Key::End),
            Ok(length) => return Ok(key(&bytes[..length])),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn key(bytes: &[u8]) -> Key {
    match bytes.first() {
        Some(&CTRL_C) => Key::Interrupt,
        None | Some(&CTRL_D) => Key::End,
        Some(&ESCAPE) => Key::Other,
        Some(_) => {
            let end = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            end.chars().next().filter(|c| !c.is_control()).map_or(Key::Other, Key::Character)
        }
    }
}

/// The terminal without line editing, echo and signal keys.
struct KeyMode<'t, T: AsFd> {
    terminal: &'t T,
    before: Termios,
}

impl<'t, T: AsFd> KeyMode<'t, T> {
    fn enter(terminal: &'t T) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut mode = before.clone();
        mode.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN);
        mode.special_codes[SpecialCodeIndex::VMIN] = 1;
        mode.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(terminal, OptionalActions::Now, &mode)?;
        Ok(Self { terminal, before })
    }
}

impl<T: AsFd> Drop for KeyMode<'_, T> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.terminal, OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_keys() {
        for (bytes, want) in [
            (&b"a"[..], Key::Character('a')),
            (b"ar", Key::Character('a')),
            ("ü".as_bytes(), Key::Character('ü')),
            (b"\x03", Key::Interrupt),
            (b"\x04", Key::End),
            (b"", Key::End),
            (b"\x1b[A", Key::Other),
            (b"\r", Key::Other),
            (b"\xff", Key::Other),
        ] {
            assert_eq!(key(bytes), want, "{bytes:?}");
        }
    }

    #[test]
    fn a_file_is_not_a_terminal() {
        let file = tempfile::tempfile().unwrap();
        assert!(read_key_from(&file, &AtomicBool::new(false)).is_err());
    }
}
