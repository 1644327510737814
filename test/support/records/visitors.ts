import type { App } from "../../../src/app.ts";

/**
 * Counts visitors of a flag with a running experiment, as if they had come: of each variant so many, of whom so many convert
 * by the first metric. Those of an earlier call are others.
 */
export async function countVisitors(
  app: App,
  flag: string,
  counts: Readonly<Record<string, readonly [visitors: number, conversions: number]>>,
): Promise<void> {
  const { id, variants } = (await app.store.measurements.live()).find((each) => each.flag === flag)!;
  const measured = Object.entries(counts).flatMap(([variant, [visitors, conversions]]) =>
    Array.from({ length: visitors }, (_, index) => ({
      measurement: id,
      visitor: app.nextId().replaceAll("-", "").slice(-16),
      variant: variants.indexOf(variant),
      metrics: index < conversions ? 1 : 0,
    })),
  );
  await app.store.measurements.count(measured);
}
