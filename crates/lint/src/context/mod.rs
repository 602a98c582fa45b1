//! Context files and rule files of the tools, such as `CLAUDE.md` and `.cursor/rules/*.mdc`.

mod mdc_globs_yaml;
mod mdc_unknown_key;

rule_table! {
    context_import_missing,
    context_import_circle,
    context_import_depth,
    context_import_outside,
    context_too_long,
    context_many_lines,
    mdc_frontmatter,
    mdc_never_applies,
    mdc_extension,
}
