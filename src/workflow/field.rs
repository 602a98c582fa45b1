//! What the type of a declared field allows.

/// The type of a field of an output, as written in its `schema`.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldType {
    /// `bool`
    Bool,
    /// `number`, or `number[0..1]` with its range.
    Number(Option<(f64, f64)>),
    /// Anything else.
    Other,
}

impl FieldType {
    /// Reads a type. One that is not known is compared by its text.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (name, range) = match text.split_once('[') {
            Some((name, rest)) => (name.trim(), rest.strip_suffix(']').and_then(range)),
            None => (text, None),
        };
        match name.to_ascii_lowercase().as_str() {
            "bool" | "boolean" => Self::Bool,
            "number" | "float" | "int" | "integer" => Self::Number(range),
            _ => Self::Other,
        }
    }
}

fn range(text: &str) -> Option<(f64, f64)> {
    let (low, high) = text.split_once("..")?;
    Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
}
