import type { SecretStore } from "../access/store.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import { isoTime } from "../base/clock.ts";
import { createCache, type Watch } from "../base/changes.ts";
import type { AssignmentPort, SentAssignment } from "../forms/seen-flags.ts";
import type { ProjectsStore } from "../projects/store.ts";
import { createAssignmentSource } from "./assignments.ts";

type AssignmentsApp = ClockAndRandom & {
  watch: Watch;
  store: Pick<ProjectsStore, "projects"> & { secrets: SecretStore };
};

/** An environment by its slugs. */
type Place = { project: string; environment: string };

/** Reads the assignments that come with submissions. What it keeps in memory begins with the first of them. */
export function createAssignmentReader(app: AssignmentsApp): AssignmentPort {
  const load = createAssignmentSource(app);
  const findPlace = createCache<Place>(app.watch, async (key) => {
    for (const { slug: project, environments } of await app.store.projects.list()) {
      const environment = environments.find((each) => each.key === key);
      if (environment) return { project, environment: environment.slug };
    }
    return undefined;
  });
  return {
    async read(texts): Promise<SentAssignment | null> {
      const { read } = await load();
      const now = app.now();
      for (const text of texts) {
        const assignment = read(text, now);
        const place = assignment && (await findPlace(assignment.environmentKey));
        if (!place) continue;
        const { environmentKey, pseudonym, at } = assignment;
        const variants = Object.fromEntries(assignment.variants);
        return { environmentKey, pseudonym, flags: { ...place, at: isoTime(at), variants } };
      }
      return null;
    },
  };
}
