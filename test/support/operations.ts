import { OPERATIONS } from "../../src/operations/all.ts";
import { ADMIN_PATH, type Operation } from "../../src/operations/operation.ts";

/** The operation that answers a request of the admin API. Throws if there is none. */
export function operationAt(method: string, path: string): Operation {
  const places = path.slice(ADMIN_PATH.length).split("/");
  const found = OPERATIONS.filter((operation) => {
    const parts = operation.path.split("/");
    return (
      operation.method === method &&
      parts.length === places.length &&
      parts.every((part, index) => part.startsWith(":") || part === places[index])
    );
  });
  // An address with a word of its own comes before one with a name in its place.
  const [first] = found.toSorted((a, b) => a.path.split(":").length - b.path.split(":").length);
  if (first === undefined) throw new Error(`no operation has the address ${method} ${path}`);
  return first;
}
