#!/usr/bin/env bats
# The report on recorded stops, by the installed program (RC_PREFIX), and its page in a real browser.
# The pictures stay in build/stops-page.

look() {
  run python3 "$BATS_TEST_DIRNAME/stops_page.py" "$RC_PREFIX" "$BATS_TEST_DIRNAME/../../build/stops-page" "$1"
  [ "$status" -ne 77 ] || skip "$output"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
}

@test "a month of stops is reported, pairs and left out are all of them" {
  look sample
}

@test "a large log and large transcripts do not cost memory" {
  look large
}

@test "the page is whole in light, dark, on a phone and on paper" {
  look page
}
