//! Suppression comments.

rule_table! {
    allowance_unknown_rule,
    allowance_unused,
    allowance_without_reason,
}
