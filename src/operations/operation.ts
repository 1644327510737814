import type * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import type { Scope } from "../access/scope.ts";
import type { App } from "../app.ts";

/** What an operation takes and returns, in zod; loaded only to check or describe it. */
export type Schemas = {
  /** Parameters of the URL. */
  query?: z.ZodMiniType;
  /** The JSON body. */
  body?: z.ZodMiniType;
  /** The JSON of the answer, which has no body without it. */
  output?: z.ZodMiniType;
};

/** A call of an operation. */
type Call<S extends Schemas, P extends string> = {
  app: App;
  caller: Caller;
  /** The names in the path. */
  names: Record<NamesIn<P>, string>;
  query: Checked<S["query"]>;
  body: Checked<S["body"]>;
};

type Checked<Z> = Z extends z.ZodMiniType ? z.output<Z> : unknown;

/** An operation of the admin API, from which its route and its description are made. */
export type Operation<S extends Schemas = Schemas, P extends string = string> = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Its address behind `/api/admin/v1`. */
  path: P;
  summary: string;
  /** The scope that a token needs. */
  scope: Scope;
  /** Status of the answer. Default: 200, or 204 without output. */
  status?: 200 | 201;
  run: (call: Call<S, P>) => Promise<S["output"] extends z.ZodMiniType ? z.output<S["output"]> : void>;
};

/** The names in a path, such as `project` in `/projects/:project`. */
type NamesIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/** The operations of a noun, by name. `schemas` loads what they take and return, by the same names. */
export type Noun<S = unknown, P extends Record<string, string> = Record<string, string>> = {
  tag: string;
  schemas: () => Promise<S>;
  operations: { [K in keyof P]: Operation<SchemasOf<S, K>, P[K]> };
};

type SchemasOf<S, K> = K extends keyof S ? (S[K] extends Schemas ? S[K] : never) : never;

/** Declares the operations of a noun, each with the types of its schemas and of its path. */
export function noun<S, const P extends { [K in keyof S]: string } & Record<string, string>>(
  tag: string,
  schemas: () => Promise<S>,
  operations: { [K in keyof P]: Operation<SchemasOf<S, K>, P[K]> },
): Noun<S, P> {
  return { tag, schemas, operations };
}
