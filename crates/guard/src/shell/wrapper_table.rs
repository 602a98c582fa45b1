//! The programs that run another command, as data: where each finds the command among its arguments.

/// A program that runs a command.
pub(super) struct Wrapper {
    /// The program, followed by the subcommands that run a command.
    pub name: &'static [&'static str],
    /// Options that take a value.
    pub takes: &'static [&'static str],
    /// The number of its own arguments before the command.
    pub own: usize,
    pub form: WrapperForm,
    /// Options that set the folder of the command.
    pub folder: &'static [&'static str],
    /// Whether it has no other effect.
    pub has_no_other_effect: bool,
}

/// Way in which a program receives the command that it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WrapperForm {
    /// As its remaining arguments.
    Arguments,
    /// As its arguments after one of these words.
    After(&'static [&'static str]),
    /// As a command line that its remaining arguments form.
    Line,
    /// As a command line in each remaining argument.
    EachArgument,
    /// As a command line in the value of one of these options.
    Option(&'static [&'static str]),
    /// As a command line on stdin.
    Stdin,
}

impl Wrapper {
    const fn takes(mut self, takes: &'static [&'static str]) -> Self {
        self.takes = takes;
        self
    }

    const fn own(mut self, own: usize) -> Self {
        self.own = own;
        self
    }

    const fn folder(mut self, folder: &'static [&'static str]) -> Self {
        self.folder = folder;
        self
    }

    const fn with_effect(mut self) -> Self {
        self.has_no_other_effect = false;
        self
    }
}

const fn wrapper(name: &'static [&'static str], form: WrapperForm) -> Wrapper {
    Wrapper { name, takes: &[], own: 0, form, folder: &[], has_no_other_effect: true }
}

/// Runs its arguments, and does nothing else.
const fn runs(name: &'static [&'static str]) -> Wrapper {
    wrapper(name, WrapperForm::Arguments)
}

/// Runs a command among other effects: with other rights, in a container, in a session.
const fn also(name: &'static [&'static str], form: WrapperForm) -> Wrapper {
    wrapper(name, form).with_effect()
}

pub(super) const WRAPPERS: &[Wrapper] = &[
    wrapper(&["env"], WrapperForm::Option(&["-S", "--split-string"])),
    runs(&["env"]).takes(&["-u", "--unset", "-C", "--chdir", "-P", "-a", "--argv0"]).folder(&["-C", "--chdir"]),
    runs(&["nohup"]),
    runs(&["timeout"]).takes(&["-s", "--signal", "-k", "--kill-after"]).own(1),
    runs(&["gtimeout"]).takes(&["-s", "--signal", "-k", "--kill-after"]).own(1),
    runs(&["nice"]).takes(&["-n", "--adjustment"]),
    runs(&["ionice"]).takes(&["-c", "--class", "-n", "--classdata"]),
    runs(&["setsid"]),
    runs(&["wsl"]).takes(&["-d", "--distribution", "-u", "--user", "--cd", "--shell-type"]),
    runs(&["stdbuf"]).takes(&["-i", "-o", "-e", "--input", "--output", "--error"]),
    runs(&["unbuffer"]),
    runs(&["chronic"]),
    runs(&["ifne"]),
    runs(&["ts"]),
    runs(&["tsp"]),
    runs(&["rlwrap"]),
    runs(&["caffeinate"]).takes(&["-t", "-w"]),
    runs(&["time"]).takes(&["-f", "--format", "-o", "--output"]),
    runs(&["command"]),
    runs(&["builtin"]),
    runs(&["exec"]).takes(&["-a"]),
    runs(&["coproc"]),
    runs(&["busybox"]),
    runs(&["toybox"]),
    runs(&["taskset"]).own(1),
    runs(&["chrt"]).own(1),
    runs(&["numactl"]),
    runs(&["prlimit"]),
    runs(&["choom"]).takes(&["-n", "--adjust"]),
    runs(&["cpulimit"]).takes(&["-l", "--limit"]),
    runs(&["faketime"]).own(1),
    runs(&["setarch"]).own(1),
    runs(&["linux32"]),
    runs(&["linux64"]),
    runs(&["xvfb-run"]).takes(&["-n", "--server-num", "-s", "--server-args", "-e", "--error-file", "-f", "-p", "-w"]),
    runs(&["dbus-run-session"]),
    runs(&["strace"]).takes(&["-o", "-e", "-s", "-p", "-P", "-u"]),
    runs(&["ltrace"]).takes(&["-o", "-e", "-s", "-u"]),
    runs(&["valgrind"]),
    runs(&["perf", "stat"]).takes(&["-e", "-o", "-r"]),
    runs(&["perf", "record"]).takes(&["-e", "-o", "-F"]),
    wrapper(&["flock"], WrapperForm::Option(&["-c", "--command"])),
    runs(&["flock"]).takes(&["-w", "--timeout", "-E"]).own(1),
    wrapper(&["watch"], WrapperForm::Line).takes(&["-n", "--interval"]).with_effect(),
    also(&["sudo"], WrapperForm::Arguments)
        .takes(&[
            "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir",
            "--prompt",
        ])
        .folder(&["-D", "--chdir"]),
    also(&["doas"], WrapperForm::Arguments).takes(&["-u", "-C"]),
    also(&["pkexec"], WrapperForm::Arguments).takes(&["--user"]),
    also(&["gosu"], WrapperForm::Arguments).own(1),
    also(&["setpriv"], WrapperForm::Arguments).takes(&["--reuid", "--regid"]),
    also(&["su"], WrapperForm::Option(&["-c", "--command"])),
    also(&["runuser"], WrapperForm::Option(&["-c", "--command"])),
    also(&["runuser"], WrapperForm::After(&["--"])),
    also(&["sg"], WrapperForm::Line).own(1),
    also(&["script"], WrapperForm::Option(&["-c", "--command"])),
    also(&["script"], WrapperForm::Arguments).own(1),
    also(&["at"], WrapperForm::Stdin),
    also(&["batch"], WrapperForm::Stdin),
    also(&["chroot"], WrapperForm::Arguments).own(1),
    also(&["unshare"], WrapperForm::Arguments).takes(&["-R", "--root", "-w", "--wd", "-S", "-G"]),
    also(&["nsenter"], WrapperForm::Arguments).takes(&["-t", "--target", "-S", "-G", "--setuid", "--setgid"]),
    also(&["fakeroot"], WrapperForm::Arguments),
    also(&["firejail"], WrapperForm::Arguments),
    also(&["proot"], WrapperForm::Arguments).takes(&["-r", "-b", "-w", "-q"]),
    also(&["torsocks"], WrapperForm::Arguments),
    also(&["proxychains"], WrapperForm::Arguments).takes(&["-f"]),
    also(&["proxychains4"], WrapperForm::Arguments).takes(&["-f"]),
    also(&["entr"], WrapperForm::Arguments),
    also(&["watchexec"], WrapperForm::Arguments).takes(&["-w", "-e", "-i", "-f"]),
    also(&["nodemon"], WrapperForm::Option(&["-x", "--exec"])),
    also(&["hyperfine"], WrapperForm::EachArgument).takes(&["-w", "--warmup", "-r", "--runs", "-N"]),
    also(&["concurrently"], WrapperForm::EachArgument).takes(&["-n", "--names", "-c"]),
    also(&["systemd-run"], WrapperForm::Arguments).takes(&[
        "-p",
        "--property",
        "-u",
        "--unit",
        "-E",
        "--setenv",
        "-H",
        "-M",
        "--uid",
        "--gid",
        "--slice",
    ]),
    also(&["systemd-inhibit"], WrapperForm::Arguments),
    also(
        &["tmux", "new|new-session|neww|new-window|splitw|split-window|respawn-pane|run|run-shell|popup"],
        WrapperForm::Line,
    )
    .takes(&["-s", "-t", "-n", "-c", "-x", "-y", "-F", "-e", "-l"]),
    also(&["tmux", "send|send-keys"], WrapperForm::EachArgument).takes(&["-t", "-N"]),
    also(&["screen"], WrapperForm::Arguments).takes(&["-S", "-t", "-c", "-s", "-X", "-p"]),
    also(&["ssh"], WrapperForm::Line)
        .takes(&[
            "-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-e", "-m", "-w", "-W", "-E", "-I", "-O",
            "-Q", "-S",
        ])
        .own(1),
    also(&["autossh"], WrapperForm::Line).takes(&["-M", "-p", "-i", "-l", "-o", "-F", "-L", "-R", "-D"]).own(1),
    also(&["mosh"], WrapperForm::Line).takes(&["-p", "--ssh"]).own(1),
    also(&["vagrant", "ssh"], WrapperForm::Option(&["-c", "--command"])),
    also(&["gcloud", "compute", "ssh"], WrapperForm::Option(&["--command"])),
    also(&["fly|flyctl", "ssh", "console"], WrapperForm::Option(&["-C", "--command"])),
    also(&["heroku", "run"], WrapperForm::Arguments).takes(&["-a", "--app"]),
    also(&["docker|podman|nerdctl", "exec"], WrapperForm::Arguments)
        .takes(&["-e", "--env", "-u", "--user", "-w", "--workdir", "--env-file"])
        .own(1),
    also(&["docker|podman|nerdctl", "compose", "exec|run"], WrapperForm::Arguments).takes(&["-e", "-u", "-w"]).own(1),
    also(&["kubectl|oc", "exec"], WrapperForm::After(&["--"])),
    also(&["kubectl|oc", "run"], WrapperForm::After(&["--"])),
    also(&["lxc|incus", "exec"], WrapperForm::After(&["--"])),
    also(&["nomad", "alloc", "exec"], WrapperForm::Arguments).own(1),
    also(&["aws-vault", "exec"], WrapperForm::Arguments).own(1),
    also(&["op", "run"], WrapperForm::After(&["--"])),
    also(&["doppler", "run"], WrapperForm::After(&["--"])),
    also(&["chamber", "exec"], WrapperForm::After(&["--"])),
    also(&["sops", "exec-env"], WrapperForm::Line).own(1),
    also(&["dotenv|dotenvx|infisical", "run"], WrapperForm::After(&["--"])),
    also(&["dotenv"], WrapperForm::Arguments).takes(&["-e", "-f"]),
    also(&["direnv", "exec"], WrapperForm::Arguments).own(1),
    also(&["nix", "develop|shell"], WrapperForm::After(&["-c", "--command"])),
    also(&["nix-shell"], WrapperForm::Option(&["--run", "--command"])),
    also(&["guix", "shell"], WrapperForm::After(&["--"])),
    also(&["conda|mamba|micromamba", "run"], WrapperForm::Arguments)
        .takes(&["-n", "--name", "-p", "--prefix", "--cwd"]),
    also(&["npx|bunx|pnpx|uvx|pipx"], WrapperForm::Option(&["-c", "--call"])),
    also(&["npx|bunx|pnpx|uvx"], WrapperForm::Arguments).takes(&["-p", "--package", "--from", "--with"]),
    also(&["npm", "exec|x"], WrapperForm::Option(&["-c", "--call"])),
    also(&["npm|pnpm|yarn|bun", "exec|x|dlx"], WrapperForm::Arguments).takes(&["-p", "--package", "--filter"]),
    also(&["python|python3"], WrapperForm::After(&["-m"])),
    also(&["lerna", "exec"], WrapperForm::After(&["--"])),
    also(&["cross-env"], WrapperForm::Arguments),
    also(&["uv|poetry|pipenv|pdm|hatch|rye", "run"], WrapperForm::Arguments).takes(&["--with", "--python", "-p"]),
    also(&["bundle|rbenv|pyenv|nodenv|goenv|jenv", "exec"], WrapperForm::Arguments),
    also(&["asdf|mise|rtx", "exec|x"], WrapperForm::After(&["--"])),
    also(&["volta|fnm", "run|exec"], WrapperForm::Arguments),
    also(&["git", "bisect", "run"], WrapperForm::Arguments),
    also(&["git", "submodule", "foreach"], WrapperForm::Line),
    also(&["git", "rebase"], WrapperForm::Option(&["-x", "--exec"])),
    also(&["git", "difftool"], WrapperForm::Option(&["-x", "--extcmd"])),
    also(
        &["git", "filter-branch"],
        WrapperForm::Option(&["--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter"]),
    ),
    also(&["rsync"], WrapperForm::Option(&["-e", "--rsh"])),
];
