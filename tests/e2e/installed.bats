#!/usr/bin/env bats
# The installed programs as a person has them after `cmake --install`: RC_PREFIX names the tree.

setup() {
  [ -n "${RC_PREFIX:-}" ] || skip "RC_PREFIX is not set; tools/test sets it"
  rc=$RC_PREFIX/bin/robot-council
  script=$RC_PREFIX/share/robot-council/stop-hook/robot-council-stop-hook
  work=$(mktemp -d "${BATS_TMPDIR:-/tmp}/rc-installed.XXXXXX")
  mkdir -p "$work/home" "$work/project"
  git init -q "$work/project"
  export HOME=$work/home
  unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
  unset ROBOT_COUNCIL_SERVICE ROBOT_COUNCIL_HARNESS ROBOT_COUNCIL_PROJECT
  cd "$work/project" || return 1
}

teardown() {
  if [ -n "${serve_pid:-}" ]; then kill "$serve_pid" 2>/dev/null || true; wait "$serve_pid" 2>/dev/null || true; fi
  if [ -n "${work:-}" ]; then rm -rf "$work"; fi
}

# The service on a free port; sets serve_pid.
start_serve() {
  "$rc" serve --listen 127.0.0.1:0 --data "$work/fleet" --auto-approve >"$work/serve.out" 2>"$work/serve.err" 3>&- &
  serve_pid=$!
  local tries=0
  until grep -q listening "$work/serve.out" 2>/dev/null; do
    tries=$((tries + 1)); [ "$tries" -lt 500 ] || { cat "$work/serve.err"; return 1; }
    read -r -t 0.02 <> <(:) || true
  done
}

@test "the version is said and stderr is empty" {
  run "$rc" --version
  [ "$status" -eq 0 ]
  [[ $output == "robot-council "* ]]
}

@test "the stop-hook script is executable and its shell accepts it" {
  [ "$(stat -c %a "$script")" = 755 ]
  for shell in dash bash "busybox sh"; do
    command -v "${shell%% *}" >/dev/null || continue
    $shell -n "$script"
  done
}

@test "manual pages and completions are installed" {
  [ -f "$RC_PREFIX/share/man/man1/robot-council.1" ]
  [ -f "$RC_PREFIX/share/man/man1/robot-council-pending.1" ]
  [ -f "$RC_PREFIX/share/bash-completion/completions/robot-council" ]
  [ -f "$RC_PREFIX/share/fish/vendor_completions.d/robot-council.fish" ]
}

@test "the systemd unit names the installed program, and systemd understands it" {
  unit=$RC_PREFIX/share/systemd/user/robot-council.service
  [ "$(sed -n 's/^ExecStart=//p' "$unit")" = "$rc serve" ]
  command -v systemd-analyze >/dev/null || skip "systemd-analyze is not there"
  export XDG_RUNTIME_DIR=$work
  run systemd-analyze --user --man=no verify "$unit"
  echo "$output"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "the proxy blocks of the manual are installed" {
  [ -f "$RC_PREFIX/share/robot-council/proxy/nginx.conf" ]
  [ -f "$RC_PREFIX/share/robot-council/proxy/Caddyfile" ]
}

@test "demo proves the main job and leaves nothing" {
  run "$rc" demo
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *'"decision":"block"'* ]]
  [[ $output != *FAILED* ]]
  [ -z "$(ls -A "$work/home")" ]
}

@test "demo names the step that fails: this case must be able to fail" {
  cp -r "$RC_PREFIX" "$work/broken"
  printf '#!/bin/sh\nexit 0\n' >"$work/broken/share/robot-council/stop-hook/robot-council-stop-hook"
  run "$work/broken/bin/robot-council" demo
  echo "$output"
  [ "$status" -eq 1 ]
  [[ $output == *FAILED* ]]
}

@test "a quiet seat prints nothing, makes nothing and ends with 0" {
  export ROBOT_COUNCIL_SERVICE=http://127.0.0.1:1 ROBOT_COUNCIL_HARNESS=claude
  run "$rc" pending
  [ "$status" -eq 0 ]
  [ -z "$output" ]
  [ -z "$(ls -A "$work/home")" ]
}

@test "pending without a service is misconfigured and never 2" {
  run "$rc" pending
  [ "$status" -eq 1 ]
  [[ $output == "robot-council: Pass --service"* ]]
}

@test "serve, enrol, and a second serve on the same data is refused with the pid" {
  start_serve
  run "$rc" enroll --local --data "$work/fleet" --harness=claude --credential-store=file
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"This machine is enrolled."* ]]
  [ "$(stat -c %a "$HOME/.config/robot-council/credentials.json")" = 600 ]
  run "$rc" serve --listen 127.0.0.1:0 --data "$work/fleet"
  [ "$status" -eq 1 ]
  [[ $output == *"$serve_pid"* ]]
}

@test "a service that is asked to end, ends with 0" {
  start_serve
  kill -TERM "$serve_pid"
  wait "$serve_pid"
  serve_pid=
}
