import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { AppError, systemCode } from "../../../src/base/errors.ts";
import { isObject } from "../../../src/base/json.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { adopt } from "../env.ts";
import { holdsFilesAlone } from "../storage.ts";
import { configFolder } from "./folders.ts";

/** The choices of a user for later commands: the server of `login`, the project and the environment of `use`. */
export type Kept = { server?: string; project?: string; environment?: string };

const NAMES = ["server", "project", "environment"] as const;

const fileOf = () => join(configFolder(), "config.json");

/**
 * The choices of the user who runs this command. Throws `invalid` for a file that holds anything else, `forbidden` for one that
 * cannot be read.
 */
export function readKept(): Kept {
  const file = fileOf();
  if (!existsSync(file)) return {};
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "") throw unreadable(file, cause);
    const hint = "it has to belong to you: sudo -H takes the home of the other user";
    throw new AppError("forbidden", `the file ${file} cannot be read: ${code}`, { hint, cause });
  }
  if (!isObject(value) || !NAMES.every((name) => ["string", "undefined"].includes(typeof value[name])))
    throw unreadable(file);
  return value;
}

function unreadable(file: string, cause?: unknown): AppError {
  const hint = "formflag use --none removes it; then choose again with formflag use or formflag login";
  return new AppError("invalid", `the file ${file} is not one that formflag has written`, { hint, cause });
}

/** The same for a command that forgets choices: a file that holds anything else is removed. */
function readOrRemove(io: Io): Kept {
  try {
    return readKept();
  } catch (error) {
    if (!(error instanceof AppError && error.code === "invalid")) throw error;
    rmSync(fileOf());
    io.note(shown`removed ${fileOf()}, which was not one that formflag has written\n`);
    return {};
  }
}

/** Changes the choices; undefined takes one back. Throws `unavailable` if the file cannot be written. */
export async function keep(change: { [name in keyof Kept]: string | undefined }): Promise<void> {
  const { writeOwn } = await import("./own-files.ts");
  const text = JSON.stringify({ ...readKept(), ...change }, null, 2);
  writeOwn(fileOf(), `${text}\n`);
}

/** An option that says for which others what is kept is for it. Default: for all. */
type KeptOption = Option & { mayBeKept?: (options: Record<string, unknown>) => boolean };

/** The options that name where the data is. */
const PLACES = ["data", "database", "blobs", "server"];

/** Whether a command line says where its data is. */
export function namesPlace(command: Command): boolean {
  return PLACES.some((name) => command.getOptionValueSourceWithGlobals(name) === "cli");
}

/**
 * Fills in what neither the command line nor a variable says: a flag in one word, the server, project and environment that the
 * user has chosen, the data of the installed service. Throws `invalid` if they cannot be.
 */
export async function fillIn(command: Command, io: Io): Promise<void> {
  let [root, noun] = [command, command];
  for (; root.parent; root = root.parent) noun = root;
  const given = command.processedArgs.flat() as unknown[];
  if (given.some((each) => typeof each === "string" && each.includes("/")))
    (await import("./flag-words.ts")).splitFlag(command);
  const isLogin = /^log(?:in|out)$/.test(noun.name());
  const forgets = noun.name() === "logout" || command.opts()["none"] === true;
  const kept = forgets ? readOrRemove(io) : readKept();
  const note = (text: string) => void (root.opts()["quiet"] === true || io.note(text));
  const isOpen = (on: Command, name: string) =>
    [undefined, "default"].includes(on.getOptionValueSource(name));
  const set = (on: Command, name: string, value: unknown) =>
    on.setOptionValueWithSource(name, value, "config");
  if (PLACES.every((name) => isOpen(root, name))) {
    if (kept.server !== undefined) {
      set(root, "server", kept.server);
      if (io.errIsTerminal && !isLogin) note(shown`using the server of your login: ${kept.server}\n`);
    } else if (!existsSync("formflag-data")) {
      const { readUnit, readVariables } = await import("./unit.ts");
      const unit = readUnit();
      if (unit !== null) {
        const variables = readVariables(unit);
        const isNamed = Object.keys(variables).some((name) => name.startsWith("FORMFLAG_DATABASE_URL"));
        const isShared = isNamed && holdsFilesAlone(unit.data, true);
        note(isShared ? "using the service's database\n" : shown`using the service's data: ${unit.data}\n`);
        set(root, "data", unit.data);
        adopt(variables);
        for (const on of [root, command])
          for (const option of on.options) {
            const [name, value] = [option.attributeName(), variables[option.envVar ?? ""]];
            if (value !== undefined && option.required && isOpen(on, name))
              set(on, name, option.parseArg ? option.parseArg(value, undefined) : value);
          }
      }
    }
  }
  // The same names may stand for something else in another place.
  if (namesPlace(command)) return;
  const fill = (name: "project" | "environment") => {
    const option: KeptOption | undefined = command.options.find((each) => each.attributeName() === name);
    if (kept[name] === undefined || !option || !isOpen(command, name)) return null;
    if (option.mayBeKept?.(command.opts()) === false) return null;
    set(command, name, "isList" in option ? [kept[name]] : kept[name]);
    return option;
  };
  const project = fill("project");
  if (project === null) return;
  const environment = fill("environment");
  // One that may be left out means another thing without it; where there is a form, it only says which is meant.
  const isForm = command.registeredArguments.some((argument) => argument.name() === "form");
  if (project.description !== "project" && !isForm)
    note(
      environment === null
        ? shown`in project ${kept.project!}, which formflag use keeps\n`
        : shown`in project ${kept.project!} and environment ${kept.environment!}, which formflag use keeps\n`,
    );
}
