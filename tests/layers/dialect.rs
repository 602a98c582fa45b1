//! Forms of Rust that the project does not use, because each of them makes a reader translate: `match` in the place of `if`,
//! tuples in the place of several `let`, nested results, and doc comments that begin with a clause.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMatch, GenericArgument, Lit, Pat, PathArguments, Token};

/// First words of a clause in the place of a noun.
const CLAUSES: [&str; 3] = ["What", "How", "That"];

pub fn violations(path: &str, text: &str) -> Vec<String> {
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut found = Found::default();
    found.visit_file(&file);
    let tokens: TokenStream = text.parse().expect("the file has been parsed");
    found.doc_comments(tokens);
    found.lines.sort();
    found.lines.into_iter().map(|(line, message)| format!("{path}:{line}: {message}")).collect()
}

#[derive(Default)]
struct Found {
    lines: Vec<(usize, String)>,
    /// The line of the last doc comment.
    last_doc: Option<usize>,
}

impl Found {
    fn add(&mut self, node: &impl Spanned, message: &str) {
        self.lines.push((node.span().start().line, message.to_owned()));
    }

    /// Doc comments are attributes in a stream of tokens, also inside of macros: `# [doc = " text"]`, one for each line.
    fn doc_comments(&mut self, stream: TokenStream) {
        for tree in stream {
            let TokenTree::Group(group) = tree else { continue };
            match doc_text(&group) {
                None => self.doc_comments(group.stream()),
                Some(text) => {
                    let line = group.span().start().line;
                    let is_first = self.last_doc.is_none_or(|last| last + 1 != line);
                    let word = text.split(' ').next();
                    if let Some(word) = word.filter(|word| is_first && CLAUSES.contains(word)) {
                        let message = format!("a doc comment begins with `{word}`: name the thing with a noun");
                        self.lines.push((line, message));
                    }
                    self.last_doc = Some(line);
                }
            }
        }
    }

    fn destructured(&mut self, pattern: &Pat, value: &Expr, is_fallible: bool) {
        let pattern = if let Pat::Type(typed) = pattern { &typed.pat } else { pattern };
        let (Pat::Tuple(pattern), Expr::Tuple(value)) = (pattern, value) else { return };
        // `let (Some(a), Some(b)) = (x, y) else` has one `else` for both.
        let is_plain = !is_fallible || pattern.elems.iter().any(is_name);
        if is_plain && pattern.elems.len() == value.elems.len() {
            self.add(pattern, "a tuple is built only to be taken apart: write a `let` for each part");
        }
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_expr_match(&mut self, expr: &'ast ExprMatch) {
        if matches!(&*expr.expr, Expr::Tuple(tuple) if tuple.elems.is_empty()) {
            self.add(expr, "`match ()`: write `if` and `else`");
        }
        if expr.arms.iter().any(|arm| is_bool(&arm.pat)) {
            self.add(expr, "`match` on a bool: write `if` and `else`");
        }
        visit::visit_expr_match(self, expr);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.destructured(&local.pat, &init.expr, init.diverge.is_some());
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
        self.destructured(&expr.pat, &expr.expr, true);
        visit::visit_expr_let(self, expr);
    }

    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        if let Some(name) = nested_in_itself(&path.path) {
            self.add(path, &format!("`{name}<{name}<…>>`: write an enum whose variants have names"));
        }
        visit::visit_type_path(self, path);
    }

    /// clap's form of an option with an optional value is an option in an option.
    fn visit_field(&mut self, field: &'ast syn::Field) {
        if !field.attrs.iter().any(|attribute| attribute.path().is_ident("arg")) {
            visit::visit_field(self, field);
        }
    }

    /// Most arguments of macros are expressions. Other macros are not looked into.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Ok(arguments) = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            let mut inside = Self::default();
            arguments.iter().for_each(|argument| inside.visit_expr(argument));
            self.lines.append(&mut inside.lines);
        }
    }
}

fn is_bool(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Lit(literal) if matches!(literal.lit, Lit::Bool(_)))
}

/// Whether a pattern only names a value. `None` looks like a name.
fn is_name(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Ident(name) if name.subpat.is_none() && name.ident != "None")
}

/// The name of an option or a result whose first argument is another one.
fn nested_in_itself(path: &syn::Path) -> Option<&'static str> {
    let segment = path.segments.last()?;
    let name = ["Option", "Result"].into_iter().find(|name| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    let GenericArgument::Type(syn::Type::Path(inner)) = arguments.args.first()? else { return None };
    (inner.path.segments.last()?.ident == name).then_some(name)
}

/// The text of `[doc = " text"]`, without the space before it.
fn doc_text(group: &proc_macro2::Group) -> Option<String> {
    let mut tokens = group.stream().into_iter();
    match (group.delimiter(), tokens.next()?, tokens.next()?, tokens.next()?) {
        (Delimiter::Bracket, TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Literal(text))
            if name == "doc" =>
        {
            Some(text.to_string().trim_start_matches(['"', ' ']).to_owned())
        }
        _ => None,
    }
}
