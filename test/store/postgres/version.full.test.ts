import { describe, expect, test } from "bun:test";
import { watchChanges } from "../../../src/base/watch.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { addForm } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { execute, freshDatabase, IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { openReplicas } from "../../support/postgres/replicas.ts";

describe.skipIf(!IS_POSTGRES_HERE)("the version of PostgreSQL", () => {
  test("tells a version from one that a failover lost, and finds the same while nothing changes", async () => {
    const url = await freshDatabase();
    const database = new URL(url).pathname.slice(1);
    const [app] = await openReplicas(1, url);
    const { store, watch } = app!;
    await addForm(store, "form");
    const before = await watch.current(true);
    expect(await watch.current(true)).toBe(before);
    for (const step of ["-", "+"])
      await execute(`UPDATE setup_version SET version = version ${step} 1`, { database });
    const { version, generation } = await watch.current(true);
    expect([version, generation]).toEqual([before.version, before.generation + 1]);
  });

  test("notices changes that a failover lost, although as many and more were made since", async () => {
    const url = await freshDatabase();
    const database = new URL(url).pathname.slice(1);
    const [app, other] = await openReplicas(2, url);
    const reported: unknown[] = [];
    // It looks only when it is told to.
    const timing = { steady: () => performance.now(), wall: Date.now, after: () => () => {} };
    const watch = watchChanges(app!.store, (error) => void reported.push(error), timing);
    await addForm(other!.store, "kept");
    const [{ stamps } = {}] = await execute("SELECT stamps::text AS stamps FROM setup_version", { database });
    await addForm(other!.store, "lost");
    const before = await watch.current(true);
    await execute("ALTER TABLE setup_version DISABLE TRIGGER setup_stamped", { database });
    await execute(`UPDATE setup_version SET version = version - 1, stamps = '${String(stamps)}'`, {
      database,
    });
    await execute("ALTER TABLE setup_version ENABLE TRIGGER setup_stamped", { database });
    for (const slug of ["one", "two", "three"]) await addForm(other!.store, slug);
    const { version, generation } = await watch.current(true);
    expect([version, generation]).toEqual([before.version + 2, before.generation + 1]);
    expect(reported).toMatchObject([{ message: expect.stringContaining("has lost changes") }]);
  });

  test("takes changes that followed each other, also some at once, for what they are, up to fifteen", async () => {
    const url = await freshDatabase();
    const database = new URL(url).pathname.slice(1);
    const [app] = await openReplicas(1, url);
    const reported: unknown[] = [];
    const timing = { steady: () => performance.now(), wall: Date.now, after: () => () => {} };
    const watch = watchChanges(app!.store, (error) => void reported.push(error), timing);
    const { generation } = await watch.current(true);
    const change = async (times: number) => {
      for (let time = 0; time < times; time += 1)
        await execute("UPDATE setup_version SET version = version + 1", { database });
    };
    await change(15);
    expect(await watch.current(true)).toMatchObject({ version: 15, generation });
    await execute("UPDATE setup_version SET version = version + 3", { database });
    await change(1);
    expect(await watch.current(true)).toMatchObject({ version: 19, generation });
    // Nobody knows whether some were lost, which is no reason for an alarm.
    await change(16);
    expect(await watch.current(true)).toMatchObject({ version: 35, generation: generation + 1 });
    expect(reported).toEqual([]);
  });

  test("from before a change is trusted by nobody once somebody else has found nothing left to change", async () => {
    const url = await freshDatabase();
    const [killed, near, far] = await openReplicas(3, url);
    const place = { project: "shop", environment: "live", flag: "sale" };
    await createProject(killed!, OPERATOR, { slug: "shop", environments: ["live"] });
    await setFlag(near!, OPERATOR, place, { enabled: false });
    const committed = new Promise<void>((resolve) => void killed!.watch.onChange(resolve));
    await far!.store.readVersion();
    // It does not look in the background.
    const timing = { steady: () => performance.now(), wall: Date.now, after: () => () => {} };
    const watch = watchChanges(far!.store, () => {}, timing);
    const before = await watch.current();
    // Its caller is never answered.
    void setFlag(killed!, OPERATOR, place, { enabled: true });
    await committed;
    await setFlag(near!, OPERATOR, place, { enabled: true });
    expect(watch.known()).not.toBe(before);
  });

  test("from before a change whose outcome is unknown is not trusted any more", async () => {
    const url = await freshDatabase();
    const database = new URL(url).pathname.slice(1);
    await execute(
      `CREATE FUNCTION die() RETURNS TRIGGER LANGUAGE plpgsql AS
       'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'`,
      { database },
    );
    await execute(
      `CREATE CONSTRAINT TRIGGER die AFTER INSERT ON forms DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION die()`,
      { database },
    );
    const [app] = await openReplicas(1, url);
    let told = 0;
    app!.watch.onChange(() => (told += 1));
    const refused = await addForm(app!.store, "form").catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "unavailable", message: expect.stringContaining("may have been") });
    expect(told).toBe(1);
  });
});
