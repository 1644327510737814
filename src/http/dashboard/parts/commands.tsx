import { Icon } from "./icon.tsx";
import { visible } from "./text.tsx";

export type Command = { label: string; text: string };

/** The commands that show or do what the page does. */
export function Commands({ commands }: { commands: readonly Command[] }) {
  if (commands.length === 0) return null;
  return (
    <section class="commands" aria-labelledby="commands-title">
      <h2 id="commands-title">
        <Icon name="terminal" />
        From the command line
      </h2>
      {commands.map(({ label, text }) => (
        <figure>
          <figcaption>{label}</figcaption>
          <pre tabindex={0}>{visible(text)}</pre>
        </figure>
      ))}
    </section>
  );
}

/** A word of a command line, quoted for a POSIX shell where it has to be. */
export function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
