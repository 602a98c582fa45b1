//! Settings as JSON with comments, edited by key: all that is not named stays to the byte.

mod outline;
mod splice;

pub use outline::JsonError;
use outline::{Kind, Node, Outline};
use serde_json::Value;
use splice::New;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Why a key cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonPathError {
    /// Something above it is no object, or what is to hold items is no list.
    #[error("`{0}` is not of the form that can hold it")]
    WrongType(String),
    /// A key on the way stands twice, and readers differ on which counts.
    #[error("`{0}` stands twice")]
    DuplicateKey(String),
}

/// A file that people write too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonSettings {
    mark: bool,
    text: String,
}

/// A new container that was needed on the way: its path, and what it is when empty.
pub type CreatedContainer = (Vec<String>, Value);

impl JsonSettings {
    /// Of a file that does not exist yet.
    pub fn empty() -> Self {
        Self { mark: false, text: "{}\n".to_owned() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It is no JSON, also with comments and trailing commas allowed, or no object.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let bare = text.strip_prefix(BYTE_ORDER_MARK);
        let settings = Self { mark: bare.is_some(), text: bare.unwrap_or(text).to_owned() };
        let outline = Outline::of(&settings.text)?;
        match outline.root.kind {
            Kind::Object(_) => Ok(settings),
            _ => Err(JsonError { line: 1, message: "it is no JSON object".to_owned() }),
        }
    }

    /// As it is now.
    pub fn text(&self) -> String {
        let mark = if self.mark { BYTE_ORDER_MARK } else { "" };
        format!("{mark}{}", self.text)
    }

    /// Whether nothing is in it, not even a comment.
    pub fn is_empty(&self) -> bool {
        self.text.split_whitespace().collect::<String>() == "{}"
    }

    /// What stands at a path.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn get(&self, path: &[String]) -> Result<Option<Value>, JsonPathError> {
        let Some(outline) = self.outline() else { return Ok(None) };
        Ok(walk(&outline.root, path)?.map(|node| node.value(&self.text)))
    }

    /// The items of a list; none where there is no list.
    ///
    /// # Errors
    /// See [`JsonPathError`]; also where something else stands there.
    pub fn items(&self, path: &[String]) -> Result<Vec<Value>, JsonPathError> {
        match self.get(path)? {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(JsonPathError::WrongType(path.join("."))),
        }
    }

    /// Puts a value at a path, in the place of what stands there. Gives the containers that were needed on the way.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn set(&mut self, path: &[String], value: &Value) -> Result<Vec<CreatedContainer>, JsonPathError> {
        let Some((key, above)) = path.split_last() else { return Ok(Vec::new()) };
        if self.get(path)?.is_some() {
            self.edit(path, |text, _, node| splice::replace(text, node, value));
            return Ok(Vec::new());
        }
        let made = self.reach(above, &Value::Object(serde_json::Map::new()))?;
        self.edit(above, |text, outline, node| splice::append(text, outline, node, &New { key: Some(key), value }));
        Ok(made)
    }

    /// Puts an item at the end of a list. Gives the containers that were needed on the way.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn push(&mut self, path: &[String], value: &Value) -> Result<Vec<CreatedContainer>, JsonPathError> {
        let made = self.reach(path, &Value::Array(Vec::new()))?;
        self.edit(path, |text, outline, node| splice::append(text, outline, node, &New { key: None, value }));
        Ok(made)
    }

    /// Puts another item in the place of the one at an index.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn set_item(&mut self, path: &[String], at: usize, value: &Value) -> Result<(), JsonPathError> {
        self.items(path)?;
        self.edit(path, |text, _, node| match &node.kind {
            Kind::Array(items) => items.get(at).map_or_else(|| text.to_owned(), |i| splice::replace(text, i, value)),
            _ => text.to_owned(),
        });
        Ok(())
    }

    /// Takes out what stands at a path.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn remove(&mut self, path: &[String]) -> Result<(), JsonPathError> {
        let Some((key, above)) = path.split_last() else { return Ok(()) };
        if self.get(path)?.is_none() {
            return Ok(());
        }
        self.edit(above, |text, outline, node| {
            let Kind::Object(members) = &node.kind else { return text.to_owned() };
            let member = members.iter().find(|member| member.name == *key);
            member.map_or_else(|| text.to_owned(), |member| splice::remove(text, outline, node, &member.range))
        });
        Ok(())
    }

    /// Takes the item at an index out of a list.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn remove_item(&mut self, path: &[String], at: usize) -> Result<(), JsonPathError> {
        self.items(path)?;
        self.edit(path, |text, outline, node| match node.parts().get(at) {
            Some(part) => splice::remove(text, outline, node, part),
            None => text.to_owned(),
        });
        Ok(())
    }

    /// Whether an empty container stands at a path, without a comment in it.
    pub fn is_bare(&self, path: &[String]) -> bool {
        let Some(outline) = self.outline() else { return false };
        let Ok(Some(node)) = walk(&outline.root, path) else { return false };
        let inside = node.range.start + 1..node.range.end.saturating_sub(1);
        matches!(node.kind, Kind::Object(_) | Kind::Array(_))
            && self.text.get(inside).is_some_and(|inside| inside.trim().is_empty())
    }

    /// Sees to it that containers stand down to `path`, the last of them like `last`.
    fn reach(&mut self, path: &[String], last: &Value) -> Result<Vec<CreatedContainer>, JsonPathError> {
        let mut made = Vec::new();
        for depth in 1..=path.len() {
            let (here, is_last) = (&path[..depth], depth == path.len());
            let empty = if is_last { last.clone() } else { Value::Object(serde_json::Map::new()) };
            match self.get(here)? {
                Some(there) if std::mem::discriminant(&there) == std::mem::discriminant(&empty) => {}
                Some(_) => return Err(JsonPathError::WrongType(here.join("."))),
                None => {
                    let (above, key) = (&path[..depth - 1], &path[depth - 1]);
                    let new = New { key: Some(key), value: &empty };
                    self.edit(above, |text, outline, node| splice::append(text, outline, node, &new));
                    made.push((here.to_vec(), empty));
                }
            }
        }
        Ok(made)
    }

    fn outline(&self) -> Option<Outline> {
        Outline::of(&self.text).ok()
    }

    /// Edits at a node that is known to be there.
    fn edit(&mut self, path: &[String], change: impl FnOnce(&str, &Outline, &Node) -> String) {
        let Some(outline) = self.outline() else { return };
        if let Ok(Some(node)) = walk(&outline.root, path) {
            self.text = change(&self.text, &outline, node);
        }
    }
}

fn walk<'n>(root: &'n Node, path: &[String]) -> Result<Option<&'n Node>, JsonPathError> {
    let mut here = root;
    for (depth, key) in path.iter().enumerate() {
        let Kind::Object(members) = &here.kind else { return Err(JsonPathError::WrongType(path[..depth].join("."))) };
        let mut named = members.iter().filter(|member| member.name == *key);
        let Some(member) = named.next() else { return Ok(None) };
        if named.next().is_some() {
            return Err(JsonPathError::DuplicateKey(path[..=depth].join(".")));
        }
        here = &member.value;
    }
    Ok(Some(here))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
