//! The header of a Cursor rule, parsed line by line as Cursor does. It resembles YAML but is not: Cursor itself writes
//! `globs: **/*`.

use super::Span;

/// One `key: value` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MdcField {
    pub key: String,
    pub key_span: Span,
    /// The value on the same line, trimmed and without a trailing comment.
    pub value: String,
    pub value_span: Span,
    /// The list items on the lines below.
    pub items: Vec<String>,
}

impl MdcField {
    /// Whether the field has no value.
    pub fn is_empty(&self) -> bool {
        let value = self.value.as_str();
        matches!(value, "" | "\"\"" | "''" | "[]" | "null" | "~") && self.items.iter().all(|item| item.is_empty())
    }
}

/// The header of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MdcHeader {
    /// The fields in file order.
    pub fields: Vec<MdcField>,
    /// Lines that do not belong to a field.
    pub stray: Vec<Span>,
}

impl MdcHeader {
    /// Parses the lines between the fences, which start at byte `offset` of the file. Spans count from the start of
    /// the file.
    pub fn parse(text: &str, offset: usize) -> Self {
        let mut head = Self::default();
        let mut start = 0;
        for whole in text.split_inclusive('\n') {
            head.line(whole.trim_end(), start + offset);
            start += whole.len();
        }
        head
    }

    /// The first field with a key.
    pub fn get(&self, key: &str) -> Option<&MdcField> {
        self.fields.iter().find(|field| field.key == key)
    }

    fn line(&mut self, line: &str, start: usize) {
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with('#') {
            return;
        }
        let span = Span::new(start, start + line.len());
        let item = bare.strip_prefix("- ").or_else(|| (bare == "-").then_some(""));
        match (item, self.fields.last_mut(), field(line, start)) {
            (Some(item), Some(last), _) => last.items.push(item.trim().to_owned()),
            // An indented line continues the value above.
            (None, Some(last), _) if line.starts_with([' ', '\t']) => last.items.push(bare.to_owned()),
            (None, _, Some(field)) => self.fields.push(field),
            _ => self.stray.push(span),
        }
    }
}

fn field(line: &str, start: usize) -> Option<MdcField> {
    let colon = line.find(':')?;
    let key = line[..colon].trim();
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    // A URL is not a field.
    if !is_key || line[colon + 1..].starts_with("//") {
        return None;
    }
    let behind = &line[colon + 1..];
    let value = behind.find(" #").map_or(behind, |at| &behind[..at]).trim();
    let blank = behind.len() - behind.trim_start().len();
    let at = start + colon + 1 + if value.is_empty() { 0 } else { blank };
    let key_at = start + line.len() - line.trim_start().len();
    Some(MdcField {
        key: key.to_owned(),
        key_span: Span::new(key_at, key_at + key.len()),
        value: value.to_owned(),
        value_span: Span::new(at, at + value.len()),
        items: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_line_by_line() {
        let text = "description: Use a: b, always\nglobs: **/*, {a,b}/*.ts # all\nalwaysApply:false\ntags:\n  - x\n- y\nnotes: >\n  long\noops\nhttp://x\n# c\n";
        let head = MdcHeader::parse(text, 4);
        let fields: Vec<_> = head.fields.iter().map(|f| (f.key.as_str(), f.value.as_str(), f.items.len())).collect();
        let want = [
            ("description", "Use a: b, always", 0),
            ("globs", "**/*, {a,b}/*.ts", 0),
            ("alwaysApply", "false", 0),
            ("tags", "", 2),
            ("notes", ">", 1),
        ];
        assert_eq!(fields, want);
        for field in &head.fields {
            assert_eq!(&text[field.key_span.offset - 4..field.key_span.end() - 4], field.key);
            assert_eq!(&text[field.value_span.offset - 4..field.value_span.end() - 4], field.value);
        }
        let stray: Vec<&str> = head.stray.iter().map(|s| &text[s.offset - 4..s.end() - 4]).collect();
        assert_eq!(stray, ["oops", "http://x"]);
    }
}
