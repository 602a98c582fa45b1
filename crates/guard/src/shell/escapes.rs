//! Decodes the escapes of `$'…'`, `echo -e` and `printf`.

use super::limits::LENGTH;

/// Decodes escape sequences. An invalid sequence stays as it is written.
pub(super) fn decode(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(kind) = rest.next() else {
            out.push('\\');
            break;
        };
        let (base, most, mut value) = match kind {
            'x' => (16, 2, 0),
            'u' => (16, 4, 0),
            'U' => (16, 8, 0),
            // `echo -e` and `%b` write an octal number as `\0nnn`.
            '0' => (8, 3, 0),
            '1'..='7' => (8, 2, kind.to_digit(8).unwrap_or_default()),
            _ => {
                match single(kind) {
                    Some(decoded) => out.push(decoded),
                    None => out.extend(['\\', kind]),
                }
                continue;
            }
        };
        for _ in 0..most {
            let Some(digit) = rest.peek().and_then(|c| c.to_digit(base)) else { break };
            value = value * base + digit;
            rest.next();
        }
        // A NUL would end the text; nothing useful contains one.
        out.extend(char::from_u32(value).filter(|c| *c != '\0'));
    }
    out
}

fn single(kind: char) -> Option<char> {
    Some(match kind {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'e' | 'E' => '\u{1b}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '\\' | '\'' | '"' | '?' => kind,
        _ => return None,
    })
}

/// Formats like `printf`; `None` if a directive does more than insert an argument.
pub(super) fn format(template: &str, arguments: &[&str]) -> Option<String> {
    let template = decode(template);
    let mut out = String::new();
    let mut arguments = arguments.iter();
    loop {
        let before = arguments.len();
        let mut rest = template.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            match rest.next()? {
                '%' => out.push('%'),
                's' | 'd' | 'i' | 'u' => out.push_str(arguments.next().copied().unwrap_or_default()),
                'b' => out.push_str(&decode(arguments.next().copied().unwrap_or_default())),
                'c' => out.extend(arguments.next().and_then(|text| text.chars().next())),
                'q' => out.push_str(arguments.next().copied().unwrap_or_default()),
                _ => return None,
            }
        }
        if out.len() > LENGTH {
            return None;
        }
        // The template is used again while arguments remain.
        if arguments.len() == 0 || arguments.len() == before {
            return Some(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded() {
        for (text, want) in [
            ("a\\x62c", "abc"),
            ("\\141\\0142", "ab"),
            ("\\u0041\\n\\t", "A\n\t"),
            ("it\\'s", "it's"),
            ("\\q\\", "\\q\\"),
            ("a\\0", "a"),
        ] {
            assert_eq!(decode(text), want, "{text}");
        }
    }

    #[test]
    fn printf_inserts_its_arguments() {
        for (template, arguments, want) in [
            ("a%sc\\n", &["b"][..], Some("abc\n")),
            ("%s ", &["a", "b"], Some("a b ")),
            ("%b", &["\\x61"], Some("a")),
            ("100%%", &[], Some("100%")),
            ("x", &["left over"], Some("x")),
            ("%-5s", &["a"], None),
        ] {
            assert_eq!(format(template, arguments).as_deref(), want, "{template}");
        }
    }
}
