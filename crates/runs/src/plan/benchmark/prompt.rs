//! Prompt for a planner.

use canonry_model::canon::benchmark::PlanBenchmark;

/// The form of a plan, as the plan schema describes it.
const FORM: &str = "\
```yaml
steps:
  - id: short-name
    description: what the step does
    owner: who does it
    deps: [ids of the steps that must be complete first]
    files: [files that the step writes]
    criteria: [what is true when the step is done]
    commands: [\"Run: a command that proves it\"]
```
";

/// The prompt of a benchmark. It names the facts that a planner cannot know, and no others.
pub fn planner_prompt(benchmark: &PlanBenchmark) -> String {
    let owners = match benchmark.expected.owners.as_slice() {
        [] => String::new(),
        owners => format!("The owners are {}.\n", owners.join(", ")),
    };
    format!(
        "Plan the task below for the repository in the current folder. Read what you need; carry nothing out and change no \
         files.\nAnswer with one plan in a YAML code block of this form:\n\n{FORM}\n{owners}\nTask:\n\n{}\n",
        benchmark.task.trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::benchmark::extract_plan;
    use canonry_model::canon::benchmark::ExpectedPlan;
    use canonry_model::canon::schema::Schemas;

    #[test]
    fn the_prompt_names_the_task_and_the_owners() {
        let expected = ExpectedPlan { owners: vec!["DB".to_owned(), "UI".to_owned()], ..ExpectedPlan::default() };
        let benchmark = PlanBenchmark { task: "Add a login.\n".to_owned(), expected, ..PlanBenchmark::default() };
        let prompt = planner_prompt(&benchmark);
        assert!(prompt.ends_with("\nThe owners are DB, UI.\n\nTask:\n\nAdd a login.\n"), "{prompt}");
        let example = extract_plan(&prompt, &Schemas::default()).unwrap();
        assert_eq!(example.violations, []);
    }
}
