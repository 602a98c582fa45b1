//! `device-write` guards whole disks.

use super::GuardInput;
use crate::files::{WriteEffect, writes};
use crate::shell::Word;
use crate::verdict::{Verdict, VerdictReason};

const RULE: &str = "canonry's guard `device-write`";
/// Names below `/dev` that are no disks.
const HARMLESS: [&str; 14] =
    ["null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "fd", "shm", "pts", "tcp", "udp"];
/// Programs that format, partition or erase a disk.
const FORMATS: [&str; 21] = [
    "wipefs",
    "fdisk",
    "sfdisk",
    "cfdisk",
    "gdisk",
    "sgdisk",
    "parted",
    "mkswap",
    "badblocks",
    "blkdiscard",
    "hdparm",
    "diskutil",
    "nvme",
    "cryptsetup",
    "mdadm",
    "pvcreate",
    "pvremove",
    "vgremove",
    "lvremove",
    "zpool",
    "shred",
];
/// Programs that only show what is on a disk.
const SHOWS: [&str; 9] = ["lsblk", "blkid", "smartctl", "df", "mount", "umount", "findmnt", "udevadm", "swapon"];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = input.simple;
    let Some(program) = simple.program() else { return written(input) };
    if SHOWS.contains(&program) {
        return Vec::new();
    }
    let lists =
        |word: &Word| matches!(word.text.as_str(), "-l" | "--list" | "list" | "info" | "-I" | "print" | "status");
    let formats = program.starts_with("mkfs") || program.starts_with("newfs") || FORMATS.contains(&program);
    let names_disk = simple.words.iter().skip(1).any(is_disk);
    let is_formatted = formats && names_disk && !simple.words.iter().any(lists);
    if is_formatted || program.starts_with("mkfs") && simple.words.len() > 1 {
        return vec![VerdictReason::guard(Verdict::Deny, RULE, "it overwrites a disk")];
    }
    written(input)
}

fn written(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let disks = writes(input.simple).into_iter().filter(|(_, word)| is_disk(word));
    let verdicts = disks.map(|(how, _)| if how == WriteEffect::Possible { Verdict::Ask } else { Verdict::Deny });
    let message = |verdict| if verdict == Verdict::Deny { "it overwrites a disk" } else { "it may overwrite a disk" };
    verdicts.max().map(|verdict| VerdictReason::guard(verdict, RULE, message(verdict))).into_iter().collect()
}

fn is_disk(word: &Word) -> bool {
    let name = word.text.strip_prefix("/dev/").unwrap_or_default();
    let first = name.split('/').next().expect("split is never empty");
    !first.is_empty() && !HARMLESS.contains(&first) && !first.starts_with("tty")
}
