import type { App } from "../../../src/app.ts";

/** Attempts every delivery twice; receivers refuse it with that text, or that one alone. */
export async function failDeliveries(
  app: App,
  error: string,
  only?: string,
  status: "failed" | "queued" = "failed",
): Promise<void> {
  const isFailing = (id: string) => only === undefined || id === only;
  const turn = {
    holder: "test",
    now: app.now(),
    databaseNow: app.now(),
    leaseUntil: app.now() + 60_000,
    renewed: [],
    blocked: [],
    after: null,
    perLane: 1000,
    limit: 1000,
  };
  const claimed = await app.store.deliveries.turn({ ...turn, settled: [] });
  await app.store.deliveries.turn({
    ...turn,
    limit: 0,
    settled: claimed.map((each) => ({
      id: each.id,
      status: isFailing(each.id) ? status : ("delivered" as const),
      attempts: 2,
      dueAt: app.now() + 1e10,
      code: isFailing(each.id) ? 550 : 250,
      error: isFailing(each.id) ? error.slice(0, 200) : null,
      attempt: { at: app.now(), duration: 12 },
    })),
  });
}
