//! The programs that only run another one, with the arguments of their own.

/// A program that runs what stands behind its own arguments.
pub(super) struct Wrapper {
    /// Its name.
    pub name: &'static str,
    /// Options that are followed by a value.
    pub takes: &'static [&'static str],
    /// Arguments of its own that are no options.
    pub own: usize,
    /// Whether it does nothing but that.
    pub is_clear: bool,
}

const fn clear(name: &'static str, takes: &'static [&'static str], own: usize) -> Wrapper {
    Wrapper { name, takes, own, is_clear: true }
}

const fn more(name: &'static str, takes: &'static [&'static str], own: usize) -> Wrapper {
    Wrapper { name, takes, own, is_clear: false }
}

pub(super) const WRAPPERS: &[Wrapper] = &[
    clear("env", &["-u", "--unset", "-C", "--chdir", "-P", "-a", "--argv0"], 0),
    clear("nohup", &[], 0),
    clear("timeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    clear("gtimeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    clear("nice", &["-n", "--adjustment"], 0),
    clear("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    clear("setsid", &[], 0),
    clear("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    clear("unbuffer", &[], 0),
    clear("caffeinate", &["-t", "-w"], 0),
    clear("time", &["-f", "--format", "-o", "--output"], 0),
    clear("command", &[], 0),
    clear("builtin", &[], 0),
    clear("exec", &["-a"], 0),
    clear("coproc", &[], 0),
    clear("busybox", &[], 0),
    clear("toybox", &[], 0),
    clear("taskset", &[], 1),
    clear("chrt", &[], 1),
    clear("flock", &["-w", "--timeout", "-E"], 1),
    clear("strace", &["-o", "-e", "-s", "-p", "-P", "-u"], 0),
    clear("ltrace", &["-o", "-e", "-s", "-u"], 0),
    more(
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir", "--prompt"],
        0,
    ),
    more("doas", &["-u", "-C"], 0),
    more("pkexec", &["--user"], 0),
    more("chroot", &[], 1),
    more("unshare", &[], 0),
    more("fakeroot", &[], 0),
    more("parallel", &["-j", "--jobs", "-a", "--arg-file", "-S", "--sshlogin"], 0),
    more("entr", &[], 0),
    more("watchexec", &["-w", "-e", "-i"], 0),
];

/// Two words that run what follows.
pub(super) const RUNNERS: [[&str; 2]; 10] = [
    ["uv", "run"],
    ["poetry", "run"],
    ["pipenv", "run"],
    ["pdm", "run"],
    ["hatch", "run"],
    ["bundle", "exec"],
    ["npm", "exec"],
    ["pnpm", "exec"],
    ["rye", "run"],
    ["mise", "exec"],
];
