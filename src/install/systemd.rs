//! A timer of the user's own systemd, and the service that it starts: one pair for each repository.

use super::crontab::At;
use gix::bstr::ByteSlice;

const MADE: &str =
    "# Made by `canonry install systemd`; `canonry uninstall systemd` removes it as long as nothing in it is changed.";
/// What stands before the sum of all that follows.
const SUM: &str = "# Sum: ";

/// What is run, by the paths it needs.
#[derive(Clone, Copy, Debug)]
pub struct Nightly<'a> {
    /// When.
    pub at: At,
    /// The top of the work tree.
    pub top: &'a [u8],
    /// The program.
    pub canonry: &'a [u8],
}

/// Why there can be no unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a unit of systemd cannot hold the path `{0}`: it is not UTF-8, or has a line end or another control character"
)]
pub struct Unwritable(String);

/// The two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    /// What is run.
    pub service: String,
    /// When.
    pub timer: String,
}

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Ours, as we wrote it.
    Canonry,
    /// Ours, and changed since.
    Changed,
    /// Not ours.
    Other,
}

/// What both units are called, without what they end with.
pub fn name(top: &[u8]) -> String {
    format!("canonry-dream-{}", &blake3::hash(top).to_hex()[..12])
}

impl Nightly<'_> {
    /// Both files.
    ///
    /// # Errors
    /// A path that cannot stand in a unit.
    pub fn units(&self) -> Result<Units, Unwritable> {
        let (top, canonry) = (text(self.top)?, text(self.canonry)?);
        // To systemd `%` begins a name of its own, wherever it stands.
        let folder = top.replace('%', "%%");
        let service = format!(
            "[Unit]\nDescription=canonry dream in {folder}\n\n\
             [Service]\nType=oneshot\nWorkingDirectory={folder}\nExecStart={} dream\n",
            quoted(canonry)
        );
        let timer = format!(
            "[Unit]\nDescription=canonry dream every night in {folder}\n\n\
             [Timer]\nOnCalendar=*-*-* {}:00\n# A night that the machine slept through is made up for.\nPersistent=true\n\n\
             [Install]\nWantedBy=timers.target\n",
            self.at
        );
        Ok(Units { service: signed(&service), timer: signed(&timer) })
    }
}

fn text(path: &[u8]) -> Result<&str, Unwritable> {
    let text = path.to_str().ok().filter(|text| !text.contains(char::is_control));
    // White space at the end of a line is no part of it, and a backslash there goes on with the next.
    let text = text.filter(|text| text.trim() == *text && !text.ends_with('\\'));
    text.ok_or_else(|| Unwritable(path.to_str_lossy().into_owned()))
}

/// A word of a command line.
fn quoted(path: &str) -> String {
    let path = path.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    format!("\"{path}\"")
}

fn sum(body: &str) -> String {
    blake3::hash(body.as_bytes()).to_hex()[..16].to_owned()
}

fn signed(body: &str) -> String {
    format!("{MADE}\n{SUM}{}\n{body}", sum(body))
}

/// Whose a file is, by its first lines.
pub fn owner(file: &[u8]) -> Owner {
    let body = file.to_str().ok().and_then(|text| text.strip_prefix(MADE)?.strip_prefix('\n')?.strip_prefix(SUM));
    match body.map(|rest| rest.split_once('\n')) {
        None => Owner::Other,
        Some(Some((written, body))) if written == sum(body) => Owner::Canonry,
        Some(_) => Owner::Changed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(top: &str) -> Result<Units, Unwritable> {
        let at = At::parse("03:05").unwrap();
        Nightly { at, top: top.as_bytes(), canonry: b"/opt/my \"$\"/100%/canonry" }.units()
    }

    #[test]
    fn a_service_and_its_timer() {
        let units = units("/r 100%").unwrap();
        assert!(units.service.contains("\nWorkingDirectory=/r 100%%\n"), "{}", units.service);
        assert!(
            units.service.contains("\nExecStart=\"/opt/my \\\"$$\\\"/100%%/canonry\" dream\n"),
            "{}",
            units.service
        );
        assert!(units.timer.contains("\nOnCalendar=*-*-* 03:05:00\n"), "{}", units.timer);
        assert_ne!(name(b"/r"), name(b"/s"));
    }

    #[test]
    fn odd_paths_are_refused() {
        for top in ["/a\nb", "/a\tb", "/a ", "/a\\"] {
            assert!(units(top).is_err(), "{top:?}");
        }
    }

    #[test]
    fn a_changed_file_is_known() {
        let units = units("/r").unwrap();
        assert_eq!(owner(units.timer.as_bytes()), Owner::Canonry);
        assert_eq!(owner(units.timer.replace("03:05", "04:00").as_bytes()), Owner::Changed);
        assert_eq!(owner(MADE.as_bytes()), Owner::Other);
        for other in ["", "[Unit]\n", "\u{feff}"] {
            assert_eq!(owner(other.as_bytes()), Owner::Other);
        }
    }
}
