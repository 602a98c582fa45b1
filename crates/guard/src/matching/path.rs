//! Resolves the paths that commands name, without accessing the file system.

use globset::{GlobBuilder, GlobMatcher};

/// Returns a word as an absolute path or a path below `~`; `None` if the word is relative to an unknown folder.
pub fn resolve(cwd: Option<&str>, word: &str) -> Option<String> {
    if word.starts_with('/') || word == "~" || word.starts_with("~/") {
        return Some(normalize(word));
    }
    // The home folder of a user.
    if let Some(user) = word.strip_prefix('~') {
        return Some(normalize(&format!("/home/{user}")));
    }
    cwd.map(|cwd| normalize(&format!("{cwd}/{word}")))
}

/// Removes `.`, `..` and double slashes.
fn normalize(path: &str) -> String {
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

/// The position of a path relative to the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathScope {
    /// A path relative to the root of the repository; empty for the root itself.
    Inside(String),
    /// An absolute path.
    Outside(String),
    /// A path below an unknown folder.
    Unresolved(String),
}

/// The folders that paths are resolved against.
#[derive(Clone, Debug, Default)]
pub struct PathRoots {
    /// The root of the repository.
    pub top: String,
    /// The root without symbolic links, if that differs.
    pub real: Option<String>,
    /// The home folder of the user, if known.
    pub home: Option<String>,
    /// Other folders that the session works in: workspace folders, and the repository around the current folder.
    pub others: Vec<String>,
}

impl PathRoots {
    /// Locates the path that a word names.
    pub fn locate(&self, cwd: Option<&str>, word: &str) -> PathScope {
        let Some(path) = resolve(cwd, word) else {
            return PathScope::Unresolved(normalize(&format!("/{word}"))[1..].to_owned());
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

    /// Checks whether an absolute path is below another folder of the session.
    pub fn is_in_other(&self, path: &str) -> bool {
        let below = |other: &String| {
            path.strip_prefix(other.as_str()).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
        };
        self.others.iter().any(below)
    }
}

impl PathScope {
    /// Returns the path; relative to the root if it is inside the repository.
    pub fn text(&self) -> &str {
        match self {
            Self::Inside(path) | Self::Outside(path) | Self::Unresolved(path) => path,
        }
    }

    /// Checks whether this is, or might be, a file of the repository.
    pub fn is(&self, path: &str) -> bool {
        match self {
            Self::Inside(own) => own.eq_ignore_ascii_case(path),
            Self::Outside(_) => false,
            Self::Unresolved(own) => ends_with(path, own),
        }
    }

    /// Checks whether this contains, or might contain, a file of the repository.
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

/// Checks whether a path ends with these components.
fn ends_with(path: &str, end: &str) -> bool {
    !end.is_empty() && format!("/{}", path.to_lowercase()).ends_with(&format!("/{}", end.to_lowercase()))
}

/// Checks whether a path is a folder or inside it. The comparison ignores case, as many file systems do.
pub fn starts_with(path: &str, folder: &str) -> bool {
    let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
    // Most paths are ASCII, and every call of an agent is compared with many folders.
    if path.is_ascii() && folder.is_ascii() {
        return path
            .split_at_checked(folder.len())
            .is_some_and(|(start, rest)| start.eq_ignore_ascii_case(folder) && is_below(rest));
    }
    path.to_lowercase().strip_prefix(&folder.to_lowercase()).is_some_and(is_below)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// Compiles a shell pattern; `None` if it is invalid. Callers compare the text as a name first.
pub fn glob(pattern: &str) -> Option<GlobMatcher> {
    let built = GlobBuilder::new(pattern).literal_separator(true).case_insensitive(true).empty_alternates(true).build();
    built.ok().map(|glob| glob.compile_matcher())
}

/// Checks whether a policy pattern covers a path. A pattern without `/` can match any component; any other is relative
/// to the root.
pub fn covers(pattern: &str, place: &PathScope) -> bool {
    let folder = pattern.strip_suffix('/').unwrap_or(pattern);
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    let path = place.text();
    let is_named = || {
        if folder.contains('/') {
            starts_with(path, folder)
        } else {
            path.split('/').any(|name| name.eq_ignore_ascii_case(folder))
        }
    };
    if !is_pattern(folder) {
        return is_named();
    }
    if !folder.contains(['?', '[', '{', '\\']) {
        let folder = folder.to_lowercase();
        let path = path.to_lowercase();
        return if folder.contains('/') {
            path_has_stars(&folder, &path)
        } else {
            path.split('/').any(|name| has_stars(&folder, name))
        };
    }
    // A name may contain the characters of a pattern: `app/[id]/page.tsx`. An invalid pattern is only a name.
    if is_named() {
        return true;
    }
    let Some(matcher) = glob(folder) else { return false };
    if folder.contains('/') {
        let mut ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        return ends.any(|end| matcher.is_match(&path[..end]));
    }
    path.split('/').any(|name| matcher.is_match(name))
}

/// Matches a path, or a folder above it, with a pattern whose only wildcards are `*` and `**`.
fn path_has_stars(pattern: &str, path: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('/') else {
        // What is below a folder that the pattern names is covered too.
        let name = path.split('/').next().expect("split is never empty");
        return if pattern == "**" { !path.is_empty() } else { has_stars(pattern, name) };
    };
    if first == "**" && path_has_stars(rest, path) {
        return true;
    }
    let Some((name, below)) = path.split_once('/') else { return false };
    if first == "**" { path_has_stars(pattern, below) } else { has_stars(first, name) && path_has_stars(rest, below) }
}

/// Matches a pattern whose only wildcard is `*`. Compiling a pattern takes longer than many of these comparisons.
fn has_stars(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered_by_glob(pattern: &str, path: &str) -> bool {
        let matcher = glob(pattern).unwrap();
        path.match_indices('/').map(|(at, _)| at).chain([path.len()]).any(|end| matcher.is_match(&path[..end]))
    }

    proptest::proptest! {
        #[test]
        fn stars_mean_the_same_as_in_globs(pattern in "(a|b|\\*|\\*\\*|a\\*|\\*b|B)(/(a|b|\\*|\\*\\*|a\\*|\\*b|é)){1,4}", path in "(a|b|ab|É)(/(a|b|ab|A)){0,5}") {
            let (lower, own) = (pattern.to_lowercase(), path.to_lowercase());
            proptest::prop_assert_eq!(path_has_stars(&lower, &own), covered_by_glob(&lower, &own), "{} {}", pattern, path);
        }
    }

    #[test]
    fn names_with_the_characters_of_patterns_are_covered() {
        for (pattern, path, want) in [
            ("app/[id]/page.tsx", "app/[id]/page.tsx", true),
            ("app/[id]/page.tsx", "app/i/page.tsx", true),
            ("app/[id]", "app/[id]/page.tsx", true),
            ("app/[id", "app/[id/page.tsx", true),
            ("[id", "app/[id/page.tsx", true),
            ("[id]", "app/[id]/page.tsx", true),
            ("app/[id]/page.tsx", "app/[slug]/page.tsx", false),
        ] {
            assert_eq!(covers(pattern, &PathScope::Inside(path.to_owned())), want, "{pattern} {path}");
        }
    }

    #[test]
    fn stars_match_any_text() {
        for (pattern, name, want) in [
            (".env.*", ".env.local", true),
            (".env.*", ".env", false),
            (".env*", ".env", true),
            ("*.pem", "a.pem", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxc", false),
            ("a*a", "a", false),
            ("a**", "ab", true),
            ("plain", "plain", true),
        ] {
            assert_eq!(has_stars(pattern, name), want, "{pattern} {name}");
        }
    }
}
