//! Pull requests: verified work that a person merges.
//!
//! git pushes the branch; `gh` or `glab`, which know the user's account, open the pull request.

use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::owners::{Integration, Isolation, Owner};
use canonry_repo::exec::shell::{ShellEnd, run_to_end};
use canonry_repo::exec::worker::{WorkerCommand, new_mark};
use canonry_repo::git::remote::push_branch;
use canonry_text::printable::head;
use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use std::time::Duration;

/// Time limit of one call of a tool.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The most bytes of a description. GitHub refuses more with "body is too long (maximum is 65536 characters)".
const BODY: usize = 60_000;

/// The pull requests of a repository into one branch.
pub(crate) struct PullRequests<'w> {
    workspace: &'w Workspace,
    remote: String,
    tool: PullRequestTool,
    /// The branch of the remote that gets the work.
    base: String,
}

/// The tool that opens pull requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PullRequestTool {
    GitHub,
    GitLab,
}

/// The answer of a tool.
enum ToolAnswer {
    Printed(String),
    Failed(String),
}

/// Verified work.
pub(crate) struct PullRequest<'a> {
    pub branch: &'a str,
    pub tip: ObjectId,
    pub title: &'a str,
    pub body: &'a str,
}

impl PullRequestTool {
    fn program(self) -> &'static str {
        match self {
            Self::GitHub => "gh",
            Self::GitLab => "glab",
        }
    }

    /// The tool of the service at a URL; `None` if the URL does not tell it.
    fn of(url: &str) -> Option<Self> {
        if url.contains("github.") {
            Some(Self::GitHub)
        } else if url.contains("gitlab.") {
            Some(Self::GitLab)
        } else {
            None
        }
    }

    fn create(self, request: &PullRequest<'_>, base: &str) -> Vec<String> {
        let (kind, head_option, base_option, body_option) = match self {
            Self::GitHub => ("pr", "--head", "--base", "--body"),
            Self::GitLab => ("mr", "--source-branch", "--target-branch", "--description"),
        };
        let body = head(request.body, BODY);
        let mut words = vec![self.program(), kind, "create", head_option, request.branch, base_option, base];
        words.extend(["--title", request.title, body_option, body]);
        words.extend((self == Self::GitLab).then_some("--yes"));
        words.into_iter().map(str::to_owned).collect()
    }

    fn view(self, branch: &str) -> Vec<String> {
        let words = match self {
            Self::GitHub => vec!["gh", "pr", "view", branch, "--json", "url", "--jq", ".url"],
            Self::GitLab => vec!["glab", "mr", "view", branch],
        };
        words.into_iter().map(str::to_owned).collect()
    }
}

/// Checks, before a worker starts, that the pull requests of these owners can be opened.
///
/// # Errors
/// See [`PullRequests::open`].
pub(crate) fn require_tool<'o>(
    workspace: &Workspace,
    mut owners: impl Iterator<Item = &'o Owner>,
) -> Result<(), Error> {
    if owners.any(|owner| owner.integration == Integration::PullRequest) {
        PullRequests::open(workspace).map(drop)
    } else {
        Ok(())
    }
}

/// Checks that the work of these owners is on branches, where pull requests need it.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if an owner has no work tree of its own.
pub(crate) fn require_isolation<'o>(
    workspace: &Workspace,
    owners: impl Iterator<Item = &'o Owner>,
) -> Result<(), Error> {
    let is_wanted = |owner: &&Owner| owner.integration == Integration::PullRequest;
    let mut choices = owners.filter(is_wanted).flat_map(Owner::choices);
    let Some(shared) = choices.find(|owner| owner.isolation != Isolation::Worktree) else { return Ok(()) };
    let full = workspace.view.full(&workspace.layout.owners());
    let program = shared.argv.first().map_or("", String::as_str);
    let message =
        format!("{full}: `integrate: pull-request` needs `isolation: worktree`, which `{program}` does not have");
    Err(Error::new(ErrorKind::Unreadable, message).help("add `isolation: worktree` to the owner"))
}

impl<'w> PullRequests<'w> {
    /// The pull requests into the branch that is checked out.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if no branch is checked out, there is no remote, or the tool of the remote is not on PATH.
    pub fn open(workspace: &'w Workspace) -> Result<Self, Error> {
        let refused = |message: &str, help: &str| Error::new(ErrorKind::Refused, message).help(help);
        let repo = workspace.repo()?;
        let onto = repo.head_name().ok().flatten().map(|name| name.shorten().to_string());
        let onto = onto.ok_or_else(|| {
            refused(
                "a pull request needs a branch, and none is checked out",
                "run `git switch BRANCH`, then this again",
            )
        })?;
        let config = repo.config_snapshot();
        let setting = |key: String| config.string(key.as_str()).map(|value| value.to_str_lossy().into_owned());
        let names: Vec<String> = repo.remote_names().iter().map(|name| name.to_str_lossy().into_owned()).collect();
        let wanted = workspace.config.plans.remote.clone().or_else(|| setting(format!("branch.{onto}.remote")));
        let wanted = wanted.or_else(|| names.iter().find(|name| *name == "origin" || names.len() == 1).cloned());
        let remote = wanted.filter(|name| names.contains(name)).ok_or_else(|| {
            refused(
                "a pull request needs a remote, and this clone has none for it",
                "run `git remote add origin URL`, or name one as `plans.remote` in canonry.yaml",
            )
        })?;
        let url = setting(format!("remote.{remote}.url")).unwrap_or_default();
        let tools = match PullRequestTool::of(&url) {
            Some(tool) => vec![tool],
            None => vec![PullRequestTool::GitHub, PullRequestTool::GitLab],
        };
        let found = tools.iter().copied().find(|tool| workspace.env.program(tool.program()).is_some());
        let tool = found.ok_or_else(|| {
            let programs: Vec<String> = tools.iter().map(|tool| format!("`{}`", tool.program())).collect();
            let programs = programs.join(" or ");
            let message = format!("`integrate: pull-request` needs {programs} on PATH");
            refused(&message, &format!("install {programs} and log in, or use `integrate: merge` in agent/owners.yaml"))
        })?;
        let upstream = setting(format!("branch.{onto}.merge"));
        let base = upstream.as_deref().and_then(|name| name.strip_prefix("refs/heads/")).unwrap_or(&onto).to_owned();
        Ok(Self { workspace, remote, tool, base })
    }

    /// Pushes the branch and opens its pull request, or finds the one that exists. Returns the URL. Can be repeated.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if the remote or the tool does not accept it; [`ErrorKind::Interrupted`].
    pub fn propose(&self, request: &PullRequest<'_>) -> Result<String, Error> {
        let branch = request.branch;
        let cancel = &self.workspace.env.cancel;
        push_branch(self.workspace.repo()?, &self.remote, request.tip, branch, cancel).map_err(|error| {
            if error.is_interrupted() {
                return Error::new(ErrorKind::Interrupted, "interrupted");
            }
            let message = format!("`git push {} {branch}` failed: {error}", self.remote);
            Error::new(ErrorKind::Refused, message)
        })?;
        let problem = match self.call(&self.tool.create(request, &self.base))? {
            ToolAnswer::Printed(output) => return Ok(url_in(&output).unwrap_or_else(|| format!("of {branch}"))),
            ToolAnswer::Failed(problem) => problem,
        };
        // A run that was killed may have opened it.
        let existing = match self.call(&self.tool.view(branch))? {
            ToolAnswer::Printed(output) => url_in(&output),
            ToolAnswer::Failed(_) => None,
        };
        existing.ok_or_else(|| Error::new(ErrorKind::Refused, problem))
    }

    fn call(&self, argv: &[String]) -> Result<ToolAnswer, Error> {
        let program = self.tool.program();
        let env = [("GH_PROMPT_DISABLED", "1"), ("NO_PROMPT", "1")].map(|(name, value)| (name.into(), value.into()));
        let log = self.workspace.git_dir()?.join("canonry/pull-requests.log");
        let folder = self.workspace.top()?;
        let command =
            WorkerCommand { argv, folder: &folder, env: env.to_vec(), stdin: Vec::new(), log: &log, mark: new_mark() };
        let (end, output) = match run_to_end(command, TIMEOUT, &self.workspace.env.cancel) {
            Ok(ended) => ended,
            Err(error) => return Ok(ToolAnswer::Failed(error.to_string())),
        };
        match end {
            ShellEnd::Cancelled => Err(Error::new(ErrorKind::Interrupted, "interrupted")),
            ShellEnd::TimedOut => {
                Ok(ToolAnswer::Failed(format!("`{program}` did not end within {} s", TIMEOUT.as_secs())))
            }
            ShellEnd::Exited(exit) if exit.is_success() => Ok(ToolAnswer::Printed(output.stdout)),
            ShellEnd::Exited(exit) => {
                Ok(ToolAnswer::Failed(format!("`{program}` exited {}: {}", exit.code(), output.last_line)))
            }
        }
    }
}

/// The last URL in the output of a tool.
fn url_in(output: &str) -> Option<String> {
    let is_url = |word: &&str| word.starts_with("https://") || word.starts_with("http://");
    output.split_whitespace().rfind(is_url).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_is_found_in_the_output_of_both_tools() {
        for (output, want) in [
            ("https://github.com/o/r/pull/7\n", Some("https://github.com/o/r/pull/7")),
            (
                "!12 Add it (canonry/p/a.1)\n https://gitlab.com/o/r/-/merge_requests/12\n\n",
                Some("https://gitlab.com/o/r/-/merge_requests/12"),
            ),
            (
                "url:\thttps://gitlab.com/o/r/-/merge_requests/12\n--\n",
                Some("https://gitlab.com/o/r/-/merge_requests/12"),
            ),
            ("opened\n", None),
        ] {
            assert_eq!(url_in(output).as_deref(), want, "{output}");
        }
    }

    #[test]
    fn the_remote_names_the_tool() {
        for (url, want) in [
            ("git@github.com:o/r.git", Some(PullRequestTool::GitHub)),
            ("https://gitlab.example.org/o/r", Some(PullRequestTool::GitLab)),
            ("/srv/git/r.git", None),
        ] {
            assert_eq!(PullRequestTool::of(url), want, "{url}");
        }
    }
}
