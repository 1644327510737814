import { Command, CommanderError } from "commander";
import { AppError, type ErrorCode } from "../src/base/errors.ts";
import { COMPLETE } from "./completion-command.ts";
import { Cancelled, Failed, type Io, RemoteError, WIDTH, processIo } from "./output/terminal.ts";
import { printable, printableLines } from "./output/text.ts";
import { wrapHelp } from "./output/wrap.ts";
import { globalOptions } from "./session/config.ts";
import { nearMiss } from "./session/near-misses.ts";
import { COMMIT, VERSION } from "./version.ts";

const FAILURE = 1;
const USAGE = 2;
const INTERRUPTED = 130;
const TERMINATED = 143;

const EXIT_CODES: Record<ErrorCode, number> = {
  invalid: USAGE,
  too_large: USAGE,
  unconfirmed: USAGE,
  not_found: 3,
  unauthenticated: 4,
  forbidden: 4,
  conflict: 5,
  unavailable: 6,
  rate_limited: 6,
  unsupported: FAILURE,
};

type Fill = (command: Command, io: Io) => void;

/** Every command with a loader, so that a call pays only for its own; of the others the help knows the summary. */
const COMMANDS: { name: string; summary: string; load: () => Promise<Fill> }[] = [
  {
    name: "serve",
    summary: "serve form submissions, feature flags and the admin API",
    load: async () => (await import("./serve/options.ts")).addServeOptions,
  },
  {
    name: "projects",
    summary: "manage projects, which hold flags and environments",
    load: async () => (await import("./commands/projects/projects.ts")).addProjectCommands,
  },
  {
    name: "environments",
    summary: "manage the environments of a project",
    load: async () => (await import("./commands/environments/environments.ts")).addEnvironmentCommands,
  },
  {
    name: "flags",
    summary: "manage feature flags",
    load: async () => (await import("./commands/flags/flags.ts")).addFlagCommands,
  },
  {
    name: "segments",
    summary: "manage rules that the flags of an environment share",
    load: async () => (await import("./commands/segments/segments.ts")).addSegmentCommands,
  },
  {
    name: "forms",
    summary: "manage forms and what they accept",
    load: async () => (await import("./commands/forms/forms.ts")).addFormCommands,
  },
  {
    name: "submissions",
    summary: "read, export and delete submissions",
    load: async () => (await import("./commands/submissions/submissions.ts")).addSubmissionCommands,
  },
  {
    name: "export",
    summary: "write projects, flags and forms as a file, for apply",
    load: async () => (await import("./commands/documents/apply.ts")).addExportCommand,
  },
  {
    name: "diff",
    summary: "show what applying a file would change",
    load: async () => (await import("./commands/documents/apply.ts")).addDiffCommand,
  },
  {
    name: "apply",
    summary: "change flags and forms to what a file describes",
    load: async () => (await import("./commands/documents/apply.ts")).addApplyCommand,
  },
  {
    name: "tokens",
    summary: "manage tokens for the admin API, which --server uses",
    load: async () => (await import("./commands/tokens/tokens.ts")).addTokenCommands,
  },
  {
    name: "check",
    summary: "check that everything stored is sound and complete",
    load: async () => (await import("./commands/maintenance/check.ts")).addCheckCommand,
  },
  {
    name: "doctor",
    summary: "check that this machine and its settings suit a server",
    load: async () => (await import("./commands/doctor/doctor.ts")).addDoctorCommand,
  },
  {
    name: "healthcheck",
    summary: "check that a server is healthy",
    load: async () => (await import("./commands/healthcheck.ts")).addHealthcheckCommand,
  },
  {
    name: "service",
    summary: "run the server as a service of systemd",
    load: async () => (await import("./commands/service/install.ts")).addServiceCommands,
  },
  {
    name: "backup",
    summary: "back up everything stored, verify a backup, restore it",
    load: async () => (await import("./commands/maintenance/backup.ts")).addBackupCommands,
  },
  {
    name: "config",
    summary: "show the settings in effect",
    load: async () => (await import("./serve/options.ts")).addConfigCommands,
  },
  {
    name: "completion",
    summary: "print a script that completes commands in a shell",
    load: async () => (await import("./commands/completion.ts")).addCompletion,
  },
];

/** Runs a command line. Returns its exit code; an error has been told on standard error. */
export async function run(args: string[], io: Io): Promise<number> {
  const asJson = args.includes("--json");
  const written: Promise<void>[] = [];
  try {
    if (args[0] === COMPLETE) {
      const [, ...words] = args;
      const program = await buildProgram(io, { write: () => {}, isWanted: (name) => words.includes(name) });
      const found = await (await import("./commands/complete.ts")).complete(words, program, io);
      await io.out(found.map((each) => `${each}\n`).join(""));
      return 0;
    }
    const write = (text: string) => void written.push(io.out(wrapHelp(text, io.outWidth ?? Infinity)));
    const isWanted = (name: string) => args.includes(name) || args.includes("completion");
    const program = await buildProgram(io, {
      args,
      asJson,
      mayColor: !args.includes("--no-color"),
      write,
      isWanted,
    });
    if (args.length === 0) program.help();
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return tell(error, io, asJson);
  } finally {
    await Promise.all([...written, io.settle()]);
  }
}

type Build = {
  /** The command line, for hints about what is mistyped in it. */
  args?: string[];
  asJson?: boolean;
  mayColor?: boolean;
  /** Takes help and version texts. */
  write: (text: string) => void;
  /** Which commands to load; of the others only name and summary are there. */
  isWanted?: (name: string) => boolean;
};

/** The commander program: with every command, unless told which are wanted. */
export async function buildProgram(
  io: Io,
  { args = [], asJson = false, mayColor = false, write, isWanted = () => true }: Build,
): Promise<Command> {
  const program = new Command("formflag")
    .description("A form inbox and feature flags in one executable.")
    .version(`formflag ${VERSION} (commit ${COMMIT}, Bun ${Bun.version})`, "--version", "print the version")
    .helpOption("-h, --help", "show help")
    .configureHelp({ styleTitle: bold, showGlobalOptions: true, minWidthToWrap: 20 })
    .configureOutput({
      writeOut: write,
      writeErr: (text) => (asJson ? undefined : io.err(wrapHelp(text, io.errWidth ?? Infinity))),
      outputError(text, write) {
        const [message = "", near] = text
          .replace(/^error: /, "")
          .trimEnd()
          .split("\n");
        const hint = nearMiss(message, args, program) ?? near ?? null;
        if (asJson) io.err(errorJson("invalid", message, hint));
        else
          write(`error: ${message}\n${hint === null ? "" : hint === near ? `${near}\n` : `hint: ${hint}\n`}`);
      },
      // Asked only where there is a terminal: see processIo.
      getOutHelpWidth: () => io.outWidth ?? WIDTH,
      getErrHelpWidth: () => io.errWidth ?? WIDTH,
      getOutHasColors: () => mayColor && io.outIsTerminal && process.stdout.hasColors(),
      getErrHasColors: () => mayColor && io.errIsTerminal && process.stderr.hasColors(),
    })
    .exitOverride()
    .addHelpText("after", FIRST_STEPS);
  for (const option of globalOptions()) program.addOption(option);
  for (const { name, summary, load } of COMMANDS) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`);
    if (isWanted(name)) (await load())(command, io);
  }
  return program;
}

/** commander takes it out again where colours are not wanted. */
function bold(text: string): string {
  return `\x1b[1m${text}\x1b[22m`;
}

const FIRST_STEPS = `
First steps:
  formflag serve
  formflag projects create shop
  formflag flags set new-checkout -p shop -e production --on
  formflag forms create contact
  formflag submissions list contact
`;

function errorJson(code: string, message: string, hint: string | null): string {
  return `${JSON.stringify({ error: { code, message, hint } })}\n`;
}

/** Tells what went wrong, in the words of the one who can do something about it. */
function tell(error: unknown, io: Io, asJson: boolean): number {
  const show = (code: string, message: string, hint: string | null) => {
    if (asJson) io.err(errorJson(code, message, hint));
    else
      io.note(
        `error: ${printableLines(message).replaceAll("\n", "\n  ")}\n${hint === null ? "" : `hint: ${printable(hint)}\n`}`,
      );
  };
  if (error instanceof Cancelled) return INTERRUPTED;
  if (error instanceof Failed) return error.exitCode;
  if (error instanceof CommanderError) {
    // Help and version were asked for.
    if (error.exitCode === 0) return 0;
    // Any other is told by outputError, except for a help that was not asked for.
    if (asJson && error.code === "commander.help")
      io.err(errorJson("invalid", "the command is incomplete", "add --help to see what follows"));
    return USAGE;
  }
  if (error instanceof AppError) {
    show(error.code, error.message, error.hint);
    return EXIT_CODES[error.code];
  }
  if (error instanceof RemoteError) {
    show("internal", error.message, "its log says more");
    return FAILURE;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  show("internal", "internal error: this is a bug in formflag", asJson ? stack : null);
  if (!asJson) io.err(`${stack}\n`);
  return 1;
}

/** An empty variable is one that is not set; so is an option without a value that is said to be off. */
function dropEmptyVariables(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("FORMFLAG_") && process.env[name] === "") delete process.env[name];
  }
  if (/^(0|no|false|off)$/i.test(process.env["FORMFLAG_INSECURE"] ?? ""))
    delete process.env["FORMFLAG_INSECURE"];
}

if (import.meta.main) {
  process.umask(0o077);
  // Options of the runtime, as BUN_OPTIONS sets them, may load any code before ours.
  if (process.execArgv.length > 0) {
    process.stderr.write(
      "error: the runtime was given options of its own, which formflag does not take\nhint: unset BUN_OPTIONS\n",
    );
    process.exit(EXIT_CODES.forbidden);
  }
  dropEmptyVariables();
  const args = process.argv.slice(2);
  if (!args.includes("serve")) {
    // An exit, so that what is half done is cleared away.
    process.once("SIGINT", () => process.exit(INTERRUPTED));
    process.once("SIGTERM", () => process.exit(TERMINATED));
  }
  process.exitCode = await run(args, processIo(process.env));
}
