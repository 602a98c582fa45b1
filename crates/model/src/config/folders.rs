//! Folder patterns, expanded one path component at a time so that only matching folders are listed.

use super::problem::ValueError;
use globset::{GlobBuilder, GlobMatcher};

/// A pattern such as `packages/*`, relative to a folder.
#[derive(Clone, Debug)]
pub struct FolderPattern {
    names: Vec<PatternSegment>,
}

/// One component of a pattern.
#[derive(Clone, Debug)]
enum PatternSegment {
    Literal(String),
    Glob(GlobMatcher, String),
}

/// Whether a text contains a wildcard.
fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

impl FolderPattern {
    /// Parses a pattern without its leading `/` or `~/`.
    ///
    /// # Errors
    /// The pattern has empty, relative or recursive components, or an invalid glob.
    pub fn parse(text: &str) -> Result<Self, ValueError> {
        let names: Vec<&str> = text.trim_end_matches('/').split('/').collect();
        if names.iter().any(|name| matches!(*name, "" | "." | "..")) {
            return Err(ValueError::NotAFolderPattern { pattern: text.to_owned() });
        }
        if names.contains(&"**") {
            return Err(ValueError::RecursivePattern { pattern: text.to_owned() });
        }
        Ok(Self { names: names.into_iter().map(PatternSegment::parse).collect::<Result<_, _>>()? })
    }

    /// Whether it can match several folders.
    pub fn is_glob(&self) -> bool {
        self.names.iter().any(|name| matches!(name, PatternSegment::Glob(..)))
    }

    /// The folders below `top` that match. `join` descends by one name; `below` lists the subfolders of a folder and is
    /// called only for components with wildcards, so a pattern without wildcards may name a folder that does not exist.
    pub fn expand<F>(&self, top: F, join: impl Fn(&F, &str) -> F, below: impl Fn(&F) -> Vec<String>) -> Vec<F> {
        let mut folders = vec![top];
        for name in &self.names {
            let down = |folder: &F| match name {
                PatternSegment::Literal(name) => vec![join(folder, name)],
                PatternSegment::Glob(matcher, text) => {
                    let is_match = |name: &String| {
                        // As in a shell, hidden folders match only a pattern that starts with a dot.
                        matcher.is_match(name) && (text.starts_with('.') || !name.starts_with('.'))
                    };
                    let mut names: Vec<String> = below(folder).into_iter().filter(is_match).collect();
                    names.sort();
                    names.dedup();
                    names.iter().map(|name| join(folder, name)).collect()
                }
            };
            folders = folders.iter().flat_map(down).collect();
        }
        folders
    }
}

impl PatternSegment {
    fn parse(text: &str) -> Result<Self, ValueError> {
        if !is_glob(text) {
            return Ok(Self::Literal(text.to_owned()));
        }
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
        let glob =
            glob.map_err(|e| ValueError::InvalidGlob { pattern: text.to_owned(), reason: e.kind().to_string() })?;
        Ok(Self::Glob(glob.compile_matcher(), text.to_owned()))
    }
}

/// A pattern of `canons`.
pub(super) fn canon(text: &str) -> Result<FolderPattern, ValueError> {
    if text.split('/').any(|name| name.eq_ignore_ascii_case(".git")) {
        return Err(ValueError::OutsideRepository { pattern: text.to_owned() });
    }
    FolderPattern::parse(text)
}

/// A pattern of `repositories`, which is relative to the root or the home folder after its prefix.
pub(super) fn repository(text: &str) -> Result<FolderPattern, ValueError> {
    let below = text.strip_prefix("~/").or_else(|| text.strip_prefix('/'));
    let below = below.ok_or_else(|| ValueError::NotAbsolute { pattern: text.to_owned() })?;
    FolderPattern::parse(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use canonry_text::{RepoPath, Source};

    /// The folders that a pattern matches.
    fn expand(pattern: &str) -> Vec<String> {
        let folders = ["packages/b", "packages/a/src", "packages/.hidden", "apps/web/agent", "apps/.x"];
        let below = |folder: &String| {
            let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let below = folders.iter().filter_map(|path| path.strip_prefix(&prefix));
            below.filter_map(|path| path.split('/').next()).map(str::to_owned).collect::<Vec<_>>()
        };
        let join =
            |folder: &String, name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        FolderPattern::parse(pattern).unwrap().expand(String::new(), join, below)
    }

    #[test]
    fn expands_component_by_component() {
        for (pattern, want) in [
            ("packages/*", vec!["packages/a", "packages/b"]),
            ("packages/.*", vec!["packages/.hidden"]),
            ("packages/[b-z]/", vec!["packages/b"]),
            ("{apps,packages}/{web,a}", vec!["apps/web", "packages/a"]),
            ("services/api", vec!["services/api"]),
            ("nothing/*", vec![]),
        ] {
            assert_eq!(expand(pattern), want, "{pattern}");
        }
    }

    #[test]
    fn reports_invalid_patterns() {
        let problems = |text: &str| {
            let source = Source::new(RepoPath::from("canonry.yaml"), text.to_owned());
            let found = Config::parse(&source, &[]).unwrap_err();
            let message = |p: &crate::config::ConfigProblem| format!("{}: {}", source.slice(p.span), p.message);
            found.iter().map(message).collect::<Vec<_>>()
        };
        for (text, at, says) in [
            ("canons: [packages/*, ../x]\n", "../x", "is not a folder pattern"),
            ("canons: [/packages]\n", "/packages", "is not a folder pattern"),
            ("canons: ['packages/**']\n", "'packages/**'", "give the depth"),
            ("canons: ['a[b']\n", "'a[b'", "is not a valid glob"),
            ("canons: [.git/hooks]\n", ".git/hooks", "not a folder in this repository"),
            ("repositories: [work/*]\n", "work/*", "must begin with"),
            ("repositories: ['~/code/../x']\n", "'~/code/../x'", "is not a folder pattern"),
        ] {
            let found = problems(text);
            assert!(found.len() == 1 && found[0].starts_with(&format!("{at}: ")), "{text}: {found:?}");
            assert!(found[0].contains(says), "{text}: {found:?}");
        }
    }
}
