//! Context files and rule files of the tools, such as `CLAUDE.md` and `.cursor/rules/*.mdc`.

mod context_import_circle;
mod context_import_depth;
mod context_import_outside;
mod context_many_lines;
mod mdc_globs_yaml;
mod mdc_never_applies;
mod mdc_unknown_key;

rule_table! {
    context_import,
    context_too_long,
    mdc_frontmatter,
    mdc_extension,
}
