//! The programs that run another command, as data: where each finds the command among its arguments.

/// A program that runs a command.
pub(super) struct Wrapper {
    /// The program, followed by the subcommands that run a command.
    pub name: &'static [&'static str],
    /// Options that take a value.
    pub takes: &'static [&'static str],
    /// The number of its own arguments before the command.
    pub own: usize,
    pub form: Form,
    /// Options that set the folder of the command.
    pub folder: &'static [&'static str],
    /// Whether it has no other effect.
    pub has_no_other_effect: bool,
}

/// Way in which a program receives the command that it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
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

const fn wrapper(name: &'static [&'static str], form: Form) -> Wrapper {
    Wrapper { name, takes: &[], own: 0, form, folder: &[], has_no_other_effect: true }
}

/// Runs its arguments, and does nothing else.
const fn runs(name: &'static [&'static str]) -> Wrapper {
    wrapper(name, Form::Arguments)
}

/// Runs a command among other effects: with other rights, in a container, in a session.
const fn also(name: &'static [&'static str], form: Form) -> Wrapper {
    wrapper(name, form).with_effect()
}

pub(super) const WRAPPERS: &[Wrapper] = &[
    wrapper(&["env"], Form::Option(&["-S", "--split-string"])),
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
    wrapper(&["flock"], Form::Option(&["-c", "--command"])),
    runs(&["flock"]).takes(&["-w", "--timeout", "-E"]).own(1),
    wrapper(&["watch"], Form::Line).takes(&["-n", "--interval"]).with_effect(),
    also(&["sudo"], Form::Arguments)
        .takes(&[
            "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir",
            "--prompt",
        ])
        .folder(&["-D", "--chdir"]),
    also(&["doas"], Form::Arguments).takes(&["-u", "-C"]),
    also(&["pkexec"], Form::Arguments).takes(&["--user"]),
    also(&["gosu"], Form::Arguments).own(1),
    also(&["setpriv"], Form::Arguments).takes(&["--reuid", "--regid"]),
    also(&["su"], Form::Option(&["-c", "--command"])),
    also(&["runuser"], Form::Option(&["-c", "--command"])),
    also(&["runuser"], Form::After(&["--"])),
    also(&["sg"], Form::Line).own(1),
    also(&["script"], Form::Option(&["-c", "--command"])),
    also(&["script"], Form::Arguments).own(1),
    also(&["at"], Form::Stdin),
    also(&["batch"], Form::Stdin),
    also(&["chroot"], Form::Arguments).own(1),
    also(&["unshare"], Form::Arguments).takes(&["-R", "--root", "-w", "--wd", "-S", "-G"]),
    also(&["nsenter"], Form::Arguments).takes(&["-t", "--target", "-S", "-G", "--setuid", "--setgid"]),
    also(&["fakeroot"], Form::Arguments),
    also(&["firejail"], Form::Arguments),
    also(&["proot"], Form::Arguments).takes(&["-r", "-b", "-w", "-q"]),
    also(&["torsocks"], Form::Arguments),
    also(&["proxychains"], Form::Arguments).takes(&["-f"]),
    also(&["proxychains4"], Form::Arguments).takes(&["-f"]),
    also(&["entr"], Form::Arguments),
    also(&["watchexec"], Form::Arguments).takes(&["-w", "-e", "-i", "-f"]),
    also(&["nodemon"], Form::Option(&["-x", "--exec"])),
    also(&["hyperfine"], Form::EachArgument).takes(&["-w", "--warmup", "-r", "--runs", "-N"]),
    also(&["concurrently"], Form::EachArgument).takes(&["-n", "--names", "-c"]),
    also(&["systemd-run"], Form::Arguments).takes(&[
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
    also(&["systemd-inhibit"], Form::Arguments),
    also(&["tmux", "new|new-session|neww|new-window|splitw|split-window|respawn-pane|run|run-shell|popup"], Form::Line)
        .takes(&["-s", "-t", "-n", "-c", "-x", "-y", "-F", "-e", "-l"]),
    also(&["tmux", "send|send-keys"], Form::EachArgument).takes(&["-t", "-N"]),
    also(&["screen"], Form::Arguments).takes(&["-S", "-t", "-c", "-s", "-X", "-p"]),
    also(&["ssh"], Form::Line)
        .takes(&[
            "-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-e", "-m", "-w", "-W", "-E", "-I", "-O",
            "-Q", "-S",
        ])
        .own(1),
    also(&["autossh"], Form::Line).takes(&["-M", "-p", "-i", "-l", "-o", "-F", "-L", "-R", "-D"]).own(1),
    also(&["mosh"], Form::Line).takes(&["-p", "--ssh"]).own(1),
    also(&["vagrant", "ssh"], Form::Option(&["-c", "--command"])),
    also(&["gcloud", "compute", "ssh"], Form::Option(&["--command"])),
    also(&["fly|flyctl", "ssh", "console"], Form::Option(&["-C", "--command"])),
    also(&["heroku", "run"], Form::Arguments).takes(&["-a", "--app"]),
    also(&["docker|podman|nerdctl", "exec"], Form::Arguments)
        .takes(&["-e", "--env", "-u", "--user", "-w", "--workdir", "--env-file"])
        .own(1),
    also(&["docker|podman|nerdctl", "compose", "exec|run"], Form::Arguments).takes(&["-e", "-u", "-w"]).own(1),
    also(&["kubectl|oc", "exec"], Form::After(&["--"])),
    also(&["kubectl|oc", "run"], Form::After(&["--"])),
    also(&["lxc|incus", "exec"], Form::After(&["--"])),
    also(&["nomad", "alloc", "exec"], Form::Arguments).own(1),
    also(&["aws-vault", "exec"], Form::Arguments).own(1),
    also(&["op", "run"], Form::After(&["--"])),
    also(&["doppler", "run"], Form::After(&["--"])),
    also(&["chamber", "exec"], Form::After(&["--"])),
    also(&["sops", "exec-env"], Form::Line).own(1),
    also(&["dotenv|dotenvx|infisical", "run"], Form::After(&["--"])),
    also(&["dotenv"], Form::Arguments).takes(&["-e", "-f"]),
    also(&["direnv", "exec"], Form::Arguments).own(1),
    also(&["nix", "develop|shell"], Form::After(&["-c", "--command"])),
    also(&["nix-shell"], Form::Option(&["--run", "--command"])),
    also(&["guix", "shell"], Form::After(&["--"])),
    also(&["conda|mamba|micromamba", "run"], Form::Arguments).takes(&["-n", "--name", "-p", "--prefix", "--cwd"]),
    also(&["npx|bunx|pnpx|uvx|pipx"], Form::Option(&["-c", "--call"])),
    also(&["npx|bunx|pnpx|uvx"], Form::Arguments).takes(&["-p", "--package", "--from", "--with"]),
    also(&["npm", "exec|x"], Form::Option(&["-c", "--call"])),
    also(&["npm|pnpm|yarn|bun", "exec|x|dlx"], Form::Arguments).takes(&["-p", "--package", "--filter"]),
    also(&["python|python3"], Form::After(&["-m"])),
    also(&["lerna", "exec"], Form::After(&["--"])),
    also(&["cross-env"], Form::Arguments),
    also(&["uv|poetry|pipenv|pdm|hatch|rye", "run"], Form::Arguments).takes(&["--with", "--python", "-p"]),
    also(&["bundle|rbenv|pyenv|nodenv|goenv|jenv", "exec"], Form::Arguments),
    also(&["asdf|mise|rtx", "exec|x"], Form::After(&["--"])),
    also(&["volta|fnm", "run|exec"], Form::Arguments),
    also(&["git", "bisect", "run"], Form::Arguments),
    also(&["git", "submodule", "foreach"], Form::Line),
    also(&["git", "rebase"], Form::Option(&["-x", "--exec"])),
    also(&["git", "difftool"], Form::Option(&["-x", "--extcmd"])),
    also(
        &["git", "filter-branch"],
        Form::Option(&["--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter"]),
    ),
    also(&["rsync"], Form::Option(&["-e", "--rsh"])),
];
