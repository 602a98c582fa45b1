//! The cmdlets that guards know, as data.

/// What a cmdlet does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Remove,
    Read,
    Search,
    Write,
    Create,
    Copy,
    Move,
    Fetch,
    List,
    Evaluate,
    CallBlock,
    Start,
    PowerShell,
    Cmd,
    ChangeFolder,
    Format,
    Filter,
    ForEach,
    Echo,
    JoinPath,
    Test,
    Name,
    Folder,
}

/// Cmdlets, their aliases, and the commands of `cmd`.
const CMDLETS: &[(Action, &[&str])] = &[
    (Action::Remove, &["remove-item", "ri", "rm", "rmdir", "del", "erase", "rd"]),
    (Action::Read, &["get-content", "gc", "cat", "type", "import-csv", "ipcsv", "import-clixml", "format-hex", "fhx"]),
    (Action::Search, &["select-string", "sls"]),
    (
        Action::Write,
        &[
            "set-content",
            "sc",
            "add-content",
            "ac",
            "out-file",
            "tee-object",
            "tee",
            "clear-content",
            "clc",
            "export-csv",
            "epcsv",
            "export-clixml",
        ],
    ),
    (Action::Create, &["new-item", "ni"]),
    (Action::Copy, &["copy-item", "copy", "cp", "cpi"]),
    (Action::Move, &["move-item", "move", "mv", "mi", "rename-item", "ren", "rni"]),
    (Action::Fetch, &["invoke-webrequest", "iwr", "invoke-restmethod", "irm", "start-bitstransfer"]),
    (Action::List, &["get-childitem", "gci", "dir", "ls"]),
    (Action::Evaluate, &["invoke-expression", "iex"]),
    (Action::CallBlock, &["invoke-command", "icm"]),
    (Action::Start, &["start-process", "saps", "start"]),
    (Action::PowerShell, &["powershell", "pwsh"]),
    (Action::Cmd, &["cmd"]),
    (Action::ChangeFolder, &["set-location", "sl", "cd", "chdir", "push-location", "pushd"]),
    (
        Action::Format,
        &["format-volume", "format", "clear-disk", "initialize-disk", "remove-partition", "new-partition", "diskpart"],
    ),
    (
        Action::Filter,
        &[
            "where-object",
            "where",
            "?",
            "select-object",
            "select",
            "sort-object",
            "sort",
            "group-object",
            "group",
            "get-unique",
            "gu",
        ],
    ),
    (Action::ForEach, &["foreach-object", "foreach", "%"]),
    (Action::Echo, &["write-output", "write", "echo", "write-host"]),
    (Action::JoinPath, &["join-path"]),
    (Action::Test, &["test-path"]),
    (Action::Name, &["get-item", "gi", "resolve-path", "rvpa", "convert-path", "cvpa"]),
    (Action::Folder, &["get-location", "gl"]),
];

/// Returns what a command does, by its name in lower case.
pub(super) fn action_of(name: &str) -> Option<Action> {
    // A module may come before the name.
    let name = name.rsplit('\\').next().unwrap_or(name);
    CMDLETS.iter().find(|(_, names)| names.contains(&name)).map(|(action, _)| *action)
}
