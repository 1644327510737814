import type { SecretStore } from "../access/store.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import { isoTime } from "../base/clock.ts";
import { createCache, type Watch } from "../base/changes.ts";
import type { AssignmentPort, SentAssignment } from "../forms/seen-flags.ts";
import type { ProjectsStore } from "../projects/store.ts";
import { type Assignment, type Assignments, createAssignmentSource } from "./assignment.ts";

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
  const sentAs = ({ environmentKey, pseudonym, at, variants }: Assignment, place: Place): SentAssignment => ({
    environmentKey,
    pseudonym,
    flags: { ...place, at: isoTime(at), variants: Object.fromEntries(variants) },
  });
  /** Without a promise for what is in memory, since each submission of a page comes this way. */
  const findIn = (assignments: Assignments, texts: readonly string[]): ReturnType<AssignmentPort["read"]> => {
    for (const [index, text] of texts.entries()) {
      const assignment = assignments.read(text, app.now());
      if (assignment === null) continue;
      const place = findPlace(assignment.environmentKey);
      if (place instanceof Promise)
        return place.then((found) =>
          found ? sentAs(assignment, found) : findIn(assignments, texts.slice(index + 1)),
        );
      if (place) return sentAs(assignment, place);
    }
    return null;
  };
  let loaded: Assignments | undefined;
  return {
    read(texts) {
      if (loaded) return findIn(loaded, texts);
      return load().then((assignments) => findIn((loaded = assignments), texts));
    },
  };
}
