//! Packs: tables of commands that need approval, which the config switches on. They only tighten.

use super::guard::GuardInput;
use super::matching::pattern::matches_pattern;
use super::verdict::{Verdict, VerdictReason};
use canonry_model::config::HookPack;

/// A row of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackRule {
    pub verdict: Verdict,
    /// In the notation of [`super::matching::pattern`].
    pub pattern: &'static str,
    pub reason: &'static str,
    /// Alternative; empty if there is nothing better.
    pub alternative: &'static str,
}

/// The rows of a pack.
pub fn rules(pack: HookPack) -> impl Iterator<Item = PackRule> {
    let table = match pack {
        HookPack::Databases => include_str!("packs/databases.tsv"),
        HookPack::Kubectl => include_str!("packs/kubectl.tsv"),
        HookPack::Terraform => include_str!("packs/terraform.tsv"),
        HookPack::Cloud => include_str!("packs/cloud.tsv"),
    };
    table.lines().filter(|line| !line.starts_with('#')).filter_map(parse)
}

fn parse(line: &'static str) -> Option<PackRule> {
    let mut fields = line.split('\t');
    let verdict = match fields.next()? {
        "ask" => Verdict::Ask,
        "deny" => Verdict::Deny,
        _ => return None,
    };
    let pattern = fields.next()?;
    let reason = fields.next()?;
    Some(PackRule { verdict, pattern, reason, alternative: fields.next().unwrap_or_default() })
}

/// The first row of each pack in use that applies to a command.
pub(super) fn command_reasons(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = input.simple;
    let is_harmless = |text: &str| {
        matches!(text, "--help" | "--dry-run" | "--dryrun" | "--dry-run=client" | "--dry-run=server" | "--version")
    };
    if input.policy.settings.packs.is_empty() || simple.words.iter().any(|word| is_harmless(&word.text)) {
        return Vec::new();
    }
    let found = input.policy.settings.packs.iter().filter_map(|pack| {
        let rule = rules(*pack).find(|rule| matches_pattern(rule.pattern, simple, input.script))?;
        let instead = match rule.alternative {
            "" => String::new(),
            alternative => format!("; instead: {alternative}"),
        };
        let name = format!("pack `{}`", pack.name());
        Some(VerdictReason::guard(rule.verdict, &name, format!("{}{instead}", rule.reason)))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::around;
    use crate::{Policy, ToolCall, evaluate};
    use canonry_model::canon::Layout;
    use canonry_model::config::HooksConfig;

    #[test]
    fn every_line_is_a_rule() {
        let tables = [
            include_str!("packs/databases.tsv"),
            include_str!("packs/kubectl.tsv"),
            include_str!("packs/terraform.tsv"),
            include_str!("packs/cloud.tsv"),
        ];
        for (pack, table) in HookPack::ALL.into_iter().zip(tables) {
            let lines = table.lines().filter(|line| !line.starts_with('#')).count();
            assert_eq!(rules(pack).count(), lines, "{}", pack.name());
            assert!(rules(pack).all(|rule| !rule.pattern.is_empty() && !rule.reason.is_empty()));
        }
    }

    #[test]
    fn a_pack_asks_only_if_it_is_switched_on() {
        let verdict = |packs: &[HookPack], command: &str| {
            let settings = HooksConfig { packs: packs.to_vec(), ..HooksConfig::default() };
            let call = ToolCall::Shell { command: command.to_owned(), cwd: None };
            evaluate(&call, &Policy::new(Layout::default(), settings), &around()).verdict
        };
        for (pack, command) in [
            (HookPack::Databases, "psql -c 'DROP TABLE users'"),
            (HookPack::Databases, "echo 'truncate users;' | sudo -u postgres psql"),
            (HookPack::Databases, "redis-cli -h x FLUSHALL"),
            (HookPack::Kubectl, "kubectl -n prod delete pod --all"),
            (HookPack::Kubectl, "helm uninstall web"),
            (HookPack::Terraform, "terraform -chdir=prod destroy -auto-approve"),
            (HookPack::Terraform, "pulumi up -y"),
            (HookPack::Cloud, "aws --profile p ec2 terminate-instances --instance-ids i-1"),
            (HookPack::Cloud, "gcloud compute instances delete x -q"),
            (HookPack::Cloud, "az vm delete -n x"),
        ] {
            assert_eq!(verdict(&[], command), Verdict::Unlisted, "{command}");
            assert_eq!(verdict(&[pack], command), Verdict::Ask, "{command}");
        }
        for command in [
            "psql -c 'select 1'",
            "kubectl get pods",
            "kubectl apply -f x --dry-run=client",
            "terraform plan",
            "aws s3 ls",
            "gcloud compute instances list",
            "az vm list",
            "helm list",
            "redis-cli GET x",
        ] {
            assert_eq!(verdict(&HookPack::ALL, command), Verdict::Unlisted, "{command}");
        }
    }
}
