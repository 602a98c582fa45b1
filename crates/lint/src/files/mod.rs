//! The files of a skill: readability, links, paths and scripts.

mod link_finding;
mod links;

pub use links::SkillLinks;

rule_table! {
    file_unreadable,
    merge_conflict,
    code_fence_unclosed,
    broken_link,
    mentioned_file_missing,
    link_outside_skill,
    link_absolute,
    symlink_absolute,
    symlink_outside_skill,
    path_not_portable,
    reference_chain,
    orphan_file,
    script_not_executable,
    shebang_crlf,
    home_path,
}
