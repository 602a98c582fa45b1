//! Templates of prompts: `{{ name }}` stands for a value.
//!
//! A name is on one line and contains no braces, so that `{{{name}}}` is a value in braces, and JSON or code in a prompt stays
//! as it is. `\{{` writes two braces. A backslash before it is doubled, as in `C:\\{{ folder }}`. A template is rendered in
//! one pass: braces in a value mean nothing.

/// A variable of a template that has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown variable `{name}`")]
pub struct UnknownVariable {
    pub name: String,
    /// The byte offset of its `{{`.
    pub offset: usize,
}

/// Replaces every variable by its value.
///
/// # Errors
/// All variables without a value, in order.
pub fn render(template: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, Vec<UnknownVariable>> {
    let mut out = String::with_capacity(template.len());
    let mut unknown = Vec::new();
    for part in parse(template) {
        match part {
            TemplatePart::Text(text) => out.push_str(text),
            TemplatePart::Variable { name, offset } => match lookup(name) {
                Some(value) => out.push_str(&value),
                None => unknown.push(UnknownVariable { name: name.to_owned(), offset }),
            },
        }
    }
    if unknown.is_empty() { Ok(out) } else { Err(unknown) }
}

/// The variables of a template, each with the byte offset of its `{{`.
pub fn variables(template: &str) -> Vec<(&str, usize)> {
    let variables = parse(template).into_iter().filter_map(|part| match part {
        TemplatePart::Variable { name, offset } => Some((name, offset)),
        TemplatePart::Text(_) => None,
    });
    variables.collect()
}

enum TemplatePart<'t> {
    Text(&'t str),
    Variable { name: &'t str, offset: usize },
}

fn parse(template: &str) -> Vec<TemplatePart<'_>> {
    let mut parts = Vec::new();
    // The text from `start` on is not part of `parts` yet; braces are searched from `at` on.
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = template[at..].find("{{") {
        let braces = at + found;
        let before = &template[start..braces];
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        let name =
            variable(&template[braces + 2..]).filter(|_| !template[..braces].trim_end_matches('{').ends_with('$'));
        if backslashes > 0 && (backslashes % 2 == 1 || name.is_some()) {
            // Of two backslashes, one is written; of an odd number, the last one escapes the braces.
            parts.push(TemplatePart::Text(&template[start..braces - backslashes.div_ceil(2)]));
            start = braces;
        }
        at = match name {
            _ if backslashes % 2 == 1 => braces + 2,
            None => braces + 1,
            Some((name, length)) => {
                parts.push(TemplatePart::Text(&template[start..braces]));
                parts.push(TemplatePart::Variable { name, offset: braces });
                start = braces + 2 + length;
                start
            }
        };
    }
    parts.push(TemplatePart::Text(&template[start..]));
    parts
}

/// The name at the beginning of a text, and its length with the closing braces. What is no name, such as `{{#if x}}` or
/// `${{ secrets.X }}`, belongs to another program and stays as it is.
fn variable(text: &str) -> Option<(&str, usize)> {
    let end = text.find(['{', '}', '\n'])?;
    let name = text[..end].trim();
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(inside);
    (text[end..].starts_with("}}") && is_name).then_some((name, end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lookup(name: &str) -> Option<String> {
        match name {
            "task" => Some("fix it".to_owned()),
            "a.b" => Some("{{task}}".to_owned()),
            "empty" => Some(String::new()),
            _ => None,
        }
    }

    #[test]
    fn variables_are_replaced() {
        for (template, want) in [
            ("", ""),
            ("no variables", "no variables"),
            ("Do {{task}}.", "Do fix it."),
            ("{{ task }}{{\ttask }}", "fix itfix it"),
            ("{{a.b}}", "{{task}}"),
            ("{{{task}}}", "{fix it}"),
            ("{{{{task}}}}", "{{fix it}}"),
            ("{{empty}}", ""),
            ("\\{{task}}", "{{task}}"),
            ("\\\\{{task}}", "\\fix it"),
            ("\\\\\\{{task}}", "\\{{task}}"),
            ("\\n \\{ \\\\ {{task", "\\n \\{ \\\\ {{task"),
            ("\\\\{{ not closed", "\\\\{{ not closed"),
            ("{\"a\": {\"b\": {}}}", "{\"a\": {\"b\": {}}}"),
            ("{{\n\"a\": 1}}", "{{\n\"a\": 1}}"),
            ("{{}} {{ }} }} {{", "{{}} {{ }} }} {{"),
            ("é{{task}}é", "éfix ité"),
        ] {
            assert_eq!(render(template, &lookup).as_deref(), Ok(want), "{template}");
        }
    }

    #[test]
    fn unknown_variables_are_reported() {
        let unknown = |name: &str, offset| UnknownVariable { name: name.to_owned(), offset };
        assert_eq!(
            render("é {{gone}} {{task}} {{ upper }} {{x | y}} ${{ z }}", &lookup),
            Err(vec![unknown("gone", 3), unknown("upper", 21)])
        );
        assert_eq!(variables("{{a}} \\{{b}} {{{c.d}}}"), [("a", 0), ("c.d", 14)]);
    }

    #[test]
    fn long_templates_take_linear_time() {
        let started = std::time::Instant::now();
        for part in ["{", "{{", "{{a", "}}", "\\", "\\{{", "{{a\n", "{{task}}"] {
            let _ = render(&part.repeat(300_000), &lookup);
        }
        assert!(started.elapsed().as_secs() < 20);
    }

    proptest! {
        #[test]
        fn text_without_braces_is_unchanged(text in "[^{]*") {
            prop_assert_eq!(render(&text, &lookup), Ok(text));
        }

        #[test]
        fn values_are_never_rendered(value in any::<String>(), before in "[^{\\\\$]*", after in "[^{]*") {
            let rendered = render(&format!("{before}{{{{ v }}}}{after}"), &|_| Some(value.clone()));
            prop_assert_eq!(rendered, Ok(format!("{before}{value}{after}")));
        }

        #[test]
        fn an_escaped_text_is_rendered_as_it_was(text in "([{}\\\\a \n]|é|\\{\\{a\\}\\}){0,20}") {
            for (name, offset) in variables(&text) {
                prop_assert!(text[offset..].starts_with("{{"), "{}", name);
            }
            let one_pass = render(&text, &|name| Some(format!("{{{{{name}}}}}")));
            prop_assert!(one_pass.is_ok());
        }
    }
}
