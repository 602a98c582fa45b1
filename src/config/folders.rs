//! Patterns that name folders, one name at a time: nothing is walked but what a pattern asks for.

use super::problem::ConfigProblem;
use crate::syntax::node::Node;
use globset::{GlobBuilder, GlobMatcher};

/// A pattern such as `packages/*`, relative to some folder.
#[derive(Clone, Debug)]
pub struct FolderPattern {
    names: Vec<PatternSegment>,
}

/// One name of a pattern.
#[derive(Clone, Debug)]
enum PatternSegment {
    Literal(String),
    Glob(GlobMatcher, String),
}

/// Whether a text has something that stands for other characters.
fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

impl FolderPattern {
    /// Reads a pattern without the `/` or `~/` that it may begin with.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let names: Vec<&str> = text.trim_end_matches('/').split('/').collect();
        if names.iter().any(|name| matches!(*name, "" | "." | "..")) {
            return Err(format!("`{text}` names no folder: write its names with single slashes, as in `packages/*`"));
        }
        if names.contains(&"**") {
            return Err(format!("`{text}`: `**` is not understood here; say how deep, as in `packages/*`"));
        }
        Ok(Self { names: names.into_iter().map(PatternSegment::parse).collect::<Result<_, _>>()? })
    }

    /// Whether it may name several folders.
    pub fn is_glob(&self) -> bool {
        self.names.iter().any(|name| matches!(name, PatternSegment::Glob(..)))
    }

    /// The folders that it names below `top`: `join` goes down by a name, `below` gives the names of a folder's own folders,
    /// and is asked only where a name of the pattern stands for several. What has no such name may not exist.
    pub fn expand<F>(&self, top: F, join: impl Fn(&F, &str) -> F, below: impl Fn(&F) -> Vec<String>) -> Vec<F> {
        let mut folders = vec![top];
        for name in &self.names {
            let down = |folder: &F| match name {
                PatternSegment::Literal(name) => vec![join(folder, name)],
                PatternSegment::Glob(matcher, text) => {
                    let is_meant = |name: &String| {
                        // As in a shell: what is hidden is named by a dot only.
                        matcher.is_match(name) && (text.starts_with('.') || !name.starts_with('.'))
                    };
                    let mut names: Vec<String> = below(folder).into_iter().filter(is_meant).collect();
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
    fn parse(text: &str) -> Result<Self, String> {
        if !is_glob(text) {
            return Ok(Self::Literal(text.to_owned()));
        }
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
        let glob = glob.map_err(|e| format!("`{text}` is no pattern: {}", e.kind()))?;
        Ok(Self::Glob(glob.compile_matcher(), text.to_owned()))
    }
}

/// What is wrong with `canons` and `repositories`, which the schema cannot know.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let mut found = Vec::new();
    for (key, read) in [("canons", canon as fn(&str) -> Result<FolderPattern, String>), ("repositories", repository)] {
        for pattern in root.get(key).and_then(Node::as_sequence).unwrap_or_default() {
            let problem = pattern.as_str().and_then(|text| read(text).err());
            found.extend(problem.map(|message| ConfigProblem { span: pattern.span, message }));
        }
    }
    found
}

fn canon(text: &str) -> Result<FolderPattern, String> {
    if text.split('/').any(|name| name.eq_ignore_ascii_case(".git")) {
        return Err(format!("`{text}` is no folder of this repository"));
    }
    FolderPattern::parse(text)
}

/// Without what it begins with, it is relative to the root or to the home.
fn repository(text: &str) -> Result<FolderPattern, String> {
    let below = text.strip_prefix("~/").or_else(|| text.strip_prefix('/'));
    let below =
        below.ok_or_else(|| format!("`{text}` must begin with `~/` or `/`: it is read wherever canonry runs"))?;
    FolderPattern::parse(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::syntax::{RepoPath, Source};

    /// What a pattern names among some folders.
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
    fn names_folders_one_name_at_a_time() {
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
    fn points_at_what_names_no_folder() {
        let wrong = |text: &str| {
            let source = Source::new(RepoPath::from("canonry.yaml"), text.to_owned());
            let problems = Config::parse(&source, &[]).unwrap_err();
            let said = |p: &ConfigProblem| format!("{}: {}", source.slice(p.span), p.message);
            problems.iter().map(said).collect::<Vec<_>>()
        };
        for (text, at, says) in [
            ("canons: [packages/*, ../x]\n", "../x", "names no folder"),
            ("canons: [/packages]\n", "/packages", "names no folder"),
            ("canons: ['packages/**']\n", "'packages/**'", "say how deep"),
            ("canons: ['a[b']\n", "'a[b'", "is no pattern"),
            ("canons: [.git/hooks]\n", ".git/hooks", "no folder of this repository"),
            ("repositories: [work/*]\n", "work/*", "must begin with"),
            ("repositories: ['~/code/../x']\n", "'~/code/../x'", "names no folder"),
        ] {
            let found = wrong(text);
            assert!(found.len() == 1 && found[0].starts_with(&format!("{at}: ")), "{text}: {found:?}");
            assert!(found[0].contains(says), "{text}: {found:?}");
        }
    }
}
