import type { FlagPatch } from "../../../src/flags/flag.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { OPERATOR } from "./caller.ts";
import { openSites } from "../site.ts";

export const PREVIEWS = "/api/v1/flags/preview";
export const FEEDBACK = `${PREVIEWS}/feedback`;

/** The project `shop` behind a site, and what its readers ask. */
export async function openPreviews() {
  const { app, services, openSite } = openSites();
  const { forms: _, ...others } = services;
  const { ask, askHot, records } = openSite({ flags: others.flags, previews: others.previews });
  const { key, environments } = await createProject(app, OPERATOR, {
    slug: "shop",
    environments: ["develop", "live"],
  });
  const live = environments.find(({ slug }) => slug === "live")!.key;
  const keys = { "x-project-key": key, "x-environment-key": live };
  return {
    app,
    services,
    records,
    keys,
    ask,
    askHot,
    set: (flag: string, patch: FlagPatch, environment = "live") =>
      setFlag(app, OPERATOR, { project: "shop", environment, flag }, patch),
    read: (more: Record<string, string> = {}) => ask(PREVIEWS, { headers: { ...keys, ...more } }),
    send: (body: unknown, more: Record<string, string> = {}, peer?: string) =>
      ask(
        FEEDBACK,
        {
          method: "POST",
          headers: { ...keys, "content-type": "application/json", ...more },
          body: typeof body === "string" ? body : JSON.stringify(body),
        },
        peer,
      ),
    stored: async (flag = "search") => {
      const query = { limit: 1000, before: null, from: null };
      return (await app.store.feedback.page({ project: "shop", environment: null, flag }, query)).items;
    },
  };
}
