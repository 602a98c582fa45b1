//! Parses a source file for the paths that it names outside of test code.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, Item, Lit, UseTree, Visibility};

/// A path as written, with its inline modules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// Names of the enclosing inline modules.
    pub inside: Vec<String>,
    /// Its segments; a glob import ends in `*`.
    pub parts: Vec<String>,
    pub line: usize,
}

/// One imported name.
#[derive(Clone, Debug)]
pub struct Import {
    pub named: Named,
    /// The local name; `*` for a glob import.
    pub name: String,
    /// Whether it is re-exported.
    pub public: bool,
}

/// The parsed content of one file.
#[derive(Debug, Default)]
pub struct Parsed {
    pub imports: Vec<Import>,
    pub paths: Vec<Named>,
    /// Methods called, with their lines.
    pub methods: Vec<(String, usize)>,
    /// Macros called, with their lines.
    pub macros: Vec<(String, usize)>,
    /// Inline modules.
    pub inline: Vec<Vec<String>>,
    /// Modules with a `#[path]`: the name and the file.
    pub elsewhere: Vec<(String, String)>,
    /// Modules in files of their own that only tests compile.
    pub tests: Vec<String>,
}

pub fn parse(text: &str) -> syn::Result<Parsed> {
    let file = syn::parse_file(text)?;
    let mut reader = Reader::default();
    reader.visit_file(&file);
    Ok(reader.parsed)
}

#[derive(Default)]
struct Reader {
    parsed: Parsed,
    inside: Vec<String>,
}

impl Reader {
    fn named(&self, parts: Vec<String>, line: usize) -> Named {
        Named { inside: self.inside.clone(), parts, line }
    }

    fn flatten(&mut self, tree: &UseTree, mut prefix: Vec<String>, public: bool, line: usize) {
        let (parts, name) = match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                return self.flatten(&path.tree, prefix, public, line);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.flatten(tree, prefix.clone(), public, line);
                }
                return;
            }
            UseTree::Name(name) if name.ident == "self" => (prefix.clone(), prefix.last().cloned().unwrap_or_default()),
            UseTree::Name(name) => ([prefix, vec![name.ident.to_string()]].concat(), name.ident.to_string()),
            UseTree::Rename(rename) if rename.ident == "self" => (prefix, rename.rename.to_string()),
            UseTree::Rename(rename) => ([prefix, vec![rename.ident.to_string()]].concat(), rename.rename.to_string()),
            UseTree::Glob(_) => ([prefix, vec!["*".to_owned()]].concat(), "*".to_owned()),
        };
        let named = self.named(parts, line);
        self.parsed.imports.push(Import { named, name, public });
    }

    /// Macro arguments are tokens, not syntax: everything that looks like a path counts as one.
    fn tokens(&mut self, stream: TokenStream) {
        let mut parts: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for tree in stream {
            match tree {
                TokenTree::Punct(punct) if punct.as_char() == ':' && !parts.is_empty() => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.path_of_tokens(&mut parts, line);
                        line = ident.span().start().line;
                    }
                    parts.push(ident.to_string());
                }
                TokenTree::Group(group) => {
                    self.path_of_tokens(&mut parts, line);
                    self.tokens(group.stream());
                }
                _ => self.path_of_tokens(&mut parts, line),
            }
            colons = 0;
        }
        self.path_of_tokens(&mut parts, line);
    }

    fn path_of_tokens(&mut self, parts: &mut Vec<String>, line: usize) {
        let parts = std::mem::take(parts);
        if parts.len() > 1 {
            let named = self.named(parts, line);
            self.parsed.paths.push(named);
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            if let Item::Mod(module) = item
                && module.content.is_none()
            {
                self.parsed.tests.push(path_of(&module.attrs).unwrap_or_else(|| module.ident.to_string()));
            }
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.content.is_none() {
            if let Some(path) = path_of(&module.attrs) {
                self.parsed.elsewhere.push((module.ident.to_string(), path));
            }
            return;
        }
        self.inside.push(module.ident.to_string());
        self.parsed.inline.push(self.inside.clone());
        visit::visit_item_mod(self, module);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let line = item.use_token.span.start().line;
        self.flatten(&item.tree, Vec::new(), !matches!(item.vis, Visibility::Inherited), line);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        let named = self.named(parts, line);
        self.parsed.paths.push(named);
        visit::visit_path(self, path);
    }

    /// `pub(in …)` and `pub(super)` set visibility and import nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.parsed.methods.push((call.method.to_string(), call.method.span().start().line));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.clone());
        if let Some(name) = name {
            self.parsed.macros.push((name.to_string(), name.span().start().line));
        }
        self.tokens(call.tokens.clone());
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Only a plain `#[cfg(test)]`: the product may compile `cfg(any(test, …))`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let inner = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        attribute.path().is_ident("cfg") && inner == "test"
    })
}

fn path_of(attributes: &[Attribute]) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.path().is_ident("path"))?;
    match &found.meta.require_name_value().ok()?.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}
