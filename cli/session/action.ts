import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Scope } from "../../src/access/scope.ts";
import { AppError } from "../../src/base/errors.ts";
import { NAMES } from "../../src/storage.ts";
import { printedField } from "../output/field.ts";
import { createPrinter } from "../output/printer.ts";
import type { Io } from "../output/terminal.ts";
import { shown } from "../output/text.ts";
import { VERSION } from "../version.ts";
import { Proposed, type Transport, clientOn, lazyTransport } from "./client.ts";
import { type Config, asksToMigrate, readConfig, readRemote } from "./config.ts";
import { env } from "./env.ts";
import { namesPlace } from "./kept/kept.ts";
import { type Input, openInput } from "./input.ts";
import { inTermsOf } from "./guesses/near-misses.ts";
import { type Session, openSession } from "./session.ts";
import { type LocalOptions, localTransport } from "./local-client.ts";
import { type StorageSettings, loadStorage } from "./storage.ts";
import { usage } from "./usage.ts";
import { whyOf } from "./change-options.ts";

/** Turns options and arguments into values. Throws `invalid` for wrong usage, and changes nothing. */
export type Parse<T> = (input: Input, ...args: (string | undefined)[]) => T | Promise<T>;
/** Runs a command on its parsed values. */
export type Run<T> = (session: Session, values: T) => Promise<void>;

/**
 * Whether a command may create the data directory. Default: it has to exist. `ownField`: its `--field` does not print one.
 * `scopes`: the rights that it has in this process. Default: all. `reads`: whether it only reads. Default: by its name.
 */
export type Begins = {
  begins?: (options: Record<string, unknown>, storage: StorageSettings) => boolean;
  ownField?: boolean;
  scopes?: (options: Record<string, unknown>) => readonly Scope[];
  reads?: (options: Record<string, unknown>) => boolean;
};

/** For commands that may create the data directory. */
export const BEGINS: Begins = { begins: () => true };

/** The names of commands that change nothing. */
const READS: ReadonlySet<string> = new Set(
  (
    "cleanup diff download evaluate export get history invitations list manifest members ramps reads results scheduled show " +
    "snippet stale stats status timeline today usage use verify whoami"
  ).split(" "),
);

/** A commander action on the admin API, of a server or in this process: parses, then runs on what was parsed. */
export function action<T>(
  io: Io,
  parse: Parse<T>,
  run: Run<T>,
  { begins = () => false, ownField = false, scopes, reads }: Begins = {},
) {
  return async function (this: Command, ...given: unknown[]): Promise<void> {
    type Options = Record<string, unknown> & { field?: string | string[]; why?: string; dryRun?: true };
    const options = this.opts<Options>();
    const field = ownField ? undefined : printedField(options.field);
    const config = readConfig(this);
    const why = whyOf(options.why);
    // That of an installed service is created by its own user.
    const isOfService = this.getOptionValueSourceWithGlobals("data") === "config";
    const transport = lazyTransport(async () => {
      const remote = await readRemote(this, config, env);
      if (remote === null) {
        await refuseToken(this, config, io);
        const isReading = reads?.(options) ?? (READS.has(this.name()) || options.dryRun === true);
        const keepsSchema = isReading && !asksToMigrate(this);
        return openHere(
          io,
          config,
          { mayBegin: begins(options, config.storage) && !isOfService, isOfService },
          { scopes: scopes?.(options) ?? null, keepsSchema },
        );
      }
      return (await import("./remote.ts")).remoteTransport(remote);
    });
    try {
      if (field !== undefined && config.json)
        throw usage(
          "--field and --json exclude each other",
          "leave out --json: --field prints the value alone",
        );
      const values = await parse(
        openInput(io, config, clientOn(transport), this),
        ...argumentsIn<string | undefined>(given),
      );
      const { propose, bypass } = config;
      await run(
        openSession(io, config, transport, { field, namesPlace: namesPlace(this), why, propose, bypass }),
        values,
      );
    } catch (error) {
      if (error instanceof Proposed) return await reportProposed(io, config, error.change);
      if (error instanceof AppError && error.code === "not_found") {
        const { withNameMeant } = await import("./guesses/name-meant.ts");
        const { project, environment } = options;
        throw await withNameMeant(error, clientOn(transport), this, { project, environment });
      }
      throw inTermsOf(this, error);
    } finally {
      await transport.close();
    }
  };
}

/** Prints a change that was proposed in place of being made. */
async function reportProposed(io: Io, config: Config, change: Proposed["change"]): Promise<void> {
  const { id, project, summary, needed, url = "" } = change;
  const needs = needed === 1 ? "an approval" : `${needed} approvals`;
  const page = URL.canParse(url) ? shown`it is shown at ${url}\n` : "";
  await createPrinter(io, config).report(
    { change },
    shown`proposed change ${id} of project ${project}: ${summary}\nit needs ${needs}: formflag changes approve ${id} -p ${project}\n` +
      page,
  );
}

/** A commander action that works on this machine without the admin API: parses, then runs on what was parsed. */
export function localAction<T>(
  io: Io,
  parse: (command: Command, ...args: string[]) => T,
  run: (io: Io, values: T) => Promise<void>,
) {
  return async function (this: Command, ...given: unknown[]): Promise<void> {
    await run(io, parse(this, ...argumentsIn<string>(given)));
  };
}

/** Without the options and the command, which commander adds. */
function argumentsIn<T>(given: unknown[]): T[] {
  return given.slice(0, -2) as T[];
}

/**
 * Throws `invalid` where a token is set, no server, and no data is there: a pipeline whose variable for the server is missing
 * would otherwise change data of its own, and succeed.
 */
async function refuseToken(command: Command, { data, storage }: Config, io: Io): Promise<void> {
  if (storage.isDataGiven || storage.database !== null) return;
  const { tokenFile } = command.optsWithGlobals<{ tokenFile?: string }>();
  if (!env["FORMFLAG_TOKEN"] && tokenFile === undefined) return;
  if (await Bun.file(join(data, NAMES.database)).exists()) return;
  const { misspeltVariables } = await import("./guesses/variables.ts");
  for (const text of misspeltVariables(env)) io.note(shown`warning: ${text}\n`);
  throw usage(
    `${env["FORMFLAG_TOKEN"] ? "FORMFLAG_TOKEN is set" : "a token file is named"}, but no server`,
    "set FORMFLAG_SERVER, or give --server; without a token, this acts on local data",
  );
}

/** Opens the data. Throws `not_found` if a data directory holds no database, unless the command may create one. */
async function openHere(
  io: Io,
  config: Config,
  { mayBegin, isOfService }: { mayBegin: boolean; isOfService: boolean },
  options: LocalOptions,
): Promise<Transport> {
  const storage = await loadStorage(config.storage);
  const { data } = config;
  if (storage.shared !== null) return localTransport(storage, VERSION, io, options);
  if (!mayBegin) (await import("../data/open.ts")).needDatabase(data, isOfService);
  const isNew = !(await Bun.file(join(data, NAMES.database)).exists());
  const transport = await localTransport(storage, VERSION, io, options);
  // An unnamed data directory may not be the intended one.
  if (isNew && (io.errIsTerminal || !config.storage.isDataGiven))
    createPrinter(io, config).note(shown`created the data directory ${resolve(data)}\n`);
  return transport;
}
