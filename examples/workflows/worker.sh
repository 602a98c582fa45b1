#!/bin/sh
# Stands in for a coding agent: reads its prompt from stdin, does the step named by CANONRY_STEP, and answers on stdout.
prompt=$(cat)
first_time() { # whether this is called for the first time with this name, in any work tree of the repository
    mark=$(git rev-parse --git-common-dir)/worker.$1
    [ ! -e "$mark" ] && : >"$mark"
}
case $CANONRY_STEP in
plan) echo "Read the parser, add a check, add a test." ;;
build) echo "Done: a check and a test in src/parser.rs." ;;
review)
    case $prompt in
    *"Review the tests"*) first_time review && echo "The test never fails. REJECTED" || echo "The test fails without the change." ;;
    *) echo "No problem found." ;;
    esac
    ;;
draft)
    case $prompt in
    *"too long"*) echo "Faster checks." ;;
    *) echo "This release is about many things, and most of all about speed." ;;
    esac
    ;;
publish) echo "Faster checks." >NOTES.md && echo "NOTES.md is written." ;;
collect) echo '{"passed": true, "error": "", "trace": "parse() at src/parser.rs:12"}' >"$CANONRY_REPORT" ;;
patch)
    # The machine fails while the first candidate works: the runner is killed. By then, it has said that it started the task.
    first_time crash && sleep 1 && kill -9 "$PPID" && sleep 60
    [ "$CANONRY_CANDIDATE" = 1 ] && coverage=71 || coverage=84
    echo "{\"passed\": true, \"error\": \"\", \"coverage\": $coverage}" >"$CANONRY_REPORT"
    ;;
announce)
    marker=$(printf '%s\n' "$prompt" | grep -o '\[run_id:[^]]*\]' | head -n 1)
    grep -qsF "$marker" board.txt || echo "The crash in parse() is fixed. $marker" >>board.txt
    echo '{"passed": true, "error": ""}' >"$CANONRY_REPORT"
    ;;
esac
