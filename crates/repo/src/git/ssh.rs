//! Command with which git starts ssh.

/// ssh would ask for a password on the terminal, whatever its input is.
const NO_QUESTIONS: &str = "core.sshCommand=ssh -o BatchMode=yes";

/// The setting that keeps ssh from asking questions; `None` if the user has chosen the ssh program, with its options.
pub(in crate::git) fn without_questions(repo: &gix::Repository) -> Option<&'static str> {
    let is_set = |name| std::env::var_os(name).is_some();
    let is_configured = repo.config_snapshot().string("core.sshCommand").is_some();
    (!is_configured && !is_set("GIT_SSH_COMMAND") && !is_set("GIT_SSH")).then_some(NO_QUESTIONS)
}
