//! Paths by their text alone: whatever a command names, from the top of the repository.

use globset::{GlobBuilder, GlobMatcher};

/// A word as an absolute path, or as one below `~`; `None` where the folder is unknown that it is relative to.
pub fn resolve(cwd: Option<&str>, word: &str) -> Option<String> {
    if word.starts_with('/') || word == "~" || word.starts_with("~/") {
        return Some(normal(word));
    }
    // Somebody's home.
    if let Some(user) = word.strip_prefix('~') {
        return Some(normal(&format!("/home/{user}")));
    }
    cwd.map(|cwd| normal(&format!("{cwd}/{word}")))
}

/// Without `.`, `..` and doubled slashes.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let (root, rest) = match path.strip_prefix('~') {
        Some(rest) => ("~", rest),
        None => ("", path),
    };
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (root, joined.is_empty()) {
        ("~", true) => "~".to_owned(),
        (_, true) => "/".to_owned(),
        (root, false) => format!("{root}/{joined}"),
    }
}

/// Where a path lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathScope {
    /// In the repository, from its top; empty for the top itself.
    Inside(String),
    /// Elsewhere, in full.
    Outside(String),
    /// Below a folder that is not known.
    Unresolved(String),
}

/// The folders that paths are told from.
#[derive(Clone, Debug, Default)]
pub struct PathRoots {
    /// The top of the repository.
    pub top: String,
    /// The same without links in it, where that differs.
    pub real: Option<String>,
    /// The home of the user, where it is known.
    pub home: Option<String>,
}

impl PathRoots {
    /// Where a word leads.
    pub fn place(&self, cwd: Option<&str>, word: &str) -> PathScope {
        let Some(path) = resolve(cwd, word) else {
            return PathScope::Unresolved(normal(&format!("/{word}"))[1..].to_owned());
        };
        let full = match (path.strip_prefix('~'), &self.home) {
            (Some(rest), Some(home)) => format!("{home}{rest}"),
            _ => path,
        };
        let below = |top: &String| match full.strip_prefix(top.as_str()) {
            Some("") => Some(String::new()),
            Some(rest) => rest.strip_prefix('/').map(str::to_owned),
            None => None,
        };
        let inside = below(&self.top).or_else(|| self.real.as_ref().and_then(below));
        inside.map_or(PathScope::Outside(full), PathScope::Inside)
    }
}

impl PathScope {
    /// As text, from the top where it lies inside.
    pub fn text(&self) -> &str {
        match self {
            Self::Inside(path) | Self::Outside(path) | Self::Unresolved(path) => path,
        }
    }

    /// Whether it is this file of the repository, or might be.
    pub fn is(&self, path: &str) -> bool {
        match self {
            Self::Inside(own) => own.eq_ignore_ascii_case(path),
            Self::Outside(_) => false,
            Self::Unresolved(own) => ends_with(path, own),
        }
    }

    /// Whether this file of the repository lies in it.
    pub fn holds(&self, path: &str) -> bool {
        match self {
            Self::Inside(own) => own.is_empty() || starts_with(path, own),
            Self::Outside(_) => false,
            Self::Unresolved(own) => {
                own.is_empty() || format!("/{}/", path.to_lowercase()).contains(&format!("/{}/", own.to_lowercase()))
            }
        }
    }
}

/// Whether the last folders of a path are these.
fn ends_with(path: &str, end: &str) -> bool {
    !end.is_empty() && format!("/{}", path.to_lowercase()).ends_with(&format!("/{}", end.to_lowercase()))
}

/// Whether a path is this folder or lies in it; case is not told apart, as many file systems do not.
pub fn starts_with(path: &str, folder: &str) -> bool {
    let (path, folder) = (path.to_lowercase(), folder.to_lowercase());
    path.strip_prefix(&folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a text is a pattern of the shell and not a name.
fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// A pattern as a shell has it; one that is none matches itself.
pub fn glob(pattern: &str) -> Option<GlobMatcher> {
    let built = GlobBuilder::new(pattern).literal_separator(true).case_insensitive(true).empty_alternates(true).build();
    built.ok().map(|glob| glob.compile_matcher())
}

/// Whether a pattern of a page covers a path: by any of its names where it has no `/`, else from the top.
pub fn covers(pattern: &str, place: &PathScope) -> bool {
    let folder = pattern.strip_suffix('/').unwrap_or(pattern);
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    let path = place.text();
    if !is_pattern(folder) {
        return if folder.contains('/') {
            starts_with(path, folder)
        } else {
            path.split('/').any(|name| name.eq_ignore_ascii_case(folder))
        };
    }
    let Some(matcher) = glob(folder) else { return false };
    if folder.contains('/') {
        let mut ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        return ends.any(|end| matcher.is_match(&path[..end]));
    }
    path.split('/').any(|name| matcher.is_match(name))
}
