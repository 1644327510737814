import { resolve } from "node:path";
import { operatorCaller } from "../../src/access/caller.ts";
import { createLink } from "../../src/access/users.ts";
import type { App } from "../../src/app.ts";
import { DASHBOARD_PATH, dashboardLink } from "../../src/http/paths.ts";
import type { Storage } from "../../src/storage.ts";
import { details } from "../output/text.ts";
import { userName } from "../session/user.ts";

/**
 * Returns the text for the terminal of a server: the location of its data and the address of its dashboard; for a new or empty
 * one also the next commands. Without any user it creates the first one and includes the link that signs in, so the text
 * belongs in no log.
 */
export async function welcome(app: App, storage: Storage, dashboard: string | null): Promise<string> {
  const rows: [string, string][] = [["data", placeOf(storage)]];
  let isNew = false;
  if (dashboard !== null) {
    rows.push(["dashboard", `${dashboard}${DASHBOARD_PATH}`]);
    const [someone] = (await app.store.users.page({ limit: 1 })).items;
    isNew = !someone;
    if (isNew) {
      const { secret } = await createLink(
        app,
        operatorCaller(userName, () => false),
      );
      rows.push(["sign in", dashboardLink(dashboard, secret)]);
    }
  }
  const [project, form] = await Promise.all([
    app.store.projects.page({ limit: 1 }, null),
    app.store.forms.page({ projects: null, limit: 1 }),
  ]);
  const isEmpty = project.items.length === 0 && form.items.length === 0;
  const once = "The link works once, within 15 minutes; formflag users link prints another.\n";
  const next =
    "\nNext, in another terminal: formflag forms create contact, or formflag projects create shop\n";
  return `${details(rows)}${isNew ? once : ""}${isEmpty ? next : ""}`;
}

function placeOf({ data, shared }: Storage): string {
  return shared === null ? resolve(data) : `the PostgreSQL database ${shared.database.database}`;
}
