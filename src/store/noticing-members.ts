/** The writes of submissions after which segments may have other members. */
const WRITES = [
  "mark",
  "confirm",
  "unsubscribe",
  "delete",
  "deleteAged",
  "purge",
  "clearDeleted",
  "import",
] as const;

type Writes = Record<(typeof WRITES)[number], (...args: never[]) => Promise<unknown>>;

/** The same slice, which calls `notice` after each of these writes, before its caller continues. */
export function noticingMembers<S extends Writes>(submissions: S, notice: () => Promise<void>): S {
  const noticing = WRITES.map((name) => {
    const write = submissions[name] as (...args: unknown[]) => Promise<unknown>;
    const noticed = async (...args: unknown[]) => {
      const result = await write(...args);
      await notice();
      return result;
    };
    return [name, noticed];
  });
  return { ...submissions, ...Object.fromEntries(noticing) };
}
