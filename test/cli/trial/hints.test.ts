import type { Command } from "commander";
import { expect, test } from "bun:test";
import { buildProgram } from "../../../cli/program.ts";
import { EVERYWHERE } from "../../../cli/session/guesses/words.ts";
import { HINTS } from "../../../cli/session/hints.ts";
import { createIo } from "../../../cli/output/terminal.ts";

const io = createIo(
  {
    writeOut: async () => {},
    writeErr: async () => {},
    stdin: () => new Blob().stream(),
    isTerminal: () => false,
    columns: () => 80,
  },
  {},
);
const program = await buildProgram(io, { write: () => {} });

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

function withParents(command: Command): Command[] {
  return command.parent ? [command, ...withParents(command.parent)] : [command];
}

function takes(command: Command, option: string): boolean {
  return withParents(command).some((each) =>
    each.options.some(({ long, short, hidden }) => !hidden && (long === option || short === option)),
  );
}

const COMMANDS = all(program);

/** Every line that a command declares, the commands that it is for, its words and its hint. */
const GUESSES = COMMANDS.flatMap((command: Command & { heard?: string }) => {
  const lines = command === program ? EVERYWHERE : (command.heard ?? "");
  return lines.split("\n").flatMap((line) => {
    const [, at, words, hint] = /^(?:\[(.*?)\] )?(.*?): (.*)$/.exec(line) ?? [];
    if (words === undefined || hint === undefined) return [];
    const names = at?.split(" ");
    const commands = all(command).filter(
      (each) => names === undefined || withParents(each).some((one) => names.includes(one.name())),
    );
    return [
      { line, command, isAnywhere: names === undefined, names, commands, words: words.split(" "), hint },
    ];
  });
});

test("every line that a command declares is read", () => {
  const lines = COMMANDS.flatMap((command: Command & { heard?: string }) =>
    (command.heard ?? "").split("\n"),
  );
  const read = new Set(GUESSES.map(({ line }) => line));
  expect(lines.filter((line) => line !== "" && !read.has(line))).toEqual([]);
  expect(GUESSES.length).toBeGreaterThan(300);
});

/** The commands and the options in a hint that do not exist; of options outside of a command line, at none of `commands`. */
function missingIn(hint: string, commands: readonly Command[]): string[] {
  return hint.split(/(?=\bformflag (?!a |needs )[a-z])|[;,] /).flatMap((part) => {
    let meant: Command | undefined;
    const [, path = ""] = /^formflag (?!a |needs )([a-z][\w -]*)/.exec(part) ?? [];
    for (const name of path.split(" ").filter(Boolean)) {
      const next = (meant ?? program).commands.find((each) => each.name() === name);
      if (!next) break;
      meant = next;
    }
    const owners = meant ? [meant] : commands;
    const options = [...part.matchAll(/(?<![\w-])(--[a-z][a-z-]+)/g)].map(([, option]) => option!);
    const missing = options.filter(
      (option) =>
        option !== "--version" &&
        option !== "--help" &&
        !owners.some((each) => takes(each, option)) &&
        !part.includes(`${option} of serve`),
    );
    return path !== "" && !meant && !path.startsWith("help") ? [path, ...missing] : missing;
  });
}

test("guesses name commands and options that exist", () => {
  const wrong = GUESSES.flatMap(({ line, commands, words, hint, command }) => {
    // The last name of a service is that of systemd.
    if (hint.includes("systemctl")) return [];
    const missing = missingIn(hint, [...commands, ...all(command)]).filter((each) => !words.includes(each));
    return missing.map((each) => `${line} (${each})`);
  });
  expect(wrong).toEqual([]);
});

test("hints at errors name commands and options that exist", () => {
  const place = { project: "shop", environment: "live", name: "new" };
  const given = ["flags set", "environments set", "environments delete", "projects delete"];
  const wrong = Object.values(HINTS).flatMap((hint) => {
    const texts = typeof hint === "string" ? [hint] : given.map((command) => hint({ command, ...place }));
    return texts.flatMap((text) => missingIn(text, COMMANDS).map((each) => `${text} (${each})`));
  });
  expect(wrong).toEqual([]);
});

test("no hint is for what its commands have", () => {
  const wrong = GUESSES.flatMap(({ line, command, commands, isAnywhere, names, words }) =>
    words.flatMap((word) => {
      if (isAnywhere && command === program) return [];
      const leaves = commands.filter((each) => each.commands.length === 0);
      const nouns = isAnywhere ? [command] : COMMANDS.filter((each) => names!.includes(each.name()));
      const isTaken = word.startsWith("-")
        ? leaves.length > 0 && leaves.every((each) => takes(each, word))
        : nouns.every((noun) =>
            noun.commands.some((each) => [each.name(), ...each.aliases()].includes(word)),
          );
      return isTaken ? [`${line} (${word})`] : [];
    }),
  );
  expect(wrong).toEqual([]);
});
