//! The links, bare paths, comments and code blocks of a Markdown text.

use super::Span;
use bstr::ByteSlice;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// Words that mark missing text: the default of [ruff's `task-tags`], and `TBD` from IEEE 830.
///
/// [ruff's `task-tags`]: https://docs.astral.sh/ruff/settings/#lint_task-tags
pub const TASK_TAGS: [&str; 4] = ["TODO", "FIXME", "XXX", "TBD"];

/// A link or path in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownLink {
    /// The target with escapes resolved.
    pub target: String,
    /// The whole link, or the bare path.
    pub span: Span,
    pub kind: LinkKind,
}

/// Syntax of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// `[text](target)`, an image or a reference.
    Markdown,
    /// A path in text or a code span that starts with `scripts/`, `references/` or `assets/`.
    BarePath,
    /// The source of an `<img>` tag.
    HtmlImage,
    /// A script in one of these folders that a command of a code block runs.
    Command,
}

/// The parts of a document in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkdownOutline {
    /// Links and bare paths outside code blocks, and scripts that commands in code blocks run.
    pub links: Vec<MarkdownLink>,
    /// HTML comments outside of code.
    pub comments: Vec<Span>,
    /// Code blocks, including their fences.
    pub blocks: Vec<CodeBlock>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The first word after the opening fence in lower case; empty if there is none.
    pub language: String,
    pub span: Span,
}

impl CodeBlock {
    fn new(kind: &CodeBlockKind<'_>, span: Span) -> Self {
        let info = match kind {
            CodeBlockKind::Fenced(info) => info,
            CodeBlockKind::Indented => "",
        };
        let word =
            info.split(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}')).find(|word| !word.is_empty());
        Self { language: word.unwrap_or_default().to_lowercase(), span }
    }

    /// Whether its lines are commands of a shell.
    fn is_shell(&self) -> bool {
        matches!(self.language.as_str(), "sh" | "bash" | "shell" | "zsh" | "console" | "shell-session" | "terminal")
    }
}

/// Parses a body that starts at byte `offset` of its file. Spans count from the start of the file.
pub fn outline(body: &str, offset: usize) -> MarkdownOutline {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut outline = MarkdownOutline::default();
    let mut in_block = false;
    let mut in_link = 0usize;
    let paths = bare_paths(body);
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        let span = Span::from(range).shifted(offset);
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                in_block = true;
                outline.blocks.push(CodeBlock::new(&kind, span));
            }
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
                in_link += 1;
                if !matches!(link_type, LinkType::Autolink | LinkType::Email) {
                    outline.links.push(MarkdownLink { target: dest_url.into_string(), span, kind: LinkKind::Markdown });
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => in_link = in_link.saturating_sub(1),
            Event::Text(_) | Event::Code(_) if !in_block && in_link == 0 => {
                let first = paths.partition_point(|path| path.offset < span.offset - offset);
                let here = paths[first..].iter().take_while(|path| path.end() <= span.end() - offset);
                outline.links.extend(here.map(|path| MarkdownLink {
                    target: body[path.range()].to_owned(),
                    span: path.shifted(offset),
                    kind: LinkKind::BarePath,
                }));
            }
            Event::Text(_) if in_block && outline.blocks.last().is_some_and(CodeBlock::is_shell) => {
                let first = paths.partition_point(|path| path.offset < span.offset - offset);
                let here = paths[first..].iter().take_while(|path| path.end() <= span.end() - offset);
                outline.links.extend(here.filter(|path| is_run(body, **path)).map(|path| MarkdownLink {
                    target: body[path.range()].to_owned(),
                    span: path.shifted(offset),
                    kind: LinkKind::Command,
                }));
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                comments(body, span, offset, &mut outline.comments);
                images(body, span, offset, &mut outline.links);
            }
            _ => {}
        }
    }
    outline.comments.dedup();
    outline
}

/// The parser emits one event per line of HTML, so the end of a comment is searched in the body.
fn comments(body: &str, html: Span, offset: usize, found: &mut Vec<Span>) {
    let mut at = html.offset - offset;
    let end = html.end() - offset;
    while let Some(open) = body[at..end].find("<!--").map(|o| at + o) {
        let close = body[open..].find("-->").map_or(body.len(), |c| open + c + 3);
        let span = Span::new(open, close).shifted(offset);
        if found.last().is_none_or(|last| last.end() <= span.offset) {
            found.push(span);
        }
        at = close.max(open + 4);
        if at >= end {
            break;
        }
    }
}

/// The sources of `<img>` tags. A tag in a comment is not shown.
fn images(body: &str, html: Span, offset: usize, found: &mut Vec<MarkdownLink>) {
    let text = &body[html.offset - offset..html.end() - offset];
    for (at, _) in text.match_indices("<img ").filter(|_| !text.contains("<!--")) {
        let tag = &text[at..at + text[at..].find('>').unwrap_or(text.len() - at)];
        let Some((before, rest)) = tag.split_once(" src=") else { continue };
        let Some(quote @ ('"' | '\'')) = rest.chars().next() else { continue };
        let Some(target) = rest[1..].split(quote).next().filter(|target| !target.is_empty()) else { continue };
        let start = html.offset + at + before.len() + " src=\"".len();
        let span = Span::new(start, start + target.len());
        found.push(MarkdownLink { target: target.to_owned(), span, kind: LinkKind::HtmlImage });
    }
}

/// Programs that run a script given as argument.
const INTERPRETERS: [&str; 14] =
    ["sh", "bash", "zsh", "source", ".", "python", "python3", "py", "node", "tsx", "ruby", "perl", "bun", "deno"];
/// Programs that start an interpreter, such as `uv run python`.
const LAUNCHERS: [&str; 6] = ["sudo", "time", "uv", "npx", "poetry", "run"];

/// Whether the command before a path on its line runs the file: nothing but a prompt, variables, an interpreter and its
/// flags.
fn is_run(body: &str, path: Span) -> bool {
    let line = &body[body[..path.offset].rfind('\n').map_or(0, |at| at + 1)..path.offset];
    let command = line.rsplit([';', '|', '&', '(']).next().unwrap_or(line);
    let command = command.trim_start().trim_start_matches(['$', '>', '%']).trim_end_matches("./");
    // `cd` changes what the path is relative to.
    let is_prefix = |word: &str| {
        INTERPRETERS.contains(&word) || LAUNCHERS.contains(&word) || word.starts_with('-') || is_assignment(word)
    };
    !line.trim_start().starts_with('#') && !line.contains("cd ") && command.split_whitespace().all(is_prefix)
}

/// Matches `LEVEL=debug`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
}

const FOLDERS: [&str; 3] = ["scripts/", "references/", "assets/"];

/// Paths into a skill's own folders, in order. Only free-standing paths with an extension and without placeholders or
/// globs count.
fn bare_paths(body: &str) -> Vec<Span> {
    let slashes = body.as_bytes().find_iter("/").map(|at| at + 1);
    let starts = slashes.filter_map(|end| FOLDERS.iter().find(|f| body[..end].ends_with(**f)).map(|f| end - f.len()));
    starts.filter_map(|at| bare_path_at(body, at).map(|path| Span::new(at, at + path.len()))).collect()
}

fn bare_path_at(raw: &str, at: usize) -> Option<&str> {
    let before = raw[..at].strip_suffix("./").unwrap_or(&raw[..at]);
    let joined = |c: char| c.is_alphanumeric() || "/.$}{@~-_*<>\\%".contains(c);
    if before.chars().next_back().is_some_and(joined) {
        return None;
    }
    let in_path = |c: char| c.is_ascii_alphanumeric() || "_.-/@+".contains(c);
    let rest = &raw[at..];
    let end = rest.find(|c| !in_path(c)).unwrap_or(rest.len());
    // A placeholder, a glob or more of a path may follow; then this is not a plain path.
    if rest[end..].starts_with(['<', '{', '*', '$', '[', '(', '…', '?', '|', '\\']) || rest[..end].ends_with('/') {
        return None;
    }
    let path = rest[..end].trim_end_matches(['.', '-', '/', '+', '@']);
    let (stem, extension) = path.rsplit_once('.')?;
    let real = !stem.ends_with('/')
        && (1..=8).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        && !path.contains("...");
    real.then_some(path)
}

/// The offset of the first heading in a body that starts at byte `offset` of its file.
pub fn first_heading(body: &str, offset: usize) -> Option<usize> {
    let is_heading = |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { .. }));
    let mut events = Parser::new(body).into_offset_iter();
    events.find(|(event, _)| is_heading(event)).map(|(_, range)| offset + range.start)
}

/// The content of the first code block in the section with this heading, in any case. A section ends at the next heading.
pub fn first_block_below(text: &str, heading: &str) -> Option<String> {
    let mut title: Option<String> = None;
    let mut is_section = false;
    let mut block: Option<String> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => title = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let title = title.take().unwrap_or_default();
                is_section = title.trim().eq_ignore_ascii_case(heading);
            }
            Event::Start(Tag::CodeBlock(_)) if is_section => block = Some(String::new()),
            Event::End(TagEnd::CodeBlock) if block.is_some() => return block,
            Event::Text(part) | Event::Code(part) => {
                if let Some(text) = title.as_mut().or(block.as_mut()) {
                    text.push_str(&part);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a line that begins with `- ` is a list item with only words, code, emphasis and links: no heading, nested
/// list, HTML, image or definition, which would span lines or be invisible to readers.
pub fn is_plain_item(line: &str) -> bool {
    let mut depth = 0usize;
    let mut words = false;
    for event in Parser::new_ext(line.trim_end(), Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS) {
        match event {
            Event::Start(Tag::List(_) | Tag::Item) if depth < 2 => depth += 1,
            Event::Text(_) | Event::Code(_) => words = true,
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. }) | Event::End(_) => {}
            _ => return false,
        }
    }
    depth == 2 && words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(body: &str) -> Vec<String> {
        outline(body, 0).links.into_iter().map(|l| l.target).collect()
    }

    #[test]
    fn finds_links_and_bare_paths_with_spans() {
        let body = "See [a](references/a.md), `scripts/run.sh` and assets/logo.png.\n";
        let outline = outline(body, 100);
        let found: Vec<_> =
            outline.links.iter().map(|l| (&body[l.span.offset - 100..l.span.end() - 100], l.kind)).collect();
        assert_eq!(
            found,
            [
                ("[a](references/a.md)", LinkKind::Markdown),
                ("scripts/run.sh", LinkKind::BarePath),
                ("assets/logo.png", LinkKind::BarePath)
            ]
        );
    }

    #[test]
    fn finds_scripts_that_commands_run() {
        let run = |line: &str| {
            let outline = outline(&format!("```bash\n{line}\n```\n"), 0);
            outline.links.into_iter().map(|link| link.target).collect::<Vec<_>>()
        };
        for line in [
            "python3 -u scripts/sort.py --all",
            "$ ./scripts/sort.py",
            "LEVEL=1 uv run python scripts/sort.py",
            "ls && bash scripts/sort.py",
        ] {
            assert_eq!(run(line), ["scripts/sort.py"], "{line}");
        }
        for line in ["touch scripts/sort.py", "# python scripts/sort.py", "cd /tmp && sh scripts/sort.py"] {
            assert_eq!(run(line), Vec::<String>::new(), "{line}");
        }
        assert_eq!(targets("```python\nscripts/sort.py\n```\n"), Vec::<String>::new());
    }

    #[test]
    fn finds_images_in_html() {
        assert_eq!(targets("<p><img alt=\"x\" src=\"assets/a.png\"></p>\n"), ["assets/a.png"]);
        assert_eq!(targets("See <img src='b.png' /> here.\n"), ["b.png"]);
        assert_eq!(targets("<!-- <img src='b.png' /> -->\n\n`<img src='c.png'>`\n"), Vec::<String>::new());
    }

    #[test]
    fn ignores_code_blocks_placeholders_and_globs() {
        for body in [
            "```sh\necho scripts/run.sh [x](y.md)\n```\n",
            "    scripts/run.sh\n",
            "`scripts/<name>.py` scripts/{lang}.md scripts/*.sh ~/scripts/a.sh $D/scripts/a.sh my-scripts/a.sh\n",
            "`scripts/` and references/ and assets/...\n",
            "<https://example.com/scripts/a.sh>\n",
        ] {
            assert_eq!(targets(body), Vec::<String>::new(), "{body}");
        }
    }

    #[test]
    fn finds_blocks_with_their_language() {
        let body = "```sh title\nls\n```\n\n~~~{.Python}\nx\n~~~\n\n- a\n\n  ```\n  b\n  ```\n\n    indented\n";
        let outline = outline(body, 10);
        let found: Vec<_> = outline
            .blocks
            .iter()
            .map(|b| (b.language.as_str(), &body[b.span.offset - 10..b.span.end() - 10]))
            .collect();
        assert_eq!(found[0], ("sh", "```sh title\nls\n```"));
        assert_eq!(found[1].0, ".python");
        assert_eq!(found[2].0, "");
    }

    #[test]
    fn finds_multiline_and_inline_comments() {
        let body = "a <!-- one --> b\n\n<!--\ntwo\n-->\n\n`<!-- code -->`\n\n```\n<!-- block -->\n```\n<!-- open";
        let outline = outline(body, 0);
        let found: Vec<&str> = outline.comments.iter().map(|s| &body[s.range()]).collect();
        assert_eq!(found, ["<!-- one -->", "<!--\ntwo\n-->", "<!-- open"]);
    }
}
