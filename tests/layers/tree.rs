//! The module tree of the source, and the resolution of paths in it.

use crate::parse::{self, Import, Named, Parsed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A source file.
pub struct File {
    /// The path relative to `src`.
    pub path: String,
    /// Its module path from the crate root.
    pub module: Vec<String>,
    pub lines: usize,
    pub parsed: Parsed,
}

/// A dependency of one file on another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: String,
    pub to: String,
    /// The line in `from`.
    pub line: usize,
    pub kind: EdgeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    Import,
    /// `pub use child::Name` in a parent module, which does not use the name itself.
    Reexport,
    /// A rule, which each of its findings refers to: `RULE` of another file, or the type.
    Rule,
}

pub struct Tree {
    files: Vec<File>,
    /// The file of every module, including inline modules.
    modules: BTreeMap<Vec<String>, usize>,
}

impl Tree {
    pub fn read(src: &Path) -> Self {
        let mut texts = Vec::new();
        for entry in walkdir::WalkDir::new(src).sort_by_file_name() {
            let entry = entry.unwrap();
            let path = entry.path().strip_prefix(src).unwrap().to_str().unwrap().to_owned();
            if path.ends_with(".rs") {
                texts.push((path, std::fs::read_to_string(entry.path()).unwrap()));
            }
        }
        let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Self::of(&texts)
    }

    pub fn of(texts: &[(&str, &str)]) -> Self {
        let mut files = Vec::new();
        for (path, text) in texts {
            let parsed = parse::parse(text).unwrap_or_else(|e| panic!("{path}: {e}"));
            files.push(File { path: (*path).to_owned(), module: module_of(path), lines: text.lines().count(), parsed });
        }
        let tests: BTreeSet<String> = files.iter().flat_map(test_files).collect();
        // A test module in a directory has its children there.
        let folders: Vec<&str> = tests.iter().filter_map(|path| path.strip_suffix("mod.rs")).collect();
        files.retain(|file| !tests.contains(&file.path) && !folders.iter().any(|folder| file.path.starts_with(folder)));
        for file in &files {
            let hidden = &file.parsed.elsewhere;
            assert!(hidden.is_empty(), "{}: #[path] hides {hidden:?} from this test", file.path);
        }
        let mut modules = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            modules.insert(file.module.clone(), at);
            for inline in &file.parsed.inline {
                modules.insert([file.module.clone(), inline.clone()].concat(), at);
            }
        }
        Self { files, modules }
    }

    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// All dependencies between files.
    pub fn edges(&self) -> BTreeSet<Edge> {
        self.files.iter().flat_map(|file| self.edges_of(file)).collect()
    }

    fn edges_of(&self, file: &File) -> Vec<Edge> {
        let imports = file.parsed.imports.iter().map(|import| (&import.named, import.public));
        // A single name is imported, local, or built in.
        let paths = file.parsed.paths.iter().filter(|path| path.parts.len() > 1).map(|path| (path, false));
        let mut edges = Vec::new();
        for (named, public) in imports.chain(paths) {
            let Some(to) = self.target(file, named).filter(|to| to.path != file.path) else { continue };
            let below = to.module.len() > file.module.len() && to.module.starts_with(&file.module);
            let kind = if public && below {
                EdgeKind::Reexport
            } else if named.parts.last().is_some_and(|name| name == "RULE" || name == "Rule") {
                EdgeKind::Rule
            } else {
                EdgeKind::Import
            };
            edges.push(Edge { from: file.path.clone(), to: to.path.clone(), line: named.line, kind });
        }
        edges
    }

    /// The file that defines what a path names; `None` for other crates.
    fn target(&self, file: &File, named: &Named) -> Option<&File> {
        let scope = [file.module.clone(), named.inside.clone()].concat();
        self.resolve(&scope, &named.parts, 0).map(|at| &self.files[at])
    }

    fn resolve(&self, scope: &[String], parts: &[String], depth: usize) -> Option<usize> {
        let (first, rest) = parts.split_first()?;
        // Cyclic imports do not compile, except through names that this resolution cannot distinguish.
        if depth > 16 {
            return None;
        }
        match first.as_str() {
            "crate" | "canonry" => self.walk(Vec::new(), rest, depth),
            "self" => self.walk(scope.to_vec(), rest, depth),
            "super" => self.resolve_above(scope, rest, depth),
            _ => {
                let child = [scope, std::slice::from_ref(first)].concat();
                if self.modules.contains_key(&child) {
                    return self.walk(child, rest, depth);
                }
                self.through_import(scope, first, rest, depth)
            }
        }
    }

    fn resolve_above(&self, scope: &[String], rest: &[String], depth: usize) -> Option<usize> {
        let (_, above) = scope.split_last()?;
        if rest.first().is_some_and(|part| part == "super") {
            return self.resolve_above(above, &rest[1..], depth);
        }
        self.walk(above.to_vec(), rest, depth)
    }

    /// Resolves the rest of a path in a module: a child module, an imported name, or the module itself.
    fn walk(&self, module: Vec<String>, rest: &[String], depth: usize) -> Option<usize> {
        let here = self.modules.get(&module).copied();
        let Some((first, below)) = rest.split_first() else { return here };
        let child = [module.clone(), vec![first.clone()]].concat();
        if self.modules.contains_key(&child) {
            return self.walk(child, below, depth);
        }
        if self.imports(&module, first).next().is_some() {
            return self.through_import(&module, first, below, depth);
        }
        here
    }

    fn through_import(&self, scope: &[String], name: &str, rest: &[String], depth: usize) -> Option<usize> {
        // A function and a module may share a name: take the one that resolves.
        self.imports(scope, name).find_map(|import| {
            let parts = [import.named.parts.clone(), rest.to_vec()].concat();
            // `use name::Thing` names another crate or a child, and children are already resolved.
            (parts.first().map(String::as_str) != Some(name)).then(|| self.resolve(scope, &parts, depth + 1))?
        })
    }

    fn imports<'a>(&'a self, module: &[String], name: &str) -> impl Iterator<Item = &'a Import> {
        let file = self.modules.get(module).map(|at| &self.files[*at]);
        let inside = file.map(|file| module[file.module.len()..].to_vec()).unwrap_or_default();
        let imports = file.map(|file| file.parsed.imports.as_slice()).unwrap_or_default();
        imports.iter().filter(move |import| import.name == name && import.named.inside == inside)
    }

    /// Expands the imported name at the start of a path of another crate: after `use std::fs as x`, `x::read` is
    /// `std::fs::read`.
    pub fn written_out(&self, file: &File, named: &Named) -> Vec<String> {
        let scope = [file.module.clone(), named.inside.clone()].concat();
        let mut parts = named.parts.clone();
        for _ in 0..8 {
            let Some(import) = parts.first().and_then(|first| self.imports(&scope, first).next()) else { break };
            if import.named.parts.first() == parts.first() {
                break;
            }
            parts.splice(0..1, import.named.parts.iter().cloned());
        }
        parts
    }
}

/// `mirror/plan.rs` is `mirror::plan`; `main.rs` and `lib.rs` are crate roots.
fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    match path {
        "lib" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// The files of a file's test modules.
fn test_files(file: &File) -> Vec<String> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let at = |folder: &str, name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let names = file.parsed.tests.iter();
    names
        .flat_map(|name| {
            if name.ends_with(".rs") {
                vec![at(folder, name)]
            } else {
                let own = file.module.join("/");
                vec![at(&own, &format!("{name}.rs")), at(&own, &format!("{name}/mod.rs"))]
            }
        })
        .collect()
}
