import { Option } from "commander";
import { AppError } from "../../src/base/errors.ts";
import type { Session } from "./session.ts";

export type CreateResult = "created" | "unchanged";

export function ifNotExistsOption(what: string): Option {
  return new Option("--if-not-exists", `leave ${what} as it is where it exists already`);
}

/** Creates something at `url`; where it exists already and `--if-not-exists` is given, returns what `find` does. */
export async function create<T extends object>(
  { client, options }: Session,
  url: string,
  body: object,
  find: () => Promise<T>,
): Promise<T & { result: CreateResult }> {
  try {
    return await client.call<T & { result: "created" }>("POST", url, body);
  } catch (error) {
    const exists = error instanceof AppError && error.code === "conflict";
    if (!exists || options["ifNotExists"] !== true) throw error;
    return { ...(await find()), result: "unchanged" };
  }
}
