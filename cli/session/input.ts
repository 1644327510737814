import type { Command } from "commander";
import { AppError, isFound } from "../../src/base/errors.ts";
import { type FormName, nameIn } from "../../src/forms/form-name.ts";
import type { Io } from "../output/terminal.ts";
import type { Client } from "./client.ts";
import type { Config } from "./config.ts";
import { env } from "./env.ts";
import { usage } from "./usage.ts";

/** The input of a command: its options, and names that a person is prompted for if they are missing. */
export type Input = {
  config: Config;
  /** The options of the command itself, as commander leaves them. */
  options: Record<string, unknown>;
  /**
   * Returns the given name, or prompts for it, with a list of the existing ones unless it is new; a text for `isNew` says what
   * it may be. Throws `invalid` if it is missing, without a terminal to prompt on.
   */
  need: (name: string | undefined, what: string, isNew?: boolean | string) => Promise<string>;
  /** The project of `-p`, the only one that there is, or one chosen at a prompt. Throws `invalid` as `need` does. */
  project: () => Promise<string>;
  /** The project of `-p` or `FORMFLAG_PROJECT`; undefined for none. Throws `invalid` for several. */
  givenProject: () => string | undefined;
  /**
   * The name of a form, in the project of `-p`. One of `FORMFLAG_PROJECT` goes before others, where a form has the name.
   * Throws as `need` does.
   */
  form: (given: string | undefined) => Promise<FormName>;
  /** The environment of `-e`, or chosen at a prompt. Throws `invalid` as `need` does. */
  environment: (project: string) => Promise<string>;
  /** The project of `-p` and the environment of `-e`, or chosen at prompts. Throws `invalid` as `need` does. */
  place: () => Promise<{ project: string; environment: string }>;
  /** The environments of a verb that takes several, each once. Throws `invalid` as `need` does. */
  environments: (project: string) => Promise<string[]>;
  /** The value of the option of that name, or one that is chosen at a prompt. Throws `invalid` as `need` does. */
  choose: <T extends string>(option: string, choices: readonly T[]) => Promise<T>;
  /** Prompts for a text that is not shown as it is typed. Throws `invalid` with the hint without a terminal to prompt on. */
  secret: (what: string, hint: string) => Promise<string>;
  readStdin: Io["readStdin"];
  /** Whether the user can be prompted. */
  canPrompt: () => boolean;
};

/** Kinds that are chosen from a list, where none is named. */
const LISTED: ReadonlySet<string> = new Set(["form", "project", "target", "token", "user", "session"]);

/** How many names an error lists to choose from. */
const MOST_NAMED = 8;

/** The input of a command; `client` lists the names to choose from. */
export function openInput(io: Io, config: Config, client: Client, command: Command): Input {
  const options = command.opts<Record<string, unknown>>();
  const choose = async (what: "project" | "environment", project?: string) => {
    const given = options[what] ?? env[`FORMFLAG_${what.toUpperCase()}`];
    if (typeof given === "string") {
      if (given.includes(","))
        throw usage(`this command takes one ${what}, not ${given}`, `repeat it for each ${what}`);
      return given;
    }
    const { listNames } = await import("./guesses/names.ts");
    const list = () => listNames(what, client, { project });
    const names = canPrompt(io, config) ? await list() : await namesOf(list);
    // An environment is never chosen for the user.
    if (what === "project" && names.length === 1) return names[0]!;
    if (canPrompt(io, config)) return (await prompts()).promptChoice(`Which ${what}?`, names);
    const known = names.length === 0 || names.length > MOST_NAMED ? "" : `: ${names.join(", ")}`;
    throw usage(
      `the ${what} is missing`,
      `give it with -${what[0]} <${what}>, or set FORMFLAG_${what.toUpperCase()}${known}`,
    );
  };
  const project = () => choose("project");
  const environment = (project: string) => choose("environment", project);
  const givenProject = () => {
    const given = options["project"] as string | undefined;
    if (given?.includes(","))
      throw usage(`this command takes one project, not ${given}`, "leave out the others");
    return given;
  };
  const need = async (name: string | undefined, what: string, isNew: boolean | string = false) => {
    if (name !== undefined) return name;
    if (!canPrompt(io, config))
      throw usage(
        `the ${what} is missing`,
        `write it after the command: ${[commandLine(command), ...command.args].join(" ")} <${what}>`,
      );
    const kind = what === "id" || what === "name" ? command.parent!.name().replace(/s$/, "") : what;
    if (!isNew && LISTED.has(kind) && (kind === what || command.name() !== "create")) {
      const { listChoices } = await import("./guesses/names.ts");
      const choices = await namesOf(() => listChoices(kind, client, { only: givenProject() }));
      if (choices.length > 0) return (await prompts()).promptChoice(`Which ${kind}?`, choices);
    }
    const more = typeof isNew === "string" ? ` (${isNew})` : "";
    return askName(`Which ${what}?${more}`);
  };
  return {
    config,
    options,
    need,
    givenProject,
    async form(given) {
      const name = await need(given, "form");
      const project = givenProject();
      if (project === undefined) return name;
      const placed = nameIn(project, name);
      if (!["env", "config"].includes(command.getOptionValueSource("project") ?? "")) return placed;
      return (await isForm(client, placed)) ? placed : name;
    },
    project,
    environment,
    async place() {
      const name = await project();
      return { project: name, environment: await environment(name) };
    },
    async environments(project) {
      const given = options["environment"];
      return Array.isArray(given) ? [...new Set(given.map(String))] : [await environment(project)];
    },
    async choose<T extends string>(option: string, choices: readonly T[]) {
      const given = options[option];
      if (given !== undefined) return given as T;
      if (!canPrompt(io, config))
        throw usage(`the ${option} is missing`, `add --${option}: ${choices.join(", ")}`);
      return (await (await prompts()).promptChoice(`Which ${option}?`, [...choices])) as T;
    },
    secret: (what, hint) => typedUnseen(what, hint, canPrompt(io, config)),
    readStdin: () => io.readStdin(),
    canPrompt: () => canPrompt(io, config),
  };
}

/** The prompts, which most calls of a command never load. */
const prompts = () => import("./prompts.ts");

async function askName(question: string): Promise<string> {
  const { promptText } = await prompts();
  return promptText(question, (text) => (text === "" ? "Please write a name" : undefined));
}

async function typedUnseen(what: string, hint: string, mayPrompt: boolean): Promise<string> {
  if (!mayPrompt) throw usage(`${what} is missing`, hint);
  return (await prompts()).promptSecret(what);
}

/** The names that there are; none if they cannot be listed. */
async function namesOf<T>(list: () => Promise<T[]>): Promise<T[]> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

async function isForm(client: Client, form: FormName): Promise<boolean> {
  const { forms } = await import("../../src/operations/forms.ts");
  return isFound(client.call(forms.get, { names: { form } }));
}

/** Whether the user can be prompted. */
export function canPrompt(io: Io, { input }: Config): boolean {
  return input && io.isInteractive;
}

/** The command with its parents, such as `formflag flags get`. */
function commandLine(command: Command): string {
  return command.parent ? `${commandLine(command.parent)} ${command.name()}` : command.name();
}
