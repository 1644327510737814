import { Command } from "commander";
import { COMMANDS } from "./command-table.ts";
import { hasColors, inColor } from "./output/color.ts";
import { formatHelp } from "./output/help.ts";
import { type Io, WIDTH } from "./output/terminal.ts";
import { wrapHelp } from "./output/wrap.ts";
import { FIRST_STEPS } from "./first-steps.ts";
import { globalOptions } from "./session/config.ts";
import { refuseRepeats } from "./session/command-line.ts";
import { COMMIT, VERSION } from "./version.ts";

const ABOUT = `formflag ${VERSION} (commit ${COMMIT}, Bun ${Bun.version})`;

type Build = {
  /** The command line, from which nouns load their verbs. */
  args?: string[];
  /** Gets what is wrong with a command line. */
  complain?: (message: string) => void;
  asJson?: boolean;
  mayColor?: boolean;
  /** Prints help and version texts. */
  write: (text: string) => void;
  /** Selects the commands to load; the others have only their name and summary. */
  isWanted?: (name: string) => boolean;
};

/** The commander program. Default: with every command. */
export async function buildProgram(
  io: Io,
  { args = [], complain = () => {}, asJson = false, mayColor = false, write, isWanted = () => true }: Build,
): Promise<Command> {
  const program = new Command("formflag")
    .description("A form inbox and feature flags in one executable.")
    .helpOption("-h, --help", "show help")
    // commander removes the bold again if colours are not wanted.
    .configureHelp({
      styleTitle: (text) => inColor(text, "bold"),
      formatHelp,
      minWidthToWrap: 20,
    })
    .configureOutput({
      writeOut: write,
      writeErr: (text) => (asJson ? undefined : io.err(wrapHelp(text, io.errWidth ?? Infinity))),
      outputError: (text) => complain(text.replace(/^error: /, "").trimEnd()),
      // Called only if there is a terminal: see processIo.
      getOutHelpWidth: () => io.outWidth ?? WIDTH,
      getErrHelpWidth: () => io.errWidth ?? WIDTH,
      getOutHasColors: () => hasColors(io, "stdout", mayColor),
      getErrHasColors: () => hasColors(io, "stderr", mayColor),
    })
    .exitOverride()
    // Near names are suggested by `explain`.
    .showSuggestionAfterError(false)
    .addHelpText("after", FIRST_STEPS);
  // With that command it names the version to install.
  if (!args.includes("upgrade")) program.version(ABOUT, "--version", "print the version");
  for (const option of globalOptions()) program.addOption(option);
  for (const { name, summary, load } of COMMANDS) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`);
    if (isWanted(name)) await (await load())(command, io, args);
  }
  refuseRepeats(program);
  return program;
}
