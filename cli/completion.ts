import { Argument, type Command } from "commander";
import type { Io } from "./io.ts";

/** One place in the command line and what may follow it. */
type Place = { words: string; choices: string[]; options: string[] };

export function addCompletion(completion: Command, io: Io): void {
  completion
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `
Examples:
  formflag completion bash > ~/.local/share/bash-completion/completions/formflag
  formflag completion zsh > ~/.zfunc/_formflag       (with fpath+=~/.zfunc before compinit)
  formflag completion fish > ~/.config/fish/completions/formflag.fish
`,
    )
    .action(async function (this: Command, shell: keyof typeof SCRIPTS) {
      await io.out(SCRIPTS[shell](placesOf(this.parent!)));
    });
}

/** Every command with its subcommands and options; global options may stand anywhere. */
function placesOf(command: Command, before: string[] = [], inherited: string[] = []): Place[] {
  const optionsOf = command.options.filter((option) => !option.hidden).map((option) => option.long!);
  const options = [...optionsOf, ...inherited];
  const words = [...before, ...(command.parent ? [command.name()] : [])];
  const place = { words: words.join(" "), choices: command.commands.map((each) => each.name()), options };
  return [place, ...command.commands.flatMap((each) => placesOf(each, words, options))];
}

const SCRIPTS = {
  bash: (places: Place[]) => `_formflag() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) case " $(_formflag_words "$at") " in *" $word "*) at="\${at:+$at }$word" ;; esac ;; esac
  done
  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$(_formflag_options "$at")" -- "$cur"))
  else COMPREPLY=($(compgen -W "$(_formflag_words "$at")" -f -- "$cur")); fi
}
_formflag_words() { case "$1" in
${places.map(({ words, choices }) => `  '${words}') echo '${choices.join(" ")}' ;;`).join("\n")}
esac; }
_formflag_options() { case "$1" in
${places.map(({ words, options }) => `  '${words}') echo '${options.join(" ")}' ;;`).join("\n")}
esac; }
complete -F _formflag formflag
`,
  zsh: (places: Place[]) => `#compdef formflag
_formflag() {
  local at="" word
  local -A choices options
  choices=(
${places.map(({ words, choices }) => `    '${words || "-"}' '${choices.join(" ")}'`).join("\n")}
  )
  options=(
${places.map(({ words, options }) => `    '${words || "-"}' '${options.join(" ")}'`).join("\n")}
  )
  for word in \${words[2,CURRENT-1]}; do
    [[ $word != -* && " \${choices[\${at:--}]} " == *" $word "* ]] && at="\${at:+$at }$word"
  done
  if [[ $PREFIX == -* ]]; then compadd -- \${=options[\${at:--}]}
  elif [[ -n \${choices[\${at:--}]} ]]; then compadd -- \${=choices[\${at:--}]}
  else _files; fi
}
if [[ $funcstack[1] == _formflag ]]; then _formflag "$@"; else compdef _formflag formflag; fi
`,
  fish: (places: Place[]) => `${places.flatMap(fishLines).join("\n")}\n`,
};

function fishLines({ words, choices, options }: Place): string[] {
  const seen = words
    .split(" ")
    .filter(Boolean)
    .map((word) => `__fish_seen_subcommand_from ${word}`);
  const none = choices.length > 0 ? [`not __fish_seen_subcommand_from ${choices.join(" ")}`] : [];
  const at = `-n '${[...seen, ...none].join("; and ")}'`;
  return [
    ...choices.map((choice) => `complete -c formflag ${at} -f -a ${choice}`),
    ...options.map((option) => `complete -c formflag ${at} -l ${option.slice(2)}`),
  ];
}
