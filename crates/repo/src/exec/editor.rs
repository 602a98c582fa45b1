//! The user's text editor, chosen by the rules of git.

use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process::Command;

/// The editor if nothing else is chosen.
const DEFAULT: &str = "vi";

/// The command line of the editor: `GIT_EDITOR`, `core.editor`, `VISUAL` if the terminal can show it, `EDITOR`, or `vi`.
pub fn command_line(configured: Option<String>) -> String {
    choose(|name| std::env::var(name).ok(), configured)
}

fn choose(variable: impl Fn(&str) -> Option<String>, configured: Option<String>) -> String {
    let is_dumb = variable("TERM").is_none_or(|term| term == "dumb");
    let visual = if is_dumb { None } else { variable("VISUAL") };
    let choices = [variable("GIT_EDITOR"), configured, visual, variable("EDITOR")];
    choices.into_iter().flatten().find(|choice| !choice.trim().is_empty()).unwrap_or_else(|| DEFAULT.to_owned())
}

/// Lets the user edit a text in a temporary Markdown file. `None` if the editor reports a failure.
///
/// # Errors
/// The file cannot be written or read, or no shell can be started.
pub fn edit(editor: &str, text: &str, folder: &Path) -> io::Result<Option<String>> {
    let mut file = tempfile::Builder::new().prefix("canonry-").suffix(".md").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    // As git does: the command line may have arguments, and the file is one more.
    let script = format!("{editor} \"$@\"");
    let status = Command::new("sh").args(["-c", &script, editor]).arg(file.path()).current_dir(folder).status()?;
    if !status.success() {
        return Ok(None);
    }
    // Editors may replace the file instead of writing to it.
    let mut edited = String::new();
    match std::fs::File::open(file.path()) {
        Ok(mut new) => new.read_to_string(&mut edited)?,
        Err(_) => {
            file.rewind()?;
            file.read_to_string(&mut edited)?
        }
    };
    Ok(Some(edited))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_git() {
        let all = [("GIT_EDITOR", "a"), ("VISUAL", "c"), ("EDITOR", "d"), ("TERM", "xterm")];
        let with = |names: &[&str], configured: Option<&str>| {
            let variable = |name: &str| {
                let known = all.iter().find(|(known, _)| *known == name && names.contains(&name));
                known.map(|(_, value)| (*value).to_owned())
            };
            choose(variable, configured.map(str::to_owned))
        };
        assert_eq!(with(&["GIT_EDITOR", "VISUAL", "EDITOR", "TERM"], Some("b")), "a");
        assert_eq!(with(&["VISUAL", "EDITOR", "TERM"], Some("b")), "b");
        assert_eq!(with(&["VISUAL", "EDITOR", "TERM"], None), "c");
        assert_eq!(with(&["VISUAL", "EDITOR"], Some(" ")), "d");
        assert_eq!(with(&["TERM"], None), "vi");
    }

    #[test]
    fn an_editor_may_have_arguments_write_replace_or_fail() {
        let folder = std::env::temp_dir();
        let edited = |editor: &str| edit(editor, "one\n", &folder).unwrap();
        assert_eq!(edited("echo two >>").as_deref(), Some("one\ntwo\n"));
        assert_eq!(edited("sh -c 'echo new > \"$0.x\"; mv \"$0.x\" \"$0\"'").as_deref(), Some("new\n"));
        assert_eq!(edited("false"), None);
        assert_eq!(edited("no-such-editor-here"), None);
    }
}
