//! The values of PowerShell expressions, as words of a shell.

use crate::protocol::shape::quoted;

/// A variable that never has a value.
pub(super) const UNKNOWN: &str = "\"$ps__unknown\"";

/// The shell variable for `$_`, the current object of a pipeline.
pub(super) const LINE: &str = "ps_line";

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// Text outside quotes, in which `*` and `?` match names.
    Bare(String),
    /// A variable, in lower case.
    Variable(String),
    /// The output of shell commands.
    Output(String),
    Unknown,
}

/// A value: pieces that are joined to one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub pieces: Vec<Piece>,
}

impl Value {
    pub fn new(piece: Piece) -> Self {
        Self { pieces: vec![piece] }
    }

    pub fn unknown() -> Self {
        Self::new(Piece::Unknown)
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Piece::Text(text.into()))
    }

    /// Returns the text if it is known.
    pub fn literal(&self) -> Option<String> {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Bare(text) => Some(text.clone()),
            _ => None,
        };
        self.pieces.iter().map(text).collect()
    }

    /// Returns the text outside quotes, which may be the name of a command or a parameter.
    pub fn bare(&self) -> Option<&str> {
        match &self.pieces[..] {
            [Piece::Bare(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the word of a shell with this value.
    pub fn word(&self) -> String {
        self.joined(false)
    }

    /// Returns the word with the path in the form of a shell: slashes, and no drive.
    pub fn path(&self) -> String {
        self.joined(true)
    }

    /// Returns the word of a value that may be a path.
    pub fn likely_path(&self) -> String {
        let is_path = |text: &String| text.contains('\\') && !text.contains(char::is_whitespace);
        if self.literal().as_ref().is_some_and(is_path) { self.path() } else { self.word() }
    }

    fn joined(&self, is_path: bool) -> String {
        let mut word = String::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) | Piece::Bare(text) => {
                    let text = if is_path { path(text, at == 0) } else { text.clone() };
                    // A cmdlet matches patterns in quotes too.
                    if is_path || matches!(piece, Piece::Bare(_)) {
                        push_pattern(&mut word, &text)
                    } else {
                        word.push_str(&quoted(&text))
                    }
                }
                Piece::Variable(name) => word.push_str(&variable(name)),
                Piece::Output(commands) => word.push_str(&format!("\"$({commands}\n)\"")),
                Piece::Unknown => word.push_str(UNKNOWN),
            }
        }
        if word.is_empty() { "''".to_owned() } else { word }
    }
}

/// Appends a text, quoted except for the wildcards.
fn push_pattern(word: &mut String, text: &str) {
    // A `~` at the beginning is the home folder.
    let rest = text.strip_prefix('~').filter(|rest| word.is_empty() && (rest.is_empty() || rest.starts_with('/')));
    if rest.is_some() {
        word.push('~');
    }
    for part in rest.unwrap_or(text).split_inclusive(['*', '?']) {
        let plain = part.trim_end_matches(['*', '?']);
        if !plain.is_empty() {
            word.push_str(&quoted(plain));
        }
        word.push_str(&part[plain.len()..]);
    }
}

/// Converts a path: `C:\a` is `/a`, `.\a` is `./a`, and `HKLM:\a` is `/HKLM/a`.
fn path(text: &str, is_start: bool) -> String {
    if text.contains("://") {
        return text.to_owned();
    }
    let slashed = text.replace('\\', "/");
    let provider = slashed.split_once("::").map_or(slashed.as_str(), |(_, path)| path);
    let Some((drive, rest)) = provider.split_once(':').filter(|(drive, _)| is_start && is_name(drive)) else {
        return provider.to_owned();
    };
    let rest = rest.trim_start_matches('/');
    if drive.len() == 1 || drive.eq_ignore_ascii_case("temp") {
        let root = if drive.len() == 1 { "" } else { "/tmp" };
        format!("{root}/{rest}")
    } else {
        format!("/{drive}/{rest}")
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns the word for a variable.
fn variable(name: &str) -> String {
    let known = match name {
        "home" | "env:home" | "env:userprofile" | "env:homepath" => "~",
        "pwd" | "psscriptroot" => ".",
        "env:temp" | "env:tmp" | "env:tmpdir" => "/tmp",
        "env:systemdrive" | "env:homedrive" => "/",
        "env:systemroot" | "env:windir" => "/Windows",
        "env:programfiles" => "/ProgramFiles",
        "env:appdata" => "~/AppData/Roaming",
        "env:localappdata" => "~/AppData/Local",
        "profile" => "~/.config/powershell/profile.ps1",
        "true" | "false" | "null" => "''",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    if matches!(name, "_" | "psitem") {
        return format!("\"${LINE}\"");
    }
    if matches!(name, "args" | "input" | "this" | "matches") {
        return UNKNOWN.to_owned();
    }
    if let Some(name) = name.strip_prefix("env:") {
        return format!("\"${{{}}}\"", plain(name).to_uppercase());
    }
    format!("\"${{{}[@]}}\"", variable_name(name))
}

/// Returns the name of the shell variable for a variable.
pub(super) fn variable_name(name: &str) -> String {
    format!("ps_{}", plain(name))
}

/// Returns a name with letters, digits and underscores only.
pub(super) fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Returns a command that prints values.
pub(super) fn printed(values: &[Value]) -> String {
    let words: Vec<String> = values.iter().map(Value::word).collect();
    format!("echo {}", words.join(" "))
}
