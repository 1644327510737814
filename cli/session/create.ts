import { Option } from "commander";
import { AppError } from "../../src/base/errors.ts";

export type CreateResult = "created" | "unchanged";

export function ifNotExistsOption(what: string): Option {
  return new Option("--if-not-exists", `do nothing if ${what} exists already`);
}

/** Creates a resource. If it exists already, returns it by `find`, or throws `conflict` if `find` is null. */
export async function create<T extends object>(
  make: () => Promise<T & { result: CreateResult }>,
  find: (() => Promise<T>) | null,
): Promise<T & { result: CreateResult }> {
  try {
    return await make();
  } catch (error) {
    // A name that something else has is not this resource.
    const exists = error instanceof AppError && error.code === "conflict" && error.reason !== "name-taken";
    if (!exists || find === null) throw error;
    return { ...(await find()), result: "unchanged" };
  }
}
