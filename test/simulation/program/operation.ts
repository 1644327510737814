import type { Caller } from "../../../src/access/caller.ts";
import type { ClockedApp } from "../../support/app.ts";
import type { Code, Model } from "./model.ts";

/** A request of the admin API. */
type Request = [
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
];

/** An operation with its names filled in, done in each of the four ways. */
export type Call = {
  /** Throws as the product does. */
  run: (app: ClockedApp, caller: Caller) => Promise<unknown>;
  request: Request;
  /** The words of a command, and what it reads on standard input. */
  args: string[];
  stdin?: string;
  /** Whether the caller has confirmed what needs a confirmation. */
  confirmed?: boolean;
};

/** What was answered: a code, and of the operations themselves what they have returned. */
export type Outcome = { code: string; answer?: unknown };

/** One of the four ways in which a program is done, each on data of its own. */
export type Way = {
  name: string;
  do: (call: Call) => Promise<Outcome>;
  /** Posts a submission to the form of a slug. */
  submit: (slug: string, data: object) => Promise<Outcome>;
  /** Makes the changes that have become due. */
  makeDue: () => Promise<Outcome>;
  /** The same data, for what is read and compared. */
  app: ClockedApp;
  /** The code that an error has in this way: commands tell fewer apart. */
  codeOf: (code: Code) => string;
};

/** A kind of operation with its parameters drawn. */
export type Operation = {
  name: string;
  /** With the names that only the model knows, such as ids; undefined if there is nothing to do it on. */
  call: (model: Model) => Call | undefined;
  /** How it is done if that is no single call. */
  perform?: (way: Way) => Promise<Outcome>;
  /** Milliseconds that pass before it. */
  passes?: number;
  /** Changes the model, and returns what has to be answered. `answer` is what `run` has returned, if it has not thrown. */
  expect: (model: Model, answer: unknown) => Code;
};
