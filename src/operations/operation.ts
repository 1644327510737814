import type * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import type { Scope } from "../access/scope.ts";
import type { Browser } from "../access/session.ts";
import type { App } from "../app.ts";
import type { Deployment, Download } from "./deployment.ts";

/** Name of the header that says how many flags an answer leaves out. */
export const OMITTED = "X-Formflag-Omitted";

/** Path of the admin API, without the base path. */
export const ADMIN_PATH = "/api/admin/v1";

/** The zod schemas of an operation's input and output; loaded only to check or describe them. */
export type Schemas = {
  /** Parameters of the URL. */
  query?: z.ZodMiniType;
  /** The JSON body. */
  body?: z.ZodMiniType;
  /** A JSON body that the operation checks itself: it is given the bytes. */
  upload?: z.ZodMiniType;
  /** Each line of a body of JSON lines: the operation is given the text. */
  lines?: z.ZodMiniType;
  /** The JSON of the answer, which has no body without it. */
  output?: z.ZodMiniType;
};

/**
 * The reach of an operation, in all of which the caller needs its scope:
 * - `instance`: everything that is stored, or the server itself;
 * - `project`: the project in the path;
 * - `environment`: the environment of that project in the path or in the query; without one the project;
 * - `within`: any environment of the project in the path, or the project; otherwise as `seen`;
 * - `form`: a form, a submission, a delivery or a target, which is looked up among what the caller sees;
 * - `self`: the caller;
 * - `seen`: any of it. The operation returns and changes only what the caller sees, and checks rights itself.
 */
type Place = "instance" | "project" | "environment" | "form" | "self" | "seen" | "within";

/** A call of an operation. */
export type Call<S extends Schemas = Schemas, P extends string = string> = {
  app: App;
  deployment: Deployment;
  caller: Caller;
  sender: Browser;
  /** The names in the path. */
  names: Names<P>;
  query: Checked<S["query"]>;
  body: Body<S>;
  /** The header `If-Match`. */
  ifMatch?: string | undefined;
  /** Names what `If-Match` may name later: the revision of the answer, or the fingerprint of a dry run. */
  tag: (tag: number | string) => void;
  /** Says how many flags the answer leaves out, in the header `X-Formflag-Omitted`. */
  omit?: (flags: number) => void;
};

type Checked<Z> = Z extends z.ZodMiniType ? z.output<Z> : unknown;

type Body<S extends Schemas> = S extends { lines: z.ZodMiniType }
  ? string
  : S extends { upload: z.ZodMiniType }
    ? Uint8Array
    : Checked<S["body"]>;

/** A call before its input is checked. */
export type Unchecked = {
  app: App;
  caller: Caller;
  names: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: unknown;
};

/** An operation as {@link noun} takes it. */
type Declared<S extends Schemas, P extends string> = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Its address behind `ADMIN_PATH`. */
  path: P;
  summary: string;
  /** The scope that a caller needs; null for every caller. */
  scope: Scope | null;
  /** Whether it needs no token. */
  isOpen?: boolean;
  /** The place in which the caller needs it. */
  place: Place;
  /** Whether a caller without the scope may call it, since what is asked for needs another one, or none; `other` names that. */
  admits?(asked: Unchecked): Promise<boolean>;
  other?: Scope;
  /** Status of the answer. Default: 200, or 204 without output. */
  status?: 200 | 201;
  /** Whether the caller may confirm locked environments, or a form. Default: if the scope allows changes. */
  confirms?: boolean | "form";
  /** Whether it can be proposed as a change that others approve, in place of being run. */
  proposes?: boolean;
  /** The tool for assistants (MCP) that is made from it. */
  tool?: string;
  /** Whether the caller may say why, for the history. Default: if the scope allows changes. */
  explains?: boolean;
  /** Most bytes of the body. Default: `MAX_ADMIN_BODY`. */
  maxBody?: number;
  /** Whether the body may be left out, which is an empty object then. */
  mayLackBody?: boolean;
  /** The member of the body in which the paths of faults begin. */
  whole?: string;
  /** Whether the body may hold numbers that a double does not hold exactly. */
  rounded?: boolean;
  /** The query that its schema returns for no parameters, so that a command needs no schema for it. */
  defaults?: Checked<S["query"]>;
  /** Whether a query, without what is undefined, is valid as it is beside the defaults. */
  isPlainQuery?(query: Query): boolean;
  /** Whether a body is valid as it is, so that a command needs no schema for it. */
  isPlain?(body: unknown): boolean;
  /** For an answer that may have megabytes: levels of it that are written in turns with other requests. */
  levels?: number;
  /** For a {@link Download}, which it returns in place of output: its media types. */
  media?: string[];
  // A method, so that a list can hold the operations of any types.
  run(
    call: Call<S, P>,
  ): Promise<S["output"] extends z.ZodMiniType ? z.output<S["output"]> | Download : unknown>;
};

/** An operation of the admin API. Routes, their description and clients are made from it. */
export type Operation<S extends Schemas = Schemas, P extends string = string> = Declared<S, P> & {
  tag: string;
  schemas: () => Promise<S>;
};

/** Input of an operation, as a client sends it. */
export type Input<S extends Schemas, P extends string> = Named<P> &
  Asked<S> &
  Sent<S> & {
    /** The operation only acts on a resource at that revision. */
    revision?: number | undefined;
    /** Confirmations of the caller, separated by commas; replaces those of the session. */
    confirmed?: string;
    /** Whether it is made at once although the session proposes changes. */
    isStep?: true;
  };

type Named<P extends string> = [NamesIn<P>] extends [never] ? unknown : { names: Names<P> };

type Asked<S extends Schemas> = S extends { query: infer Q extends z.ZodMiniType }
  ? object extends z.input<Q>
    ? { query?: z.input<Q> }
    : { query: z.input<Q> }
  : unknown;

type Sent<S extends Schemas> = S extends { lines: z.ZodMiniType }
  ? { body: string }
  : S extends { upload: infer B extends z.ZodMiniType } | { body: infer B extends z.ZodMiniType }
    ? { body: z.input<B> }
    : unknown;

/** Output of an operation; undefined for no body. */
export type Output<S extends Schemas> = S extends { output: infer O extends z.ZodMiniType }
  ? z.output<O>
  : undefined;

/** The names in a path, such as `project` in `/projects/:project`. */
export type Names<P extends string> = Record<NamesIn<P>, string>;

type NamesIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

type SchemasOf<S, K> = K extends keyof S ? (S[K] extends Schemas ? S[K] : never) : { output?: never };

/**
 * Declares the operations of a noun, each with the types of its schemas and its path. `schemas` loads the schemas of
 * inputs and outputs, by the same names.
 */
export function noun<S, const P extends { [K in keyof S]: string } & Record<string, string>>(
  tag: string,
  schemas: () => Promise<S>,
  operations: { [K in keyof P]: Declared<SchemasOf<S, K>, P[K]> },
): { [K in keyof P]: Operation<SchemasOf<S, K>, P[K]> } {
  const load = async (name: string) => ((await schemas()) as Record<string, Schemas>)[name] ?? {};
  const named = Object.entries<Declared<Schemas, string>>(operations).map(([name, declared]) => [
    name,
    { ...declared, tag, schemas: () => load(name) },
  ]);
  return Object.fromEntries(named) as { [K in keyof P]: Operation<SchemasOf<S, K>, P[K]> };
}

/** Parameters of a URL. What is undefined is left out; a list is given several times. */
export type Query = Record<string, string | number | readonly string[] | undefined>;

/** The address of a call behind `ADMIN_PATH`. */
export function addressOf(
  { path }: Pick<Operation, "path">,
  names: Record<string, string> = {},
  query: Query = {},
): string {
  const named = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(names[name]!));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) if (each !== undefined) parameters.append(name, String(each));
  return parameters.size === 0 ? named : `${named}?${parameters.toString()}`;
}
