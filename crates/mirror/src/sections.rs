//! Sections of a SKILL.md for some tools only, marked by two comments on lines of their own.

use super::tool_names::{ToolList, UnknownTool};
use canonry_model::config::Target;
use canonry_text::{Span, frontmatter, markdown};

/// The prefix of section comments. Suppression comments use the same prefix.
pub const MARK: &str = "canonry:";

/// The tool-specific sections of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    /// In file order. Sections neither touch nor nest.
    pub sections: Vec<ToolSection>,
    /// Invalid comments. If there are any, the text cannot be rendered for a tool.
    pub errors: Vec<SectionError>,
}

/// A section for some tools only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSection {
    /// All lines, including those of the two comments.
    pub span: Span,
    audience: Audience,
}

/// The tools that a section is for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Audience {
    Only(Vec<Target>),
    Except(Vec<Target>),
}

impl ToolSection {
    /// Whether a tool gets the section.
    pub fn is_for(&self, target: Target) -> bool {
        match &self.audience {
            Audience::Only(tools) => tools.contains(&target),
            Audience::Except(tools) => !tools.contains(&target),
        }
    }
}

/// An invalid section comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionError {
    /// The comment, or the name in it.
    pub span: Span,
    pub kind: SectionErrorKind,
}

/// Problem of a section comment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SectionErrorKind {
    #[error("the section that starts here has no `<!-- canonry: end -->`")]
    Unclosed,
    #[error("this section starts inside another one; sections cannot be nested")]
    Nested,
    #[error("this `end` has no matching start")]
    UnmatchedEnd,
    #[error("the comment names no tool")]
    NoTool,
    #[error("{0}")]
    UnknownTool(UnknownTool),
    #[error("unknown word `{0}`; use `only`, `except`, `end` or `allow`")]
    UnknownWord(String),
    #[error("unexpected text after `end`")]
    EndWithWords,
    /// The comment shares its line with other text, or has several lines.
    #[error("the comment must be alone on one line")]
    NotAlone,
}

enum SectionMark {
    Start(Audience),
    End,
}

impl Sections {
    /// Parses the text of a SKILL.md; `configured` are the targets of the config. Comments in code blocks are ordinary text.
    pub fn parse(text: &str, configured: &[Target]) -> Self {
        let mut parsed = Self::default();
        if !text.contains(MARK) {
            return parsed;
        }
        let body = frontmatter::split(text).map_or(Span::new(0, text.len()), |front| front.body);
        let mut open: Option<(Span, Audience)> = None;
        for comment in markdown::outline(&text[body.range()], body.offset).comments {
            match parse_mark(text, comment, configured, &mut parsed.errors) {
                None => {}
                Some(SectionMark::Start(_)) if open.is_some() => parsed.error(comment, SectionErrorKind::Nested),
                Some(SectionMark::Start(audience)) => open = Some((comment, audience)),
                Some(SectionMark::End) => match open.take() {
                    None => parsed.error(comment, SectionErrorKind::UnmatchedEnd),
                    Some((start, audience)) => {
                        let span = Span::new(lines_of(text, start).offset, lines_of(text, comment).end());
                        parsed.sections.push(ToolSection { span, audience });
                    }
                },
            }
        }
        if let Some((start, _)) = open {
            parsed.error(start, SectionErrorKind::Unclosed);
        }
        parsed.errors.sort_by_key(|error| error.span);
        parsed
    }

    /// Returns the text without the sections for other tools; `None` if nothing is removed.
    pub fn without(&self, text: &str, target: Target) -> Option<String> {
        let removed: Vec<&ToolSection> = self.sections.iter().filter(|section| !section.is_for(target)).collect();
        if removed.is_empty() {
            return None;
        }
        let mut rest = String::with_capacity(text.len());
        let mut at = 0;
        for section in removed {
            rest.push_str(&text[at..section.span.offset]);
            at = section.span.end();
        }
        rest.push_str(&text[at..]);
        Some(rest)
    }

    fn error(&mut self, span: Span, kind: SectionErrorKind) {
        self.errors.push(SectionError { span, kind });
    }
}

/// Parses a comment; `None` if it is no section comment or is too broken to act on.
fn parse_mark(text: &str, comment: Span, configured: &[Target], errors: &mut Vec<SectionError>) -> Option<SectionMark> {
    let inner = text[comment.range()].strip_prefix("<!--")?;
    let inner = inner.strip_suffix("-->").unwrap_or(inner);
    let words = inner.trim_start().strip_prefix(MARK)?.trim();
    let (word, rest) = words.split_at(words.find(char::is_whitespace).unwrap_or(words.len()));
    if matches!(word, "allow" | "allow-file") {
        return None;
    }
    let mut error = |span: Span, kind: SectionErrorKind| errors.push(SectionError { span, kind });
    let mark = match word {
        "end" if rest.trim().is_empty() => SectionMark::End,
        "end" => {
            error(comment, SectionErrorKind::EndWithWords);
            SectionMark::End
        }
        "only" | "except" => {
            let offset = rest.as_ptr().addr() - text.as_ptr().addr();
            let ToolList { tools, unknown } = ToolList::parse(rest, configured);
            for (span, unknown) in unknown {
                error(span.shifted(offset), SectionErrorKind::UnknownTool(unknown));
            }
            if rest.trim().is_empty() {
                error(comment, SectionErrorKind::NoTool);
            }
            SectionMark::Start(if word == "only" { Audience::Only(tools) } else { Audience::Except(tools) })
        }
        other => {
            error(comment, SectionErrorKind::UnknownWord(other.to_owned()));
            return None;
        }
    };
    let whole = &text[comment.range()];
    if whole.contains('\n') || text[lines_of(text, comment).range()].trim() != whole {
        error(comment, SectionErrorKind::NotAlone);
    }
    Some(mark)
}

/// Extends a span to whole lines, including the last line ending.
fn lines_of(text: &str, span: Span) -> Span {
    let start = text[..span.offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end()..].find('\n').map_or(text.len(), |at| span.end() + at + 1);
    Span::new(start, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str, target: Target) -> Option<String> {
        let sections = Sections::parse(text, &[]);
        assert_eq!(sections.errors, []);
        sections.without(text, target)
    }

    #[test]
    fn a_tool_gets_its_sections_and_the_rest_unchanged() {
        let text = "---\nname: a\n---\r\n\nx\n\n<!-- canonry: only claude, codex -->\nfor two\r\n<!-- canonry: end -->\n\n\
                    - y\n  <!--canonry: except gemini-->\n  not for gemini\n  <!-- canonry: end -->\nz";
        for target in [Target::CLAUDE, Target::CODEX] {
            assert_eq!(shown(text, target), None);
        }
        assert_eq!(shown(text, Target::GEMINI).as_deref(), Some("---\nname: a\n---\r\n\nx\n\n\n- y\nz"));
        let cursor = "---\nname: a\n---\r\n\nx\n\n\n- y\n  <!--canonry: except gemini-->\n  not for gemini\n  \
                      <!-- canonry: end -->\nz";
        assert_eq!(shown(text, Target::CURSOR).as_deref(), Some(cursor));
    }

    #[test]
    fn comments_in_code_and_suppressions_are_no_sections() {
        for text in [
            "```\n<!-- canonry: only claude -->\n```\n",
            "    <!-- canonry: end -->\n",
            "`<!-- canonry: only x -->`\n",
            "<!-- canonry: allow secret a placeholder -->\n",
            "<!-- canonry only claude -->\n",
        ] {
            assert_eq!(Sections::parse(text, &[]), Sections::default(), "{text}");
        }
    }

    #[test]
    fn reports_invalid_comments() {
        let unknown = |name: &str| SectionErrorKind::UnknownTool(UnknownTool { name: name.to_owned() });
        for (text, span, kind) in [
            ("<!-- canonry: only claude -->\nx\n", "<!-- canonry: only claude -->", SectionErrorKind::Unclosed),
            ("<!-- canonry: end -->\n", "<!-- canonry: end -->", SectionErrorKind::UnmatchedEnd),
            ("<!-- canonry: only -->\n<!-- canonry: end -->\n", "<!-- canonry: only -->", SectionErrorKind::NoTool),
            ("<!-- canonry: only claud -->\n<!-- canonry: end -->\n", "claud", unknown("claud")),
            (
                "a <!-- canonry: only claude -->\nx\n<!-- canonry: end -->\n",
                "<!-- canonry: only claude -->",
                SectionErrorKind::NotAlone,
            ),
            (
                "<!--\ncanonry: only claude\n-->\nx\n<!-- canonry: end -->\n",
                "<!--\ncanonry: only claude\n-->",
                SectionErrorKind::NotAlone,
            ),
            (
                "<!-- canonry: olny claude -->\n",
                "<!-- canonry: olny claude -->",
                SectionErrorKind::UnknownWord("olny".to_owned()),
            ),
            (
                "<!-- canonry: only claude -->\n<!-- canonry: except codex -->\n<!-- canonry: end -->\n",
                "<!-- canonry: except codex -->",
                SectionErrorKind::Nested,
            ),
            (
                "<!-- canonry: only claude -->\n<!-- canonry: end x -->\n",
                "<!-- canonry: end x -->",
                SectionErrorKind::EndWithWords,
            ),
        ] {
            let errors = Sections::parse(text, &[]).errors;
            let found: Vec<_> = errors.iter().map(|p| (&text[p.span.range()], p.kind.clone())).collect();
            assert_eq!(found, [(span, kind)], "{text}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            4 => "[a-c#*> `-]{0,5}",
            1 => Just("```".to_owned()),
            1 => Just("    code".to_owned()),
            1 => Just("<pre>".to_owned()),
            2 => Just("<!-- canonry: only claude -->".to_owned()),
            1 => Just("  <!-- canonry: except claude gemini -->".to_owned()),
            3 => Just("<!-- canonry: end -->".to_owned()),
        ];
        (prop::collection::vec(line, 0..12), prop::sample::select(vec!["\n", "\r\n"]))
            .prop_map(|(lines, ending)| lines.join(ending))
    }

    proptest! {
        #[test]
        fn removing_sections_removes_whole_lines(text in text()) {
            let sections = Sections::parse(&text, &[]);
            for target in Target::ALL {
                let rest = sections.without(&text, target).unwrap_or_else(|| text.clone());
                let out: usize = sections.sections.iter().filter(|b| !b.is_for(target)).map(|b| b.span.length).sum();
                prop_assert_eq!(rest.len() + out, text.len());
                let all: Vec<&str> = text.split_inclusive('\n').collect();
                // The rest is a subsequence of whole lines.
                let mut lines = all.iter();
                prop_assert!(rest.split_inclusive('\n').all(|line| lines.any(|whole| *whole == line)));
            }
        }
    }
}
