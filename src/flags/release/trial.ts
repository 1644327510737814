/** The course of an experiment that has no name yet. */
export type Trial = { metrics: string[]; control: string; split: Record<string, number>; minDays: number };

/** The draft of an experiment with the same course, else a name that is free. */
export function trialName(
  flag: string,
  { metrics, split }: Trial,
  all: readonly (Pick<Trial, "metrics" | "split"> & { name: string; flag: string; status: string })[],
): { name: string; isNew: boolean } {
  const same = all.find(
    (each) =>
      each.flag === flag &&
      each.status === "draft" &&
      Bun.deepEquals([each.metrics, each.split], [metrics, split]),
  );
  if (same) return { name: same.name, isNew: false };
  const taken = new Set(all.map(({ name }) => name));
  const numbers = Array.from({ length: all.length + 1 }, (_, index) => `${flag}-${index + 1}`);
  return { name: [flag, ...numbers].find((each) => !taken.has(each))!, isNew: true };
}
