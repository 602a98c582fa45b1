//! Where a skill comes from: an address of a repository, a folder in it, and a branch, tag or commit.
//!
//! An address is data, also in a lock that a teammate wrote: only four protocols are accepted, nothing may look like an
//! option of git or ssh, and an address with a password is refused, because the lock is committed.

use canonry_text::RepoPath;
use std::fmt;

/// A folder in a repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillSource {
    /// The address of the repository, as git takes it.
    pub url: String,
    /// The folder; empty for the whole repository.
    pub path: RepoPath,
    /// The branch, the tag or the commit; `None` for the repository's default branch.
    pub reference: Option<String>,
}

/// A source as a person writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenSource {
    /// A repository with an address.
    Remote(SkillSource),
    /// A folder on this machine.
    Folder {
        /// The folder as written.
        folder: String,
        /// The branch, the tag or the commit.
        reference: Option<String>,
    },
}

/// Why a source is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkillSourceError {
    #[error("`{0}` is not a source of skills")]
    Unknown(String),
    #[error("`{0}` uses a protocol that is not allowed; only https, ssh and file are, and http for this machine")]
    Protocol(String),
    #[error("the address contains a password or a token")]
    Credentials,
    #[error("`{0}` is not a valid name of a branch, a tag or a commit")]
    Reference(String),
    #[error("`{0}` is not a folder inside a repository")]
    Path(String),
}

impl SkillSourceError {
    /// Remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unknown(_) | Self::Protocol(_) => {
                "write OWNER/REPO, an address such as https://host/repo.git or git@host:repo.git, or a folder such as ./skills"
            }
            Self::Credentials => {
                "leave it out: git asks its credential helper, and the address is stored in a file that is committed"
            }
            Self::Reference(_) => "name a branch, a tag, or a commit with all its digits",
            Self::Path(_) => "write it relative to the top of the repository, without `..`",
        }
    }
}

/// Hosts whose pages of a folder have the address `/OWNER/REPO/tree/REF/PATH`.
const TREE_PAGES: [&str; 1] = ["github.com"];

impl GivenSource {
    /// Parses `OWNER/REPO[/PATH][@REF]`, an address with an optional `@REF`, or a folder that starts with `.` or `/`.
    ///
    /// # Errors
    /// See [`SkillSourceError`].
    pub fn parse(text: &str) -> Result<Self, SkillSourceError> {
        let text = text.trim();
        let is_plain = !text.is_empty() && !text.starts_with('-') && !text.chars().any(|c| c.is_control());
        if !is_plain {
            return Err(SkillSourceError::Unknown(shown(text)));
        }
        if text.starts_with(['.', '/']) {
            let (folder, reference) = split_reference(text);
            let reference = reference.map(checked_reference).transpose()?;
            return Ok(Self::Folder { folder: folder.to_owned(), reference });
        }
        if text.contains("://") {
            return parse_address(text).map(Self::Remote);
        }
        match text.split_once(':') {
            Some((host, path)) => parse_scp(text, host, path).map(Self::Remote),
            None => parse_shorthand(text).map(Self::Remote),
        }
    }
}

impl SkillSource {
    /// Checks a source that a lock names.
    ///
    /// # Errors
    /// See [`SkillSourceError`].
    pub fn checked(url: &str, path: &str, reference: Option<&str>) -> Result<Self, SkillSourceError> {
        check_url(url)?;
        let reference = reference.map(checked_reference).transpose()?;
        Ok(Self { url: url.to_owned(), path: checked_path(path)?, reference })
    }

    /// Replaces the folder and the reference by those that options name.
    ///
    /// # Errors
    /// See [`SkillSourceError`].
    pub fn with_options(mut self, path: Option<&str>, reference: Option<&str>) -> Result<Self, SkillSourceError> {
        if let Some(path) = path {
            self.path = checked_path(path)?;
        }
        if let Some(reference) = reference {
            self.reference = Some(checked_reference(reference)?);
        }
        Ok(self)
    }

    /// The last part of the address, without `.git`.
    pub fn repository_name(&self) -> &str {
        let last = self.url.trim_end_matches('/').rsplit(['/', ':']).next().expect("split is never empty");
        last.strip_suffix(".git").unwrap_or(last)
    }
}

impl fmt::Display for SkillSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)?;
        if !self.path.is_empty() {
            write!(f, " {}", self.path)?;
        }
        match &self.reference {
            Some(reference) => write!(f, " at {reference}"),
            None => Ok(()),
        }
    }
}

fn parse_address(text: &str) -> Result<SkillSource, SkillSourceError> {
    let (address, reference) = split_reference(text);
    let mut url = address.trim_end_matches('/').to_owned();
    let mut path = String::new();
    let mut reference = reference.map(str::to_owned);
    let page = url.strip_prefix("https://").and_then(|rest| rest.split_once('/'));
    if let Some((host, below)) = page.filter(|(host, _)| TREE_PAGES.contains(host)) {
        let parts: Vec<&str> = below.split('/').collect();
        if let [owner, repo, "tree", page_reference, folder @ ..] = parts.as_slice() {
            path = folder.join("/");
            reference = reference.or_else(|| Some((*page_reference).to_owned()));
            url = format!("https://{host}/{owner}/{repo}");
        }
    }
    if let Some((repository, folder)) = url.clone().split_once(".git/") {
        url = format!("{repository}.git");
        path = folder.to_owned();
    }
    SkillSource::checked(&url, &path, reference.as_deref())
}

/// `[USER@]HOST:PATH`, as ssh takes it.
fn parse_scp(text: &str, host: &str, path: &str) -> Result<SkillSource, SkillSourceError> {
    let (path, reference) = split_reference(path);
    let (repository, folder) = path.split_once(".git/").unwrap_or((path, ""));
    let ending = if path.contains(".git/") { ".git" } else { "" };
    if host.contains('/') {
        return Err(SkillSourceError::Unknown(shown(text)));
    }
    SkillSource::checked(&format!("{host}:{repository}{ending}"), folder, reference)
}

fn parse_shorthand(text: &str) -> Result<SkillSource, SkillSourceError> {
    let (path, reference) = split_reference(text);
    let unknown = || SkillSourceError::Unknown(shown(text));
    let mut parts = path.splitn(3, '/');
    let owner = parts.next().unwrap_or_default();
    let repo = parts.next().ok_or_else(unknown)?;
    let is_name = |name: &str| !name.is_empty() && !name.starts_with(['.', '-']) && name.chars().all(is_name_character);
    if !is_name(owner) || !is_name(repo) {
        return Err(unknown());
    }
    let repo = repo.strip_suffix(".git").unwrap_or(repo);
    SkillSource::checked(&format!("https://github.com/{owner}/{repo}"), parts.next().unwrap_or_default(), reference)
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Splits `@REF` off, which is after the last slash or colon of the repository: `git@host:repo` has none.
fn split_reference(text: &str) -> (&str, Option<&str>) {
    let authority = text.find("://").map_or(0, |at| text[at + 3..].find('/').map_or(text.len(), |end| at + 3 + end));
    match text[authority..].rfind('@') {
        Some(at) if authority + at > 0 => (&text[..authority + at], Some(&text[authority + at + 1..])),
        _ => (text, None),
    }
}

fn check_url(url: &str) -> Result<(), SkillSourceError> {
    let odd = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '?' | '#' | '\\' | '"' | '\'' | '`' | '$');
    if url.is_empty() || url.starts_with('-') || url.chars().any(odd) || url.contains("::") {
        return Err(SkillSourceError::Unknown(shown(url)));
    }
    let Some((protocol, rest)) = url.split_once("://") else {
        // `[USER@]HOST:PATH`
        let (host, path) = url.split_once(':').ok_or_else(|| SkillSourceError::Unknown(shown(url)))?;
        let is_valid = is_host(host) && !path.is_empty() && !path.starts_with('-');
        return if is_valid { Ok(()) } else { Err(SkillSourceError::Unknown(shown(url))) };
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().expect("split is never empty");
    let host_name = host.split(':').next().expect("split is never empty");
    match protocol {
        "file" if authority.is_empty() && !path.is_empty() => Ok(()),
        "https" | "http" if authority.contains('@') => Err(SkillSourceError::Credentials),
        "ssh" if authority.split('@').count() > 2 => Err(SkillSourceError::Credentials),
        "ssh" if authority.split_once('@').is_some_and(|(user, _)| user.contains(':')) => {
            Err(SkillSourceError::Credentials)
        }
        "https" | "ssh" if is_host_and_port(authority) && !path.is_empty() => Ok(()),
        "http" if matches!(host_name, "127.0.0.1" | "localhost") && is_host_and_port(authority) => Ok(()),
        "https" | "ssh" | "file" => Err(SkillSourceError::Unknown(shown(url))),
        other => Err(SkillSourceError::Protocol(shown(other))),
    }
}

/// `[USER@]HOST[:PORT]`. No part may look like an option.
fn is_host_and_port(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    is_host(host) && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_host(text: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && !name.starts_with('-') && name.chars().all(is_name_character);
    match text.split_once('@') {
        Some((user, host)) => is_name(user) && is_name(host),
        None => is_name(text),
    }
}

fn checked_reference(text: &str) -> Result<String, SkillSourceError> {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    let is_part = |part: &str| !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with(".lock");
    let is_valid = !text.chars().any(odd) && text.split('/').all(is_part) && !text.ends_with('.') && text != "@";
    if is_valid && !text.contains("..") && !text.contains("@{") {
        Ok(text.to_owned())
    } else {
        Err(SkillSourceError::Reference(shown(text)))
    }
}

fn checked_path(text: &str) -> Result<RepoPath, SkillSourceError> {
    let trimmed = text.trim_end_matches('/');
    let is_part = |part: &str| !matches!(part, "" | "." | "..") && !part.chars().any(char::is_control);
    if (trimmed.is_empty() || (!text.contains('\\') && trimmed.split('/').all(is_part)))
        && !(trimmed.is_empty() && text.starts_with('/'))
    {
        Ok(RepoPath::from(trimmed))
    } else {
        Err(SkillSourceError::Path(shown(text)))
    }
}

/// Whether a reference is a whole commit id, which never moves.
pub fn is_commit_id(reference: &str) -> bool {
    matches!(reference.len(), 40 | 64) && reference.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A text for messages: on one line, without what might be a password.
fn shown(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((protocol, _)), Some((_, host))) => format!("{protocol}://…@{host}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(String, String, Option<String>)> {
        match GivenSource::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")) {
            GivenSource::Remote(source) => Some((source.url, source.path.to_display(), source.reference)),
            GivenSource::Folder { .. } => None,
        }
    }

    #[test]
    fn addresses_and_shorthands() {
        for (text, url, path, reference) in [
            ("o/r", "https://github.com/o/r", "", None),
            ("o/r.git", "https://github.com/o/r", "", None),
            ("o/r/skills/pdf", "https://github.com/o/r", "skills/pdf", None),
            ("o/r/skills/pdf/@v1.2", "https://github.com/o/r", "skills/pdf", Some("v1.2")),
            ("o/r@feature/x", "https://github.com/o/r", "", Some("feature/x")),
            ("https://github.com/o/r/tree/main/skills/pdf", "https://github.com/o/r", "skills/pdf", Some("main")),
            ("https://host.example/a/b/c@v1", "https://host.example/a/b/c", "", Some("v1")),
            ("https://host.example:8443/c.git/skills/x@v1", "https://host.example:8443/c.git", "skills/x", Some("v1")),
            ("git@host.example:o/r.git", "git@host.example:o/r.git", "", None),
            ("git@host.example:o/r.git/skills/x@v1", "git@host.example:o/r.git", "skills/x", Some("v1")),
            ("ssh://git@host.example:22/o/r.git", "ssh://git@host.example:22/o/r.git", "", None),
            ("file:///srv/r.git@main", "file:///srv/r.git", "", Some("main")),
            ("http://127.0.0.1:8000/r.git", "http://127.0.0.1:8000/r.git", "", None),
        ] {
            let want = (url.to_owned(), path.to_owned(), reference.map(str::to_owned));
            assert_eq!(parsed(text), Some(want), "{text}");
        }
        for folder in ["./skills", "../other", "/srv/skills", "."] {
            assert_eq!(parsed(folder), None, "{folder}");
        }
    }

    #[test]
    fn nothing_reaches_git_as_an_option_or_another_protocol() {
        for text in [
            "",
            "-x",
            "--upload-pack=touch /tmp/x",
            "ext::sh -c touch% /tmp/x",
            "ext::sh/x",
            "fd::17",
            "git://host/x",
            "http://host.example/x",
            "https://-oProxyCommand=x/y",
            "ssh://-oProxyCommand=touch/x",
            "ssh://u@-oProxyCommand=x/y",
            "-oProxyCommand=x:y",
            "u@-host:x",
            "git@host:-x",
            "file://host/x",
            "file://",
            "https://host/x?token=y",
            "https://host/a b",
            "https://user:secret@host/x",
            "https://token@host/x",
            "ssh://u:secret@host/x",
            "onlyone",
            "o/r@--upload-pack=x",
            "o/r@a..b",
            "o/r@a:b",
            "o/r@",
            "o/r/../../x",
            "o/r/./x",
            "C:\\skills\\x",
            "o/r\n--x",
        ] {
            let parsed = GivenSource::parse(text);
            assert!(parsed.is_err(), "{text}: {parsed:?}");
        }
    }

    #[test]
    fn a_password_is_not_repeated_in_a_message() {
        for text in ["https://user:hunter2@host/x", "ftp://user:hunter2@host/x", "ssh://u:hunter2@host/x"] {
            let error = GivenSource::parse(text).unwrap_err();
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn options_replace_parts_of_a_source() {
        let source = SkillSource::checked("https://host/r.git", "a", Some("b")).unwrap();
        assert_eq!(source.repository_name(), "r");
        let other = source.clone().with_options(Some("@scope/x"), Some("v@1")).unwrap();
        assert_eq!((other.path.to_display().as_str(), other.reference.as_deref()), ("@scope/x", Some("v@1")));
        assert!(source.clone().with_options(Some("../x"), None).is_err());
        assert!(source.with_options(None, Some("-x")).is_err());
    }

    proptest::proptest! {
        #[test]
        fn accepted_addresses_are_never_options(text in "[-a-z@:/.+ ?=]{0,24}") {
            if let Ok(GivenSource::Remote(source)) = GivenSource::parse(&text) {
                let after_protocol = source.url.split_once("://").map_or(source.url.as_str(), |(_, rest)| rest);
                proptest::prop_assert!(!source.url.starts_with('-') && !after_protocol.starts_with('-'));
                let authority = after_protocol.split(['/', ':']).next().unwrap_or_default();
                proptest::prop_assert!(!source.url.contains("::") && !authority.contains("@-"));
                // What a lock stores can be read back.
                let path = source.path.to_display();
                proptest::prop_assert_eq!(SkillSource::checked(&source.url, &path, source.reference.as_deref()), Ok(source.clone()));
            }
        }
    }
}
