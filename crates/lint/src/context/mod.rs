//! Context files and rule files of the tools, such as `CLAUDE.md` and `.cursor/rules/*.mdc`.

rule_table! {
    context_import,
    context_placeholder,
    context_too_long,
    mdc_frontmatter,
    mdc_extension,
}
