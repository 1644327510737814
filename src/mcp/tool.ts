import type { Scope } from "../access/scope.ts";
import { AppError } from "../base/errors.ts";
import type { Operation, Schemas } from "../operations/operation.ts";
import type { Answer } from "./answers.ts";
import type { Api } from "./api.ts";
import type { ArgumentName, Args, Takes } from "./arguments.ts";

/** A tool, made from the operation that names it. */
export type Tool = Takes & {
  name: string;
  title: string;
  description: string;
  /** Any of these is enough. */
  scopes: readonly Scope[];
  /** Whether every call reaches a whole project, so that no right in some of its environments is enough. */
  isOfProject: boolean;
  isChange: boolean;
  /** Whether the answer holds text of strangers. */
  isUntrusted: boolean;
  run: (api: Api, args: Args) => Promise<Answer>;
};

/** The arguments of a call, and which are required. */
type Given<R extends ArgumentName> = Args & { [Name in R]-?: NonNullable<Args[Name]> };

type Text<S extends Schemas, P extends string, R extends ArgumentName> = {
  title: string;
  description: string;
  takes?: readonly ArgumentName[];
  required?: readonly R[];
  own?: Takes["own"];
  /** Default: the scope of the operation. */
  scopes?: readonly Scope[];
  isChange?: boolean;
  isUntrusted?: boolean;
  run: (api: Api, args: Given<R>, operation: Operation<S, P>) => Promise<Answer>;
};

/** The tool of an operation. It takes the required arguments, then those of `takes`. */
export function toolOf<S extends Schemas, P extends string, R extends ArgumentName = never>(
  operation: Operation<S, P>,
  { title, description, takes = [], required = [], own = {}, scopes, run, ...text }: Text<S, P, R>,
): Tool {
  const { tool: name = "", scope, place } = operation;
  const { isChange = false, isUntrusted = false } = text;
  return {
    name,
    title,
    description,
    takes: [...required, ...takes],
    required,
    own,
    scopes: scopes ?? (scope === null ? [] : [scope]),
    isOfProject: place === "project",
    isChange,
    isUntrusted,
    run: async (api, { cursor, ...args }) => {
      const position = cursor === undefined ? {} : { cursor: positionOf(name, cursor) };
      // The arguments are checked before.
      return withCursors(name, await run(api, { ...args, ...position } as Given<R>, operation));
    },
  };
}

/** A list whose positions are cursors; any other answer as it is. */
function withCursors(tool: string, { value, cursors }: Answer): Answer {
  if (!cursors) return { value };
  const next = value["next"] === null ? null : cursorOf(tool, value["next"]);
  return { value: { ...value, next }, cursors: cursors.map((position) => cursorOf(tool, position)) };
}

/** The cursor of a position in the list of a tool: a text that only answers of this tool have. */
function cursorOf(tool: string, position: unknown): string {
  return Buffer.from(`${tool} ${String(position)}`).toString("base64url");
}

/** The position that a cursor of a tool stands for. Throws `invalid` for any text that no answer of this tool has. */
function positionOf(tool: string, cursor: string): string {
  const [name, ...rest] = Buffer.from(cursor, "base64url").toString().split(" ");
  const position = rest.join(" ");
  if (name !== tool || position === "" || cursorOf(tool, position) !== cursor)
    throw new AppError("invalid", "cursor is the next of an answer, as it came");
  return position;
}
