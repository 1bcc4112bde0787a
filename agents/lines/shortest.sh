#!/bin/sh
# Plays the legal action with the shortest text, and says so. It needs a POSIX shell, sed, and grep.
while IFS= read -r line; do
    case $line in
        '{"type":"decide",'*) ;;
        *) continue ;;
    esac
    decision=$(printf '%s\n' "$line" | sed 's/.*"decision":\([0-9]*\),"attempt":.*/\1/')
    # Each legal action is {"action_id":5,"text":"meld F7"}: one of them on each line.
    legal=$(printf '%s\n' "$line" | sed 's/.*"legal":\[//; s/\],"typed":.*//' | grep -o '{"action_id":[0-9]*,"text":"[^"]*"}')
    best=
    IFS='
'
    for action in $legal; do
        if [ -z "$best" ] || [ ${#action} -lt ${#best} ]; then best=$action; fi
    done
    echo "decision $decision: $best" >&2
    id=$(printf '%s\n' "$best" | sed 's/{"action_id":\([0-9]*\),.*/\1/')
    printf '{"decision":%s,"action":%s}\n' "$decision" "$id"
done
