//! Separation of policies, protocols and workflow templates.

rule_table! {
    layer_permission_in_template,
    layer_steps_in_policy,
}
