//! Scripts and their languages.

use super::skill::extension;
use canonry_text::RepoPath;

/// A scripting language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptLanguage {
    Shell,
    Python,
    JavaScript,
    Ruby,
    Perl,
    PowerShell,
    Batch,
    Other,
}

const BY_EXTENSION: [(ScriptLanguage, &[&str]); 8] = [
    (ScriptLanguage::Shell, &["sh", "bash", "zsh", "ksh"]),
    (ScriptLanguage::Python, &["py"]),
    (ScriptLanguage::JavaScript, &["js", "mjs", "cjs", "ts", "mts"]),
    (ScriptLanguage::Ruby, &["rb"]),
    (ScriptLanguage::Perl, &["pl"]),
    (ScriptLanguage::PowerShell, &["ps1"]),
    (ScriptLanguage::Batch, &["bat", "cmd"]),
    (ScriptLanguage::Other, &["fish", "php", "lua", "r", "tcl", "awk"]),
];

/// Interpreters in shebangs.
const BY_PROGRAM: [(ScriptLanguage, &[&str]); 6] = [
    (ScriptLanguage::Shell, &["sh", "bash", "zsh", "dash", "ksh", "ash"]),
    (ScriptLanguage::Python, &["python", "python2", "python3", "uv"]),
    (ScriptLanguage::JavaScript, &["node", "deno", "bun", "tsx", "ts-node"]),
    (ScriptLanguage::Ruby, &["ruby"]),
    (ScriptLanguage::Perl, &["perl"]),
    (ScriptLanguage::PowerShell, &["pwsh", "powershell"]),
];

impl ScriptLanguage {
    /// The language of a file, by its shebang or its extension; `None` if it is not a script.
    pub fn of(path: &RepoPath, text: &str) -> Option<Self> {
        if let Some(line) = shebang(text) {
            let mut words = line[2..].split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
            return words.find_map(|word| find(&BY_PROGRAM, word)).or(Some(Self::Other));
        }
        find(&BY_EXTENSION, &extension(path).to_lowercase())
    }

    /// The language of a code block with this name. A block without a name usually contains commands.
    pub fn of_block(name: &str) -> Option<Self> {
        match name {
            "" | "shell" | "console" | "shell-session" | "shellsession" | "shellscript" | "terminal" => {
                Some(Self::Shell)
            }
            "javascript" | "typescript" => Some(Self::JavaScript),
            name => find(&BY_EXTENSION, name).or_else(|| find(&BY_PROGRAM, name)),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Ruby => "ruby",
            Self::Perl => "perl",
            Self::PowerShell => "powershell",
            Self::Batch => "batch",
            Self::Other => "other",
        }
    }
}

fn find(table: &[(ScriptLanguage, &[&str])], name: &str) -> Option<ScriptLanguage> {
    table.iter().find(|(_, names)| names.contains(&name)).map(|(language, _)| *language)
}

/// The shebang line, if a text has one.
pub fn shebang(text: &str) -> Option<&str> {
    text.starts_with("#!").then(|| text.split('\n').next().unwrap_or(text))
}
