import { describe, expect, test } from "bun:test";
import { type App, connectAreas } from "../../../src/app.ts";
import { clock } from "../../../src/base/clock.ts";
import { createIdSource } from "../../../src/base/ids.ts";
import { watchChanges } from "../../../src/base/watch.ts";
import { createExperiment } from "../../../src/experiments/experiments.ts";
import { startExperiment } from "../../../src/experiments/lifecycle.ts";
import { setDetails, setFlag } from "../../../src/flags/flags.ts";
import { startRamp } from "../../../src/flags/ramps/ramps.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { newFormSchema } from "../../../src/forms/form-schema.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { interrupted } from "../../support/interrupted.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { reasonOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

type Place = { project: string; environment: string; flag: string };
const BEGIN = "2999-01-01T00:00:00Z";

/** Holds of a flag: the reason for which it is not archived as finished, the same of any archiving, and how it comes about. */
const HOLDS: [name: string, any: string | null, hold: (app: App, place: Place) => Promise<unknown>][] = [
  [
    "another flag needs it",
    "flag-needed",
    (app, place) => setFlag(app, OPERATOR, { ...place, flag: "other" }, { requires: [{ flag: place.flag }] }),
  ],
  [
    "a form is open while it is true",
    "flag-opens-form",
    (app, { project, environment, flag }) => {
      const openWhen = `${project}/${environment}/${flag}`;
      return createForm(app, OPERATOR, newFormSchema.parse({ slug: fresh(), openWhen }));
    },
  ],
  [
    "a ramp holds it",
    "flag-held",
    (app, place) => startRamp(app, OPERATOR, place, { variant: "off", to: [100], every: 60, start: BEGIN }),
  ],
  [
    "an experiment holds it",
    "flag-held",
    async (app, { flag, ...place }) => {
      const experiment = { ...place, experiment: "trial" };
      await createExperiment(app, OPERATOR, experiment, { flag, metrics: ["event:signup"] });
      await startExperiment(app, OPERATOR, experiment);
    },
  ],
  [
    "a change of it is scheduled",
    null,
    (app, place) =>
      scheduleChange(app, OPERATOR, place, { patch: { enabled: false }, at: clock.now() + 86_400_000 }),
  ],
  ["it was turned off", null, (app, place) => setFlag(app, OPERATOR, place, { enabled: false })],
];

/** What the product relies on in every driver for flags that are archived while another process changes what holds them. */
export function archivesContract(driver: Driver): void {
  describe(`a flag that is archived, kept by ${driver.name},`, async () => {
    const open = opener(driver);

    /** A project with a finished flag, and two apps on it, as of two processes. */
    const openShop = async () => {
      const database = fresh("database");
      const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
      const now = () => clock.now();
      const [one, two] = [await open(database), await open(database)].map((store) => {
        const nextId = createIdSource(random, now);
        return connectAreas({ store, watch: watchChanges(store), now, random, nextId } as never) as App;
      });
      const project = fresh();
      await createProject(one!, OPERATOR, { slug: project, environments: ["develop", "live"] });
      const place = { project, environment: "live", flag: "sale" };
      for (const environment of ["develop", "live"])
        await setFlag(one!, OPERATOR, { ...place, environment }, { enabled: true });
      await setFlag(one!, OPERATOR, { ...place, flag: "other" }, { enabled: true });
      return { one: one!, two: two!, place };
    };

    test.each(HOLDS)(
      "is not, as finished, where %s as of a moment before it is stored",
      async (_, any, hold) => {
        const { one, two, place } = await openShop();
        const meanwhile = interrupted(one, () => hold(two, place));
        const archiving = setDetails(meanwhile, OPERATOR, place, { archived: true, ifFinished: true });
        expect(await reasonOf(archiving)).toBe("conflict not-finished");
        expect(await one.store.flags.find(place)).toMatchObject({ archived: false });
        const plainly = setDetails(one, OPERATOR, place, { archived: true });
        expect(await reasonOf(plainly)).toBe(any === null ? "none" : `conflict ${any}`);
      },
    );

    test.each(HOLDS.filter(([, any]) => any !== null))(
      "is not, in whichever way, where %s as of a moment before it is stored",
      async (_, any, hold) => {
        const { one, two, place } = await openShop();
        const meanwhile = interrupted(one, () => hold(two, place));
        expect(await reasonOf(setDetails(meanwhile, OPERATOR, place, { archived: true }))).toBe(
          `conflict ${any}`,
        );
        expect(await one.store.flags.find(place)).toMatchObject({ archived: false });
      },
    );

    test("is where nothing holds it", async () => {
      const { one, place } = await openShop();
      await setDetails(one, OPERATOR, place, { archived: true, ifFinished: true });
      expect(await one.store.flags.find(place)).toMatchObject({ archived: true });
    });
  });
}
