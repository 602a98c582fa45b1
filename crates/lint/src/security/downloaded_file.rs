//! Part of `pipe-to-shell`: files that are downloaded, and then run or made executable.

use super::pipe_to_shell::RULE;
use super::shell_text::ReadText;
use crate::{Defaults, Finding};
use canonry_guard::guard::Origins;
use canonry_guard::shell::{Script, SimpleCommand};
use canonry_model::finding::{Location, Severity};

/// Programs that compare a file with a checksum or a signature.
const VERIFIERS: [&str; 15] = [
    "sha256sum",
    "sha512sum",
    "sha1sum",
    "md5sum",
    "b2sum",
    "b3sum",
    "shasum",
    "cksum",
    "openssl",
    "gpg",
    "gpgv",
    "cosign",
    "minisign",
    "slsa-verifier",
    "Get-FileHash",
];

const HELP: &str = "pin the version and verify the checksum before running it, or use a package manager";

/// The first program that a script downloads and runs, or makes executable.
pub(super) fn find(read: &ReadText<'_>) -> Option<Finding> {
    let (command, name) = first_unverified(&read.script)?;
    let message = format!("`{name}` is downloaded and run without verification");
    let finding = RULE.at(Location::at(read.source, read.span_of(command)), message).help(HELP);
    Some(finding.severity(Defaults::both(Severity::Info)))
}

fn first_unverified(script: &Script) -> Option<(&SimpleCommand, String)> {
    let origins = Origins::of_downloads(script);
    let is_verifier = |command: &SimpleCommand| command.program().is_some_and(|name| VERIFIERS.contains(&name));
    script.commands.iter().enumerate().take_while(|(_, command)| !is_verifier(command)).find_map(|(at, command)| {
        let name = origins.file_run_by(script, at).or_else(|| made_executable(&origins, script, at))?;
        (!command.is_possible).then_some((command, name))
    })
}

/// The name of the file that a command makes executable, if the script downloads it.
fn made_executable(origins: &Origins, script: &Script, at: usize) -> Option<String> {
    let command = script.commands.get(at).filter(|command| command.program() == Some("chmod"))?;
    let mut args = command.words.iter().skip(1).filter(|word| !word.text.starts_with("--"));
    let mode = &args.next()?.text;
    // A bit for execution is odd in octal digits.
    let executes = mode.contains('x') || mode.contains(['1', '3', '5', '7']);
    args.filter(|_| executes).find_map(|file| origins.fetched_file(script, at, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_guard::shell;

    #[test]
    fn downloads_that_are_run_are_verified() {
        for (text, want) in [
            ("curl -fsSLo /usr/local/bin/tool https://x.test/tool\nchmod +x /usr/local/bin/tool", Some("tool")),
            ("curl -LO https://x.test/tool?x=1 && chmod 755 ./tool", Some("tool")),
            ("wget https://x.test/tool\nchmod a+x tool", Some("tool")),
            ("wget https://x.test/i.sh; mv i.sh j.sh; bash j.sh", Some("j.sh")),
            ("curl -o i.sh https://x.test/i.sh; ./i.sh", Some("i.sh")),
            ("curl -o i.sh https://x.test/i.sh; sha256sum --check i.sha256; sh i.sh", None),
            ("wget -qO- https://x.test/tool; chmod +x other", None),
            ("curl https://x.test/data.json -o data.json; chmod 640 data.json", None),
            ("curl -o i.sh https://x.test/i.sh; chmod 644 i.sh", None),
        ] {
            let script = shell::read_script(text);
            assert_eq!(first_unverified(&script).map(|(_, name)| name).as_deref(), want, "{text}");
        }
    }
}
