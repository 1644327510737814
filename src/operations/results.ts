/** The body of the answer to a create: the resource, with its result. */
export function created<T extends object>(value: T): T & { result: "created" } {
  return { ...value, result: "created" };
}
