//! Patterns for paths that `check` leaves out.

use super::problem::ValueError;
use canonry_text::RepoPath;
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

/// Patterns as in `.gitignore`: a pattern without a slash matches a name at any depth, one with a slash a path from the
/// top of the repository. What is below a match matches too, `!` includes again, and the last match decides.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct ExcludePatterns {
    patterns: Vec<ExcludePattern>,
}

#[derive(Clone, Debug)]
pub(super) struct ExcludePattern {
    text: String,
    /// Whether the pattern includes paths again.
    includes: bool,
    matcher: GlobMatcher,
}

/// Match of patterns with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternMatch<'a> {
    /// This pattern excludes it.
    Excluded(&'a str),
    /// A pattern with `!` includes it.
    Included,
    /// No pattern matches.
    None,
}

impl PartialEq for ExcludePatterns {
    fn eq(&self, other: &Self) -> bool {
        let texts = |patterns: &Self| patterns.patterns.iter().map(|pattern| pattern.text.clone()).collect::<Vec<_>>();
        texts(self) == texts(other)
    }
}

impl TryFrom<Vec<String>> for ExcludePatterns {
    type Error = ValueError;

    fn try_from(texts: Vec<String>) -> Result<Self, ValueError> {
        let patterns = texts.into_iter().map(ExcludePattern::parse).collect::<Result<_, _>>()?;
        Ok(Self { patterns })
    }
}

impl ExcludePatterns {
    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Match of the patterns with a path, or with a folder between `top` and the path. `top` itself and everything
    /// above it are not looked at, because the user named it.
    pub fn find(&self, path: &RepoPath, top: &RepoPath) -> PatternMatch<'_> {
        if self.patterns.is_empty() {
            return PatternMatch::None;
        }
        let below = || std::iter::successors(Some(path.clone()), RepoPath::parent).take_while(|part| part != top);
        let is_match = |pattern: &&ExcludePattern| {
            below().any(|part| {
                // A name that the system cannot have is not excluded.
                let part = gix_path::from_bstr(part.as_bstr()).map(|part| pattern.matcher.is_match(part.as_ref()));
                part.unwrap_or_default()
            })
        };
        match self.patterns.iter().rev().find(is_match) {
            Some(pattern) if pattern.includes => PatternMatch::Included,
            Some(pattern) => PatternMatch::Excluded(&pattern.text),
            None => PatternMatch::None,
        }
    }
}

impl ExcludePattern {
    pub(super) fn parse(text: String) -> Result<Self, ValueError> {
        let (includes, path) = match text.strip_prefix('!') {
            Some(path) => (true, path),
            None => (false, text.as_str()),
        };
        let path = path.trim_end_matches('/');
        let is_anchored = path.contains('/');
        let path = path.strip_prefix('/').unwrap_or(path);
        if path.is_empty() || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(ValueError::NotRelative { pattern: text });
        }
        let glob = if is_anchored { path.to_owned() } else { format!("**/{path}") };
        let glob = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build();
        match glob {
            Ok(glob) => Ok(Self { includes, matcher: glob.compile_matcher(), text }),
            Err(error) => Err(ValueError::InvalidGlob { reason: error.kind().to_string(), pattern: text }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use canonry_text::Source;

    fn patterns(texts: &[&str]) -> ExcludePatterns {
        ExcludePatterns::try_from(texts.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_last_matching_pattern_decides() {
        use PatternMatch::{Excluded, Included, None};
        for (texts, path, top, want) in [
            (&["old"][..], "a/old/b/SKILL.md", "", Excluded("old")),
            (&["old/"], "old", "", Excluded("old/")),
            (&["old"], "a/older/b", "", None),
            (&["docs/old"], "docs/old/a", "", Excluded("docs/old")),
            (&["docs/old"], "a/docs/old/a", "", None),
            (&["/old"], "old/a", "", Excluded("/old")),
            (&["/old"], "a/old", "", None),
            (&["docs/*/*.md"], "docs/a/b.md", "", Excluded("docs/*/*.md")),
            (&["docs/*"], "docs/a/b.md", "", Excluded("docs/*")),
            (&["docs/**/x"], "docs/a/b/x/y", "", Excluded("docs/**/x")),
            (&["*-copy"], "skills/a-copy/SKILL.md", "", Excluded("*-copy")),
            (&["old", "!old/kept"], "old/kept/a", "", Included),
            (&["old", "!old/kept"], "old/a", "", Excluded("old")),
            (&["!old/kept", "old"], "old/kept/a", "", Excluded("old")),
            // A named folder is checked, but patterns still apply below it.
            (&["old"], "old/a", "old", None),
            (&["old"], "old/a", "old/a", None),
            (&["old"], "old/a/old/b", "old", Excluded("old")),
            (&["old/a"], "old/a/b", "old", Excluded("old/a")),
        ] {
            assert_eq!(
                patterns(texts).find(&RepoPath::from(path), &RepoPath::from(top)),
                want,
                "{texts:?} {path} {top}"
            );
        }
    }

    #[test]
    fn reports_invalid_patterns() {
        for (text, at, says) in [
            ("exclude: ['a[b']\n", "'a[b'", "is not a valid glob"),
            ("exclude: [ok, ../x]\n", "../x", "matches no path"),
            ("exclude: ['!']\n", "'!'", "matches no path"),
            ("exclude: ['/']\n", "'/'", "matches no path"),
        ] {
            let source = Source::new(RepoPath::from("canonry.yaml"), text.to_owned());
            let found = Config::parse(&source, &[]).unwrap_err();
            assert_eq!(source.slice(found[0].span), at, "{text}");
            assert!(found.len() == 1 && found[0].message.contains(says), "{found:?}");
        }
    }
}
