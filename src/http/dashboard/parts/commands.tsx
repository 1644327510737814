import { Icon } from "./icon.tsx";
import { visible } from "./text.tsx";

/** A command of formflag as {@link formflag} takes it, or another text, with its label. */
export type Command =
  | readonly [label: string, verb: string, ...words: (string | Options)[]]
  | { label: string; text: string };

/** The commands that show or do what the page does. */
export function Commands({ commands }: { commands: readonly Command[] }) {
  if (commands.length === 0) return null;
  return (
    <details class="commands">
      <summary>
        <Icon name="terminal" />
        From the command line
      </summary>
      {commands.map((command) => {
        const [label, text] =
          "label" in command
            ? [command.label, command.text]
            : [command[0], formflag(command[1], ...command.slice(2))];
        return (
          <figure>
            <figcaption>{label}</figcaption>
            <pre tabindex={0}>{visible(text)}</pre>
          </figure>
        );
      })}
    </details>
  );
}

/** A word of a command line, quoted for a POSIX shell if it has to be. */
export function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export type Options = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * A command line: words as they are named, and options by their names; an option that is null or false is left out, and
 * `true` is an option without a value.
 */
export function formflag(verb: string, ...words: readonly (string | Options)[]): string {
  const rest = words.flatMap((each) =>
    typeof each === "string"
      ? quoted(each)
      : Object.entries(each).flatMap(([name, value]) => optionOf(name, value)),
  );
  return ["formflag", verb, ...rest].join(" ");
}

function optionOf(name: string, value: Options[string]): string[] {
  if (value === null || value === undefined || value === false) return [];
  const option = name.length === 1 ? `-${name}` : `--${name}`;
  return value === true ? [option] : [option, quoted(String(value))];
}
