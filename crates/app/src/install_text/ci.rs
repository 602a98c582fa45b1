//! The GitHub Actions workflow, and where it gets canonry from.

use std::fmt;
use std::str::FromStr;

const WORKFLOW: &str = include_str!("ci_workflow.yml");
const PLACEHOLDER: &str = "<source>";
const INSTALL: &str = "cargo install --locked --root ~/.canonry ";

/// A commit of a git repository that holds canonry's source. A commit cannot change, so the jobs run what was reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CiSource {
    url: String,
    commit: String,
}

/// Why a text names no source.
#[derive(Debug, thiserror::Error)]
pub enum CiSourceError {
    #[error("expected `URL@COMMIT`, such as `https://git.example.com/team/canonry@` and a commit id of 40 characters")]
    Form,
    #[error("`{0}` is not a full commit id: a branch or a tag can move")]
    Commit(String),
    #[error(
        "the URL must start with `https://` or `ssh://`, without a password and without characters that a shell interprets"
    )]
    Url,
}

impl FromStr for CiSource {
    type Err = CiSourceError;

    fn from_str(text: &str) -> Result<Self, CiSourceError> {
        let (url, commit) = text.rsplit_once('@').ok_or(CiSourceError::Form)?;
        if !matches!(commit.len(), 40 | 64) || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(CiSourceError::Commit(commit.to_owned()));
        }
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("ssh://")).ok_or(CiSourceError::Url)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:@+%".contains(&byte);
        let user = rest.split('/').next().and_then(|host| host.split_once('@')).map(|(user, _)| user);
        if rest.is_empty() || !rest.bytes().all(is_plain) || user.is_some_and(|user| user.contains(':')) {
            return Err(CiSourceError::Url);
        }
        Ok(Self { url: url.to_owned(), commit: commit.to_ascii_lowercase() })
    }
}

impl fmt::Display for CiSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.url, self.commit)
    }
}

impl CiSource {
    /// The arguments of `cargo install` that select the commit.
    pub fn cargo_arguments(&self) -> String {
        format!("--git {} --rev {}", self.url, self.commit)
    }
}

/// The workflow that builds canonry from `source`.
pub fn workflow(source: &CiSource) -> String {
    WORKFLOW.replace(PLACEHOLDER, &source.cargo_arguments())
}

/// The source of a workflow that [`workflow`] wrote; `None` if it was edited. Ignores line ends, which git may convert.
pub fn source_of(text: &str) -> Option<CiSource> {
    let text = text.replace("\r\n", "\n");
    let line = text.lines().find_map(|line| line.split_once(INSTALL))?.1;
    let (url, rest) = line.strip_prefix("--git ")?.split_once(" --rev ")?;
    let source = format!("{url}@{}", rest.split(' ').next()?).parse().ok()?;
    (workflow(&source) == text).then_some(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn workflow_names_its_source() {
        let source: CiSource = format!("ssh://git@git.example.com:22/team/canonry@{COMMIT}").parse().unwrap();
        let text = workflow(&source);
        assert!(!text.contains(PLACEHOLDER));
        assert_eq!(source_of(&text), Some(source.clone()));
        assert_eq!(source_of(&text.replace('\n', "\r\n")), Some(source));
        assert_eq!(source_of(&text.replace("20", "30")), None);
        assert_eq!(source_of(""), None);
    }

    #[test]
    fn source_must_be_pinned_and_harmless() {
        for bad in [
            "canonry",
            "https://git.example.com/canonry@main",
            "https://git.example.com/canonry@0123456",
            &format!("http://git.example.com/canonry@{COMMIT}"),
            &format!("https://git.example.com/canonry;id@{COMMIT}"),
            &format!("https://git.example.com/${{{{x}}}}@{COMMIT}"),
            &format!("https://user:secret@git.example.com/canonry@{COMMIT}"),
            &format!("https://@{COMMIT}"),
        ] {
            assert!(bad.parse::<CiSource>().is_err(), "{bad}");
        }
    }
}
