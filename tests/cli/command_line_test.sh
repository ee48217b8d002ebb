#!/usr/bin/env bash
# Runs the program on good and broken input and checks exit codes and output: 0 with the result on standard
# output, 1 with exactly one "error: ..." line, 2 for wrong usage, and never a signal.
set -uo pipefail
program=$1
data=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$data/golden/llama-small/tiny-llama-small.q4.powerinfer.gguf
failures=0

fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# expect NAME WANTED_OUTPUT COMMAND...: exit code 0 and exactly this on standard output.
expect() {
  local name=$1 wanted=$2 got
  shift 2
  got=$("$@" 2>"$work/err") || fail "$name: exit code $?: $(cat "$work/err")"
  [ "$got" = "$wanted" ] || fail "$name: wanted '$wanted', got '$got'"
}

# refuses NAME CODE MENTION COMMAND...: this exit code and one error line that mentions something.
refuses() {
  local name=$1 code=$2 mention=$3 rc
  shift 3
  "$@" >"$work/out" 2>"$work/err" </dev/null
  rc=$?
  [ $rc -eq "$code" ] || fail "$name: wanted exit code $code, got $rc"
  [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$name: not one line: $(cat "$work/err")"
  grep -q '^error: ' "$work/err" || fail "$name: no error line: $(cat "$work/err")"
  grep -qF -- "$mention" "$work/err" || fail "$name: doesn't mention $mention: $(cat "$work/err")"
  [ ! -s "$work/out" ] || fail "$name: wrote to standard output"
}

# Results. The greedy ids stand in tests/data/golden (case short, greedy_exact).
json_ids() { "$program" generate "$@" --json --temperature 0 | sed 's/.*"ids":\[\([0-9,]*\)\].*/\1/'; }
for threads in 1 2 3; do
  expect "greedy ids with $threads threads" 59,91,331,91,331,362,193,422,593,474,91,331,362,580,593,474 \
    json_ids "$model" --ids "1 312 504 550 435 80 164 460" -n 16 --precision f32 --threads $threads
done
tokenize() { printf %s "$1" | "$program" tokenize "$data/tokenizer/llama-spm.vocab.gguf" "${@:2}"; }
expect "tokenize" "15043 3186" tokenize "Hello world"
expect "tokenize --special" "1 15043 3186" tokenize "Hello world" --special
expect "tokenize --hex" "15043" tokenize 48656c6c6f --hex
detokenize() { echo "$1" | "$program" detokenize "$data/tokenizer/llama-spm.vocab.gguf"; }
expect "detokenize" "Hello world" detokenize "15043 3186"
logits() { "$program" logits "$model" --ids "1 2 3" --out "$work/l.f32" "$@" && wc -c <"$work/l.f32"; }
expect "logits of all positions" $((3 * 640 * 4)) logits
expect "logits of the last" $((640 * 4)) logits --last 1
chat() { printf '%s\n' "$@" | "$program" chat --max-tokens 5 2>/dev/null | wc -c; }
[ "$(chat hello /quit)" -gt 0 ] || fail "chat with the built-in model says nothing"
[ "$("$program" --version | wc -l)" -eq 1 ] || fail "--version isn't one line"
"$program" generate --help | grep -q -- --prompt-file || fail "generate --help doesn't name its options"

# Wrong usage.
refuses "no such command" 2 frobnicate "$program" frobnicate
refuses "no such option" 2 --frob "$program" generate "$model" --prompt x --frob
refuses "value missing" 2 --ids "$program" logits "$model" --ids
refuses "not a number" 2 many "$program" generate "$model" --prompt x -n many

# Files that are no models (classes 1 to 9 of the malformed-input classes).
: >"$work/empty.gguf"
printf 'GGUF' >"$work/short.gguf"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >"$work/lfs.gguf"
printf '<!DOCTYPE html><html><head><title>404</title></head></html>' >"$work/page.gguf"
head -c 100000 "$model" >"$work/cut.gguf"
{ printf 'PWRI\x01\x00\x00\x00'; tail -c +9 "$model"; } >"$work/version1.gguf"
{ printf 'PWRI\x00\x00\x00\x03'; tail -c +9 "$model"; } >"$work/bigendian.gguf"
{ printf 'PWRI\x09\x00\x00\x00'; tail -c +9 "$model"; } >"$work/future.gguf"
ln -s nowhere "$work/dangling.gguf"
ln -s loop.gguf "$work/loop.gguf"
mkfifo "$work/pipe.gguf"
for file in empty short lfs page cut version1 bigendian future dangling loop pipe; do
  refuses "$file as a model" 1 "$file.gguf" "$program" generate "$work/$file.gguf" --prompt x
done
mkdir "$work/folder"
refuses "an empty folder" 1 folder "$program" generate "$work/folder" --prompt x
refuses "no such file" 1 absent.gguf "$program" generate "$work/absent.gguf" --prompt x
refuses "device" 1 /dev/zero "$program" inspect /dev/zero

# What can't be done.
refuses "an empty name" 1 demo "$program" generate "" --prompt x
for command in generate "logits --out $work/x.f32" activity; do
  # shellcheck disable=SC2086
  refuses "id outside the vocabulary, $command" 1 "$(basename "$model"): a token id" \
    "$program" $command "$model" --ids "1 640"
done
refuses "prompt longer than the context" 1 "raise --ctx" \
  "$program" generate "$model" --ids "$(seq -s ' ' 1 100)" --ctx 50
refuses "predicted without predictors" 1 predictors \
  "$program" generate "$data/golden/llama-dense/tiny-llama-dense.gguf" --ids "1 2" --mode predicted
refuses "unknown kernel level" 1 THERMOCLINE_CPU \
  env THERMOCLINE_CPU=sse9 "$program" logits "$model" --ids 1 --out "$work/x.f32"
refuses "output into a missing folder" 1 none "$program" logits "$model" --ids 1 --out "$work/none/x.f32"
cp "$model" "$work/model.gguf"
ln -s model.gguf "$work/link"
for out in model.gguf ./../"$(basename "$work")"/model.gguf link; do
  refuses "logits onto the model, $out" 1 replaced "$program" logits "$work/model.gguf" --ids 1 --out "$work/$out"
done
cmp -s "$model" "$work/model.gguf" || fail "logits replaced the model"
[ ! -e "$work/x.f32" ] || fail "a refused command left a file"

# A prompt that isn't UTF-8, and 10 MB of it (class 56).
printf '\xff\xfe\x80bad' >"$work/bad.txt"
"$program" generate "$model" --prompt-file "$work/bad.txt" -n 3 --temperature 0 >/dev/null 2>&1 ||
  fail "a prompt that isn't UTF-8: exit code $?"
from_input() { printf 'Hello' | json_ids "$model" --prompt-file "$1" -n 4; }
for source in - /dev/stdin; do
  expect "a prompt from $source" "$(json_ids "$model" --prompt Hello -n 4)" from_input $source
done
refuses "an endless prompt" 1 /dev/zero "$program" generate "$model" --prompt-file /dev/zero
head -c 10000000 /dev/zero | tr '\0' x >"$work/long.txt"
refuses "10 MB of prompt" 1 context "$program" generate "$model" --prompt-file "$work/long.txt" -n 3

# interrupted NAME SIGNAL COMMAND...: the signal ends it with exit code 130. It comes when the command has
# had a second of processor time, so that it has begun its work however busy the machine is.
interrupted() {
  local name=$1 signal=$2 rc pid ticks
  shift 2
  set -m  # a shell without job control has its background processes ignore SIGINT
  "$@" >"$work/out" 2>"$work/err" </dev/null &
  pid=$!
  set +m
  for _ in {1..1200}; do
    ticks=$(cut -d ' ' -f 14 "/proc/$pid/stat" 2>/dev/null) || break
    [ "$ticks" -lt "$(getconf CLK_TCK)" ] || break
    sleep 0.1
  done
  kill -s "$signal" $pid
  wait $pid
  rc=$?
  [ $rc -eq 130 ] || fail "$name: wanted exit code 130, got $rc: $(cat "$work/err")"
}

# Signals: what was said is kept, and nothing half-written is left.
deep=$data/golden/llama-deep/tiny-llama-deep.q4.powerinfer.gguf
for signal in INT TERM; do
  interrupted "generate, SIG$signal" $signal \
    "$program" generate "$deep" --prompt x --json -n 1000000 --ctx 1000000 --temperature 0
  grep -q '"ids":\[[0-9]' "$work/out" || fail "SIG$signal: the tokens generated so far are lost"
  grep -q '"stop":"stopped"' "$work/out" || fail "SIG$signal: the reason isn't 'stopped'"
  interrupted "logits, SIG$signal" $signal \
    "$program" logits "$deep" --ids "$(printf '5 %.0s' {1..60000})" --out "$work/interrupted.f32"
  ls "$work" | grep -q interrupted && fail "SIG$signal: half a file is left"
done

# Whether the program runs there and handles SIGTERM (bit 14 of the mask): before that, the signal would
# end it as it ends any other.
handles_term() {
  local mask
  [ "$(cat "/proc/$1/comm" 2>/dev/null)" = thermocline ] || return 1
  mask=$(sed -n 's/^SigCgt:\s*//p' "/proc/$1/status" 2>/dev/null)
  [ -n "$mask" ] && [ $((0x$mask & 0x4000)) -ne 0 ]
}

# waits_until_told NAME OUTPUT COMMAND...: a command that waits for others to read or write ends with SIGTERM.
waits_until_told() {
  local name=$1 output=$2 rc pid
  shift 2
  "$@" >"$output" 2>"$work/err" </dev/null &
  pid=$!
  for _ in {1..1200}; do
    handles_term $pid && break
    sleep 0.05
  done
  for _ in {1..600}; do
    kill -s TERM $pid 2>/dev/null || break
    sleep 0.1
  done
  wait $pid
  rc=$?
  [ $rc -eq 130 ] || fail "$name: wanted exit code 130, got $rc: $(cat "$work/err")"
}
mkfifo "$work/unread"
waits_until_told "writing to a pipe without reader" "$work/out" "$program" logits "$model" --ids 1 --out "$work/unread"
exec 3<>"$work/unread"
waits_until_told "writing to a pipe that nobody empties" "$work/out" \
  "$program" logits "$model" --ids "$(seq -s ' ' 1 200)" --out "$work/unread"
waits_until_told "printing to a pipe that nobody empties" "$work/unread" \
  "$program" activity "$model" --ids "$(seq -s ' ' 1 200)" --neurons
exec 3>&-

# A limit on the size of files is an error like a full disk.
(ulimit -f 1; refuses "a limit on file sizes" 1 limited.f32 \
  "$program" logits "$model" --ids "1 2 3" --out "$work/limited.f32"; exit $failures)
failures=$?
ls "$work" | grep -q limited && fail "a limit on file sizes: half a file is left"

# The chat.
chat_err() { "$program" chat 2>&1 >/dev/null | grep '^error: '; }
[[ $(chat_err </dev/zero) == *"standard input"* ]] || fail "chat takes a line without end"
[[ $(chat_err <"$work") == *"standard input"* ]] || fail "chat doesn't say that its input can't be read"
if script -qec true /dev/null >/dev/null 2>&1; then  # not everywhere can a terminal be made
  # Where no locale is set, as on a minimal system, line editing must not drop what isn't ASCII.
  printf '你好 héllo\n/save %s\n/quit\n' "$work/saved.md" |
    env -u LC_ALL -u LC_CTYPE -u LANG THERMOCLINE_DATA_DIR="$work" \
      timeout 60 script -qec "'$program' chat --max-tokens 3" /dev/null >"$work/screen"
  grep -q '^你好 héllo$' "$work/saved.md" || fail "line editing drops characters: $(cat "$work/screen")"
fi

# What inspect lists of each kind of file.
lists() { "$program" inspect "$data/$1" | grep -qF -- "$2" || fail "inspect $1 doesn't list $2"; }
lists golden/llama-small/tiny-llama-small.q4.powerinfer.gguf "blk.1.ffn_down_t.weight  Q4_0  [64,1024]"
lists golden/bamboo/tiny-bamboo.powerinfer.gguf.budget-400000.generated.gpuidx "blk.2.gpu_bucket  I32  [256]"
lists checkpoints/llama-small/model.safetensors "model.norm.weight  F16  [64]"
lists checkpoints/llama-small-predictor/model_0.pt "fc2.weight  F16  [1024,32]"
lists checkpoints/llama-small-predictor/model_1.pt "fc2.weight  F16  [1024,32]"
lists golden/llama-deep/activation/activation_0.pt "I64  [1024]"

[ $failures -eq 0 ] && echo "all checks passed"
exit $((failures > 0))
