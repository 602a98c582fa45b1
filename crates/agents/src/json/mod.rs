//! JSON settings with comments, edited by key. Everything else keeps its formatting to the byte.

mod outline;
mod splice;

use canonry_text::node::Node;
pub use outline::OutlineError;
use outline::{Outline, member_range};
use serde_json::Value;
use splice::NewElement;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Why a path in a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonPathError {
    /// A value on the path is no object, or the value that should hold items is no list.
    #[error("`{0}` has the wrong type")]
    WrongType(String),
    /// Parsers differ in which of two equal keys counts.
    #[error("duplicate key `{0}`")]
    DuplicateKey(String),
}

/// A JSON file that users also write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonSettings {
    has_byte_order_mark: bool,
    text: String,
}

/// A container that an edit created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedContainer {
    pub path: Vec<String>,
    /// The container without elements.
    pub empty: Value,
}

impl JsonSettings {
    /// Returns the settings for a file that does not exist yet.
    pub fn empty() -> Self {
        Self { has_byte_order_mark: false, text: "{}\n".to_owned() }
    }

    /// Parses a file.
    ///
    /// # Errors
    /// It is not JSON with comments and trailing commas, or not an object.
    pub fn parse(text: &str) -> Result<Self, OutlineError> {
        let bare = text.strip_prefix(BYTE_ORDER_MARK);
        let settings = Self { has_byte_order_mark: bare.is_some(), text: bare.unwrap_or(text).to_owned() };
        let outline = Outline::parse(&settings.text)?;
        match outline.root.as_mapping() {
            Some(_) => Ok(settings),
            None => Err(OutlineError { line: 1, message: "expected an object".to_owned() }),
        }
    }

    /// Returns the current text.
    pub fn text(&self) -> String {
        let mark = if self.has_byte_order_mark { BYTE_ORDER_MARK } else { "" };
        format!("{mark}{}", self.text)
    }

    /// Checks whether the file has neither values nor comments.
    pub fn is_empty(&self) -> bool {
        self.text.split_whitespace().collect::<String>() == "{}"
    }

    /// Returns the value at a path.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn get(&self, path: &[String]) -> Result<Option<Value>, JsonPathError> {
        let Some(outline) = self.outline() else { return Ok(None) };
        Ok(find(&outline, path)?.map(Node::to_json))
    }

    /// Returns the items of a list; empty if the list does not exist.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn items(&self, path: &[String]) -> Result<Vec<Value>, JsonPathError> {
        match self.get(path)? {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(JsonPathError::WrongType(path.join("."))),
        }
    }

    /// Sets the value at a path. Returns the containers that had to be created.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn set(&mut self, path: &[String], value: &Value) -> Result<Vec<CreatedContainer>, JsonPathError> {
        let Some((key, above)) = path.split_last() else { return Ok(Vec::new()) };
        if self.get(path)?.is_some() {
            self.edit(path, |text, _, node| splice::replace(text, node, value));
            return Ok(Vec::new());
        }
        let created = self.create_containers(above, &Value::Object(serde_json::Map::new()))?;
        let element = NewElement { key: Some(key), value };
        self.edit(above, |text, outline, node| splice::append(text, outline, node, &element));
        Ok(created)
    }

    /// Appends an item to a list. Returns the containers that had to be created.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn push(&mut self, path: &[String], value: &Value) -> Result<Vec<CreatedContainer>, JsonPathError> {
        let created = self.create_containers(path, &Value::Array(Vec::new()))?;
        let element = NewElement { key: None, value };
        self.edit(path, |text, outline, node| splice::append(text, outline, node, &element));
        Ok(created)
    }

    /// Replaces the item at an index.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn set_item(&mut self, path: &[String], at: usize, value: &Value) -> Result<(), JsonPathError> {
        self.items(path)?;
        self.edit(path, |text, _, node| match node.as_sequence().and_then(|items| items.get(at)) {
            Some(item) => splice::replace(text, item, value),
            None => text.to_owned(),
        });
        Ok(())
    }

    /// Removes the value at a path.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn remove(&mut self, path: &[String]) -> Result<(), JsonPathError> {
        let Some((key, above)) = path.split_last() else { return Ok(()) };
        if self.get(path)?.is_none() {
            return Ok(());
        }
        self.edit(above, |text, outline, node| {
            let member = node.entries().iter().find(|member| member.key == *key);
            member.map_or_else(|| text.to_owned(), |member| splice::remove(text, outline, node, &member_range(member)))
        });
        Ok(())
    }

    /// Removes the item at an index.
    ///
    /// # Errors
    /// See [`JsonPathError`].
    pub fn remove_item(&mut self, path: &[String], at: usize) -> Result<(), JsonPathError> {
        self.items(path)?;
        self.edit(path, |text, outline, node| match outline::elements(node).get(at) {
            Some(element) => splice::remove(text, outline, node, element),
            None => text.to_owned(),
        });
        Ok(())
    }

    /// Checks whether the value at a path is an empty container without comments.
    pub fn is_bare(&self, path: &[String]) -> bool {
        let Some(outline) = self.outline() else { return false };
        let Ok(Some(node)) = find(&outline, path) else { return false };
        let inside = node.span.offset + 1..node.span.end().saturating_sub(1);
        node.as_scalar().is_none() && self.text.get(inside).is_some_and(|inside| inside.trim().is_empty())
    }

    /// Creates the missing containers of a path: objects, and at the end a container like `last`.
    fn create_containers(&mut self, path: &[String], last: &Value) -> Result<Vec<CreatedContainer>, JsonPathError> {
        let mut created = Vec::new();
        for depth in 1..=path.len() {
            let here = &path[..depth];
            let is_last = depth == path.len();
            let empty = if is_last { last.clone() } else { Value::Object(serde_json::Map::new()) };
            match self.get(here)? {
                Some(there) if std::mem::discriminant(&there) == std::mem::discriminant(&empty) => {}
                Some(_) => return Err(JsonPathError::WrongType(here.join("."))),
                None => {
                    let above = &path[..depth - 1];
                    let key = &path[depth - 1];
                    let element = NewElement { key: Some(key), value: &empty };
                    self.edit(above, |text, outline, node| splice::append(text, outline, node, &element));
                    created.push(CreatedContainer { path: here.to_vec(), empty });
                }
            }
        }
        Ok(created)
    }

    fn outline(&self) -> Option<Outline> {
        Outline::parse(&self.text).ok()
    }

    /// Edits the text at an existing node.
    fn edit(&mut self, path: &[String], change: impl FnOnce(&str, &Outline, &Node) -> String) {
        let Some(outline) = self.outline() else { return };
        if let Ok(Some(node)) = find(&outline, path) {
            self.text = change(&self.text, &outline, node);
        }
    }
}

fn find<'n>(outline: &'n Outline, path: &[String]) -> Result<Option<&'n Node>, JsonPathError> {
    let mut here = &outline.root;
    for (depth, key) in path.iter().enumerate() {
        let Some(members) = here.as_mapping() else {
            return Err(JsonPathError::WrongType(path[..depth].join(".")));
        };
        let Some(member) = members.get(key) else { return Ok(None) };
        if outline.duplicates.iter().any(|duplicate| duplicate.span == member.key_span) {
            return Err(JsonPathError::DuplicateKey(path[..=depth].join(".")));
        }
        here = &member.value;
    }
    Ok(Some(here))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
