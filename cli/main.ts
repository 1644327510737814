import type { Command } from "commander";
import { AppError, type ErrorCode, stackOf } from "../src/base/errors.ts";
import { COMPLETE } from "./commands/completion/complete-command.ts";
import { Cancelled, EXIT, Failed, RemoteError } from "./exit.ts";
import { errorJson } from "./output/error-json.ts";
import { type Io, processIo } from "./output/terminal.ts";
import { printable, printableLines } from "./output/text.ts";
import { wrapHelp } from "./output/wrap.ts";
import { ABOUT } from "./version.ts";

const EXIT_CODES: Record<ErrorCode, number> = {
  invalid: EXIT.usage,
  too_large: EXIT.usage,
  unconfirmed: EXIT.usage,
  unapproved: 4,
  outdated: 5,
  unprocessable: EXIT.usage,
  not_found: 3,
  gone: 3,
  unauthenticated: 4,
  forbidden: 4,
  conflict: 5,
  unavailable: EXIT.unavailable,
  rate_limited: EXIT.unavailable,
  unsupported: EXIT.failure,
  authorization_pending: EXIT.unavailable,
  slow_down: EXIT.unavailable,
  access_denied: 4,
  expired_token: 4,
};

/** Commands that begin something of their own, or concern no data of a user. */
const ALONE = new Set(["serve", "demo", "service", "upgrade", "completion", "healthcheck", "docs"]);

/** The first word of a command line. */
function nounOf(command: Command): string {
  return command.parent?.parent ? nounOf(command.parent) : command.name();
}

/** Runs a command line. Returns its exit code, after an error was printed on standard error. */
export async function run(given: string[], io: Io): Promise<number> {
  let args = given;
  const namesPlace = given.some((each) => /^--(?:data|database|blobs|server)\b/.test(each));
  const asJson = args.includes("--json");
  const written: Promise<void>[] = [];
  let acting: Command | undefined;
  let complaint = "";
  let code = 0;
  try {
    dropEmptyVariables();
    // The parser takes longer to load than this.
    if (args[0] === "--version" && !args.includes("upgrade")) {
      await noteVariables(args, io);
      await io.show(wrapHelp(`${ABOUT}\n`, io.outWidth ?? Infinity));
      return code;
    }
    const { buildProgram, isOptions, joinLists, PROPOSED_FOR } = await import("./program.ts");
    // Without a time of its own it would take the next word.
    args = args.map((each) => (each === "--propose" ? `--propose=${PROPOSED_FOR}` : each));
    if (args[0] === COMPLETE) {
      const [, ...words] = args;
      const program = await buildProgram(io, { write: () => {}, isWanted: (name) => words.includes(name) });
      const { complete } = await import("./commands/completion/complete.ts");
      const candidates = await complete(words, program, io);
      await io.out(candidates.map((each) => `${each}\n`).join(""));
      return code;
    }
    if (given.some((each) => each.includes("\uFFFD")))
      (await import("./argument-bytes.ts")).requireUtf8(given);
    const write = (text: string) => void written.push(io.show(wrapHelp(text, io.outWidth ?? Infinity)));
    const isWanted = (name: string) => args.includes(name) || args.includes("completion");
    const program = await buildProgram(io, {
      args,
      complain: (message) => void (complaint = message),
      asJson,
      mayColor: !args.includes("--no-color"),
      write,
      isWanted,
    });
    program.hook("preAction", async (_, command) => {
      acting = command;
      // A server starts without what it does not need.
      if (!ALONE.has(nounOf(command))) await (await import("./session/kept/kept.ts")).fillIn(command, io);
    });
    await noteVariables(args, io);
    if (args.length === 0) program.help();
    args = isOptions(args) ? ["--help"] : withoutHelp(args, program);
    await program.parseAsync(joinLists(args, program), { from: "user" });
  } catch (error) {
    const explained = complaint === "" ? error : await explainedError(complaint, args, io);
    code = await reportError(explained, io, { asJson, namesPlace, command: acting });
  }
  // Help that could not be written is an error too.
  await Promise.all(written).catch(
    async (error) => (code = await reportError(error, io, { asJson, namesPlace, command: acting })),
  );
  await io.settle();
  return code;
}

/** The error for a command line that commander refuses. */
async function explainedError(message: string, args: string[], io: Io): Promise<AppError> {
  const [{ explain }, { buildProgram }] = await Promise.all([
    import("./session/guesses/explain.ts"),
    import("./program.ts"),
  ]);
  const program = await buildProgram(io, { write: () => {} });
  const { message: text, hint } = explain(message, args, program);
  return new AppError("invalid", text, { hint: hint ?? undefined });
}

/** Prints an error with a hint at what to do, and returns its exit code. */
async function reportError(
  thrown: unknown,
  io: Io,
  { asJson, namesPlace, command }: { asJson: boolean; namesPlace: boolean; command: Command | undefined },
): Promise<number> {
  const error = thrown instanceof Error && "path" in thrown ? await ofFile(thrown) : thrown;
  const { withoutKept } = await import("./session/kept/without-kept.ts");
  const show = (code: string, message: string, long: string | null) => {
    // The place that a command names has other projects.
    const hint = long === null || namesPlace ? long : withoutKept(long);
    if (asJson) return io.err(errorJson(code, message, hint));
    io.note(`error: ${printableLines(message).replaceAll("\n", "\n  ")}\n${hintLine(hint)}`);
  };
  if (error instanceof Cancelled) return EXIT.interrupted;
  if (error instanceof Failed) return error.exitCode;
  const { CommanderError } = await import("commander");
  if (error instanceof CommanderError) {
    // commander also throws after printing help or the version.
    if (error.exitCode === 0) return 0;
    // outputError prints every other error, except that of a command without its subcommand.
    if (asJson && error.code === "commander.help")
      io.err(errorJson("invalid", "the command is incomplete", "add --help to see what follows"));
    return EXIT.usage;
  }
  if (error instanceof AppError) {
    const { hintFor } = await import("./session/hints.ts");
    show(error.code, error.message, hintFor(error, command));
    return EXIT_CODES[error.code];
  }
  if (error instanceof RemoteError) {
    show("internal", error.message, "see the log of the server");
    return EXIT.failure;
  }
  const stack = stackOf(error);
  show("internal", "internal error: this is a bug in formflag", asJson ? stack : null);
  if (!asJson) io.err(`${printableLines(stack)}\n`);
  return EXIT.failure;
}

/** An AppError for an error of the file system, which is that of a disk or of a user's rights; any other error unchanged. */
async function ofFile(error: Error & { path?: unknown; code?: unknown }): Promise<unknown> {
  const path = String(error.path);
  if (error.code !== "EACCES" && error.code !== "EPERM")
    return (await import("./data/write.ts")).diskError(error, path);
  return new AppError("forbidden", `${path} cannot be used: permission denied`, {
    hint: "check who owns it, and run this as that user",
    cause: error,
  });
}

/** The last line of an error: a hint, or a remark in brackets such as "(Did you mean list?)". */
function hintLine(hint: string | null): string {
  if (hint === null) return "";
  return hint.startsWith("(") ? `${printable(hint)}\n` : `hint: ${printable(hint)}\n`;
}

/**
 * `flags set --help` for `help flags set`, since commander shows the help of a noun, not of its verb, and the help of the
 * program for any other word.
 */
function withoutHelp(args: string[], program: Command): string[] {
  const [help, noun, ...others] = args;
  if (help !== "help" || noun === undefined || noun.startsWith("-")) return args;
  if (!program.commands.some((each) => each.name() === noun)) return [noun, ...others];
  return others.length > 0 ? [noun, ...others, "--help"] : args;
}

/** Notes variables that are probably misspelt, to a person and in what a server writes. */
async function noteVariables(args: readonly string[], io: Io): Promise<void> {
  const isOfServer = args.includes("serve") || args.includes("doctor");
  if (!(isOfServer || (io.errIsTerminal && !args.includes("--json")))) return;
  if (!Object.keys(process.env).some((name) => /^form_?flag/i.test(name))) return;
  const { misspeltVariables } = await import("./session/guesses/variables.ts");
  for (const text of misspeltVariables(process.env)) io.note(`warning: ${printable(text)}\n`);
}

/** Variables of options without a value. */
const SWITCHES = [
  "FORMFLAG_INSECURE",
  "FORMFLAG_MCP",
  "FORMFLAG_MCP_REGISTRATION",
  "FORMFLAG_NO_DASHBOARD",
  "FORMFLAG_NO_PASSWORD",
  "FORMFLAG_OIDC_TRUST_NAMES",
];

/** Removes empty variables, which count as not set, and switches whose value means no. Throws `invalid` for other values. */
function dropEmptyVariables(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("FORMFLAG_") && process.env[name] === "") delete process.env[name];
  }
  for (const name of SWITCHES) {
    const value = process.env[name];
    if (value === undefined || /^(1|yes|true|on)$/i.test(value)) continue;
    if (!/^(0|no|false|off)$/i.test(value))
      throw new AppError("invalid", `${name}=${value} is neither yes nor no`, {
        hint: `write ${name}=1, or unset it`,
      });
    delete process.env[name];
  }
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
  const args = process.argv.slice(2);
  if (!args.includes("serve") && !args.includes("demo")) {
    // An exit runs the handlers that remove temporary files.
    process.once("SIGINT", () => process.exit(EXIT.interrupted));
    process.once("SIGTERM", () => process.exit(EXIT.terminated));
  }
  process.exitCode = await run(args, processIo(process.env));
}
