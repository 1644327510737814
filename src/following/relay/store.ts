import type { Store } from "../../app.ts";
import { clock } from "../../base/clock.ts";
import type { FoundExperiment } from "../../experiments/experiment.ts";
import type { KeyedSelection } from "../../flags/store.ts";
import type { FollowedProject } from "../lines.ts";
import type { Project } from "../../projects/project.ts";
import type { Relay } from "./relay.ts";
import type { Spool } from "./spool.ts";
import { membersSince } from "./state.ts";

/**
 * The port of a server that follows another one, as far as readers of flags use it: reads are of its state, and what is
 * counted goes to the spool. Any other part of it is missing.
 */
export function openRelayStore(relay: Relay, spool: Spool): Store {
  const select = async (key: string): Promise<KeyedSelection | undefined> => {
    const environment = relay.state.environments.get(key);
    if (!environment) return undefined;
    const { projectKey, place, revision, metadata, flags, segments, members } = environment;
    return {
      projectKey,
      place,
      revision,
      metadata,
      flags: async () => [...flags],
      previews: async () => [],
      segments: async () => [...segments],
      members: async () => [...members.values()].map(({ state }) => state),
      membersSince: async (segment, since) => membersSince(members.get(segment)!, since),
    };
  };
  const parts = {
    staleness: 0,
    watch() {},
    readVersion: async () => relay.state.moment,
    ping: async () => {},
    ready: async () => {},
    flags: {
      select,
      markRead: (reads) => spool.add({ reads }),
    } satisfies Partial<Store["flags"]>,
    projects: {
      list: async () => relay.state.projects.map(projectOf),
      async find(slug) {
        const found = relay.state.projects.find((each) => each.slug === slug);
        return found && projectOf(found);
      },
    } satisfies Partial<Store["projects"]>,
    tokens: {
      async find(hash) {
        const found = relay.state.tokens.find((each) => each.hash === hash);
        if (!found) return undefined;
        const { hash: _, ...token } = found;
        return token;
      },
      readers: async () => [...relay.state.tokens],
    } satisfies Partial<Store["tokens"]>,
    tallies: {
      add: (tallies, key) => spool.add({ id: key?.id ?? clock.uuid(), tallies: [...tallies] }),
    } satisfies Partial<Store["tallies"]>,
    measurements: {
      live: async () => relay.state.measurements.map((each) => ({ ...each, salt: "" })),
    } satisfies Partial<Store["measurements"]>,
    experiments: {
      async holding(project, environment) {
        const own = relay.state.measurements.filter(
          (each) => each.project === project && each.environment === environment,
        );
        return own.map(({ flag }) => ({ experiment: { flag } }) as FoundExperiment);
      },
    } satisfies Partial<Store["experiments"]>,
    ramps: { page: async () => ({ items: [], more: false }) } satisfies Partial<Store["ramps"]>,
  };
  return parts as unknown as Store;
}

function projectOf({ slug, key, environments }: FollowedProject): Project {
  return {
    slug,
    name: slug,
    key,
    environments: environments.map((each, index) => ({
      slug: each.slug,
      name: each.slug,
      key: each.key,
      locked: false,
      color: null,
      approvals: 0,
      approveWith: null,
      position: index + 1,
    })),
    mailFrom: null,
    accent: null,
    maxSubmissions: null,
    maxStorage: null,
  };
}
