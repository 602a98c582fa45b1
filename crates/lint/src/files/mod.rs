//! The files of a skill: readability, links, paths and scripts.

mod dead_skill_link;
mod link_finding;
mod links;
mod not_utf8;
mod path_control_character;
mod special_file;
mod symlink_outside_repository;
mod unreadable_folder;

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
