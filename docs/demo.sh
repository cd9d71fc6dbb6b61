#!/bin/sh
# A walk through memfs on a copy of the sample vault: `make demo`, or: sh docs/demo.sh SAMPLE TARGET
set -eu

sample=$1
vault=$2
marker=.git/made-by-make-demo

if [ -t 1 ]; then bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m'); else bold= dim= plain=; fi

say() { printf '\n%s%s%s\n' "$dim" "$*" "$plain"; }
show() {
    line=
    for word in "$@"; do
        case $word in *[!A-Za-z0-9_./=:@%+,^-]*) word="'$word'" ;; esac
        line="$line $word"
    done
    printf '\n%s$%s%s\n' "$bold" "$line" "$plain"
    "$@"
}
# The block id at the end of the first line of a file that holds the words.
id_of() { sed -n "/$1/s/.*\(\^m-[a-z2-7]*\) *\$/\1/p" "$2" | head -n 1; }

if [ -e "$vault" ] && [ ! -e "$vault/$marker" ]; then
    echo "$vault is there already and was not made by this demo: move it away first" >&2
    exit 1
fi
rm -rf "$vault"
cp -R "$sample" "$vault"
cd "$vault"
git init --quiet --initial-branch=main .
touch "$marker"
git config user.name >/dev/null || git config user.name "Mara Lindqvist"
git config user.email >/dev/null || git config user.email "mara@example.org"

say "A vault is a git repository of Markdown. This one is a copy of sample_vault/."
show memfs init .
git add --all
git commit --quiet --message "Start from the sample vault"

say "Four conversations wait in inbox/: a Claude Code session, a chat with an API, a chat note, a Chinese group chat."
show memfs ingest
show memfs list --identity coding-assistant --type decisions
show memfs search "which database holds the tide cache" --limit 3

decisions=memories/coding-assistant/decisions.md
say "Where does a memory come from?"
show memfs why "$(id_of SQLite $decisions)"

say "Now somebody edits the file by hand ..."
sed 's/We decided to use SQLite instead of PostgreSQL for the tide cache/SQLite, one file per harbour office/' \
    $decisions > decisions.new
mv decisions.new $decisions
show git --no-pager diff --unified=0 -- $decisions

say "... and another conversation says it differently. The hand edit wins; the other wording is only offered."
cat > inbox/coding-assistant/2026-11-30-cache-again.md <<'CHAT'
## User (2026-11-30 09:15)

We decided to use DuckDB for the tide cache, because the harbours ask for yearly reports.

## Assistant (2026-11-30 09:16)

Noted.
CHAT
show memfs ingest
show sed -n '/^# /,$p' $decisions

say "Everything is in git, in plain words, and can be undone merge by merge."
show memfs log
show memfs undo HEAD
show git --no-pager log --oneline

say "The vault is yours: open $vault in Obsidian or an editor, or go on with: memfs --help"
