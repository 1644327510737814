import { join } from "node:path";
import type { Command } from "commander";
import type { Environment } from "../../src/projects/environment.ts";
import type { Project } from "../../src/projects/project.ts";
import { fieldText } from "../output/field.ts";
import { Cancelled, type Io } from "../output/terminal.ts";
import { VERSION } from "../version.ts";
import { type Client, confirmingClient, lazyClient, localClient, path } from "./client.ts";
import { type Config, readConfig, readRemote } from "./config.ts";
import { inTermsOf } from "./near-misses.ts";
import { listAll } from "./pages.ts";
import { askChoice, askConfirm, askName, askText } from "./prompts.ts";
import type { Remote } from "./remote.ts";
import { usage } from "./values.ts";

/** One command under way: its configuration, the API it acts on, and ways to ask and to answer. */
export type Session = {
  config: Config;
  io: Io;
  client: Client;
  /** The options of the command itself. */
  options: Record<string, unknown>;
  /** Prints what the command is about: `value` with `--json`, else `text`. */
  print(value: unknown, text: string): Promise<void>;
  /** Prints what it did: `value` with `--json`, else `text` unless quiet. */
  report(value: unknown, text: string): Promise<void>;
  /** Tells a person at a terminal what to do next. */
  suggest(text: string): void;
  /** A name that was given, or that a person is asked for. Throws `invalid`. */
  need(value: unknown, what: string): Promise<string>;
  project(): Promise<string>;
  environment(project: string): Promise<string>;
  /** Whether there is somebody who can be asked. */
  mayAsk(): boolean;
  /** Returns where a person says yes. */
  confirm(question: string): Promise<void>;
  /** Returns where a person types its name, or `--yes` is given. Throws `invalid` where nobody can be asked and `--yes` is missing. */
  confirmDelete(kind: string, name: string, more?: string): Promise<void>;
};

type Work = (session: Session, ...args: (string | undefined)[]) => Promise<void>;

/** Whether a command can begin a new data directory; by default it needs one that exists. */
type Begins = { begins?: (options: Record<string, unknown>) => boolean };

/** A command that creates something which stands on its own, in a new data directory too. */
export const BEGINS: Begins = { begins: () => true };

/** Makes a commander action: opens a session, does the work, closes what was opened. */
export function action(io: Io, work: Work, { begins = () => false }: Begins = {}) {
  return async function (this: Command, ...given: unknown[]): Promise<void> {
    // commander adds the options and the command itself.
    const args = given.slice(0, -2) as (string | undefined)[];
    const config = readConfig(this);
    const mayBegin = begins(this.opts<Record<string, unknown>>());
    const remote = await readRemote(this, config, process.env);
    const client = lazyClient(() => (remote === null ? openHere(io, config, mayBegin) : openThere(remote)));
    try {
      await work(openSession(io, config, client, this), ...args);
    } catch (error) {
      throw inTermsOf(this, error);
    } finally {
      await client.close();
    }
  };
}

/** The data directory of this machine. Throws `not_found` where it holds no database, unless the command may begin one. */
async function openHere(io: Io, { data, quiet, json }: Config, mayBegin: boolean): Promise<Client> {
  if (!mayBegin) (await import("../data/open.ts")).needDatabase(data);
  const isNew = !(await Bun.file(join(data, "formflag.db")).exists());
  if (isNew && io.errIsTerminal && !quiet && !json) io.note(`a new data directory: ${data}\n`);
  return localClient(data, VERSION, io);
}

async function openThere(remote: Remote): Promise<Client> {
  return (await import("./remote.ts")).remoteClient(remote);
}

function openSession(io: Io, config: Config, bare: Client, command: Command): Session {
  const options = command.opts<Record<string, unknown>>();
  const mayAsk = () => config.input && io.isInteractive;
  const confirm = async (question: string) => {
    if (await askConfirm(question)) return;
    io.note("nothing was changed\n");
    throw new Cancelled();
  };
  const askLocked = (locked: string) => confirm(`${locked}. Change it all the same?`);
  const client = confirmingClient(bare, config.yes, mayAsk() ? askLocked : null);

  const { field } = options as { field?: string };
  if (field !== undefined && config.json)
    throw usage("--field and --json exclude each other", "leave out --json: --field prints the value alone");
  const print = (value: unknown, text: string) => {
    if (config.json) return io.out(`${JSON.stringify(value, null, 2)}\n`);
    return field === undefined ? io.show(text) : io.out(fieldText(value, field));
  };
  const choose = async (option: string, what: string, list: () => Promise<string[]>) => {
    const given = options[what] ?? process.env[`FORMFLAG_${what.toUpperCase()}`];
    if (typeof given === "string") return given;
    if (!mayAsk())
      throw usage(`the ${what} is missing`, `give it with ${option}, or set FORMFLAG_${what.toUpperCase()}`);
    return askChoice(`Which ${what}?`, await list());
  };

  return {
    config,
    io,
    client,
    options,
    print,
    report: async (value, text) => {
      if (config.json || field !== undefined || !config.quiet) await print(value, text);
    },
    suggest(text) {
      if (io.errIsTerminal && !config.quiet && !config.json && field === undefined) io.note(`${text}\n`);
    },
    async need(value, what) {
      if (typeof value === "string") return value;
      if (!mayAsk())
        throw usage(
          `the ${what} is missing`,
          `write it after the command: ${commandLine(command)} <${what}>`,
        );
      return askText(`Which ${what}?`, (text) => (text === "" ? "Please write a name" : undefined));
    },
    project: () =>
      choose("-p <project>", "project", async () => {
        const projects = await listAll<Project>(client, "/projects", "projects");
        return projects.map(({ slug }) => slug);
      }),
    environment: (project) =>
      choose("-e <environment>", "environment", async () => {
        const url = path`/projects/${project}/environments`;
        const { environments } = await client.call<{ environments: Environment[] }>("GET", url);
        return environments.map(({ slug }) => slug);
      }),
    mayAsk,
    confirm,
    async confirmDelete(kind, name, more = "") {
      if (config.yes) return;
      const what = `${kind} ${name}${more}`;
      if (!mayAsk())
        throw usage(`${what} would be deleted, and nobody can be asked`, "add --yes to delete it");
      if (await askName(`Delete ${what}?`, name)) return;
      io.note("nothing was deleted\n");
      throw new Cancelled();
    },
  };
}

/** `formflag flags get`, say. */
function commandLine(command: Command): string {
  return command.parent ? `${commandLine(command.parent)} ${command.name()}` : command.name();
}
