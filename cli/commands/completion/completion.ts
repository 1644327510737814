import { Argument, type Command, type Option } from "commander";
import type { Io } from "../../output/terminal.ts";
import { localAction } from "../../session/action.ts";
import { COMPLETE } from "./complete-command.ts";

/** A position in the command line and what may follow it. */
type Place = { words: string; choices: string[]; options: Option[] };

export function addCompletionCommand(completion: Command, io: Io): void {
  completion
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SCRIPTS)))
    .after(`
Examples:
  formflag completion bash > ~/.local/share/bash-completion/completions/formflag
  formflag completion zsh > ~/.zfunc/_formflag       (with fpath+=~/.zfunc before compinit)
  formflag completion fish > ~/.config/fish/completions/formflag.fish
`)
    .action(localAction(io, parse, run));
}

type Values = { shell: keyof typeof SCRIPTS; places: Place[] };

function parse(command: Command, shell: string): Values {
  return { shell: shell as Values["shell"], places: placesOf(command.parent!) };
}

async function run(io: Io, { shell, places }: Values): Promise<void> {
  await io.out(SCRIPTS[shell](places));
}

/** Every command with its subcommands and options; global options may be anywhere. */
function placesOf(command: Command, before: string[] = [], inherited: Option[] = []): Place[] {
  const options = [...command.options.filter((option) => !option.hidden), ...inherited];
  const words = [...before, ...(command.parent ? [command.name()] : [])];
  const place = { words: words.join(" "), choices: command.commands.map((each) => each.name()), options };
  return [place, ...command.commands.flatMap((each) => placesOf(each, words, options))];
}

/** The scripts contain commands and options; values of arguments and options come from formflag itself. */
const SCRIPTS = {
  bash: (places: Place[]) => `_formflag() {
  local words=() glue="" at="" word cur prev found
  # Bash breaks words at : and =, formflag does not.
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ \${#words[@]} -gt 0 && ( -n $glue || $word == [:=]* ) ]]; then words[\${#words[@]}-1]+=$word
    else words+=("$word"); fi
    if [[ $word == *[:=] ]]; then glue=1; else glue=""; fi
  done
  cur="\${words[\${#words[@]}-1]}" prev="\${words[\${#words[@]}-2]}"
  for word in "\${words[@]:1:\${#words[@]}-2}"; do
    case "$word" in -*) ;; *) case " $(_formflag_words "$at") " in *" $word "*) at="\${at:+$at }$word" ;; esac ;; esac
  done
  COMPREPLY=()
  if [[ $cur == -* && $cur != *=* ]]; then found="$(_formflag_options "$at")"
  elif [[ $prev != -* && -n "$(_formflag_words "$at")" ]]; then found="$(_formflag_words "$at")"
  else found="$("\${words[0]}" ${COMPLETE} "\${words[@]:1}" 2>/dev/null)"; fi
  case "$found" in
    :files) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "\${cur#*=}")) ;;
    :dirs) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "\${cur#*=}")) ;;
    *) COMPREPLY=($(compgen -W "$found" -- "$cur"))
      word="\${cur%"\${cur##*[:=]}"}"
      COMPREPLY=("\${COMPREPLY[@]#"$word"}") ;;
  esac
}
_formflag_words() { case "$1" in
${places.map(({ words, choices }) => `  '${words}') echo '${choices.join(" ")}' ;;`).join("\n")}
esac; }
_formflag_options() { case "$1" in
${places.map(({ words, options }) => `  '${words}') echo '${longsOf(options)}' ;;`).join("\n")}
esac; }
complete -F _formflag formflag
`,
  zsh: (places: Place[]) => `#compdef formflag
_formflag() {
  local at="" word
  local -a found
  local -A choices options
  choices=(
${places.map(({ words, choices }) => `    '${words || "-"}' '${choices.join(" ")}'`).join("\n")}
  )
  options=(
${places.map(({ words, options }) => `    '${words || "-"}' '${longsOf(options)}'`).join("\n")}
  )
  for word in \${words[2,CURRENT-1]}; do
    [[ $word != -* && " \${choices[\${at:--}]} " == *" $word "* ]] && at="\${at:+$at }$word"
  done
  if [[ $PREFIX == -* && $PREFIX != *=* ]]; then compadd -- \${=options[\${at:--}]}
  elif [[ \${words[CURRENT-1]} != -* && -n \${choices[\${at:--}]} ]]; then compadd -- \${=choices[\${at:--}]}
  else
    found=("\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
    case "$found" in
      :files) [[ $PREFIX == -*=* ]] && compset -P '*='; _files ;;
      :dirs) [[ $PREFIX == -*=* ]] && compset -P '*='; _files -/ ;;
      ?*) compadd -- $found ;;
    esac
  fi
}
if [[ $funcstack[1] == _formflag ]]; then _formflag "$@"; else compdef _formflag formflag; fi
`,
  fish: (places: Place[]) => `function __formflag_found
  set -l words (commandline -opc)
  set -l found ($words[1] ${COMPLETE} $words[2..-1] (commandline -ct) 2>/dev/null)
  switch "$found"
    case :files
      __fish_complete_path (commandline -ct)
    case :dirs
      __fish_complete_directories (commandline -ct)
    case '*'
      printf '%s\\n' $found
  end
end
complete -c formflag -f -a '(__formflag_found)'
${[...new Set(places.flatMap(fishLines))].join("\n")}
`,
};

function longsOf(options: Option[]): string {
  return options.map((option) => option.long!).join(" ");
}

function fishLines({ words, choices, options }: Place): string[] {
  const conditions = words
    .split(" ")
    .filter(Boolean)
    .map((word) => `__fish_seen_subcommand_from ${word}`);
  const none = choices.length > 0 ? [`not __fish_seen_subcommand_from ${choices.join(" ")}`] : [];
  const at = `-n '${[...conditions, ...none].join("; and ")}'`;
  return [
    ...choices.map((choice) => `complete -c formflag ${at} -f -a ${choice}`),
    ...options.map(({ long, short, required }) => {
      const names = `-l ${long!.slice(2)}${short === undefined ? "" : ` -s ${short.slice(1)}`}`;
      return `complete -c formflag ${at} ${names}${required ? " -x -a '(__formflag_found)'" : ""}`;
    }),
  ];
}
