import { own } from "../../../base/shapes/own.ts";
import { AppError } from "../../../base/errors.ts";
import type { Field } from "../../../base/kinds/kinds.ts";
import { environments } from "../../../operations/environments.ts";
import type { Environment } from "../../../projects/environment.ts";
import { ENVIRONMENT, LOOKS } from "../../../projects/environment-card.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { type Fields, textOf } from "../fields.ts";
import { changedIn, givenIn } from "../parts/kind-field.tsx";
import { ENVIRONMENT as PLACE, PROJECT, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { type ShowSettings, settingsPath } from "./section.tsx";

const OF_ENVIRONMENT = `${PLACE}/settings` as const;

/** The forms that create and change environments. */
export function environmentRoutes({ app, post, act, perform }: Dashboard, show: ShowSettings) {
  post(
    `${PROJECT}/environments`,
    "admin",
    act({
      operation: environments.create,
      input: ({ fields, names }) => ({
        names,
        body: { ...slugAndFrom(fields), ...givenIn(LOOKS, fields, 0) },
      }),
      done: ({ slug }, { names }) => ({
        to: settingsPath(names.project),
        text: `The environment ${slug} is created.`,
      }),
      again: ({ c, fields, names }, faults) =>
        show(c, names.project, { at: "environments", typed: { fields, faults } }),
      at: { "environment-exists": "slug", "environment-not-found": "from" },
    }),
  );
  post(OF_ENVIRONMENT, "admin", async (c, fields, names) => {
    const to = settingsPath(names.project);
    const body = changeIn(fields);
    if (Object.keys(body).length === 0 && fields.has("locked")) return { to, text: "Nothing was changed" };
    const before = await getEnvironment(app, names.project, names.environment);
    const after = await perform(c, environments.set, { names, body });
    const values = Object.keys(body).map((name) => [name, String(before[name as Changed] ?? "")]);
    const undo = { to: pathTo(OF_ENVIRONMENT, names), values: Object.fromEntries(values) };
    // Fewer approvals than before have to be confirmed.
    return { to, text: describe(after, Object.keys(body)), ...(!("approvals" in body) && { undo }) };
  });
}

/** The names of an environment to create and of the one that it begins as. */
function slugAndFrom(fields: Fields) {
  return { slug: textOf(fields, "slug").trim(), from: textOf(fields, "from").trim() || undefined };
}

type Changed = keyof typeof ENVIRONMENT | "locked";

/** The settings of an environment that a form changes; those of fields that it lacks stay. */
function changeIn(fields: Fields): Partial<Record<Changed, unknown>> {
  const kinds = Object.entries<Field>(ENVIRONMENT).filter(([name]) => fields.has(name));
  const { patch, faults } = changedIn(
    kinds.map(([name, { kind }]) => [name, kind] as const),
    fields,
  );
  for (const [name, fault] of Object.entries(faults)) throw new AppError("invalid", `${name}: ${fault}`);
  const locked = textOf(fields, "locked");
  if (locked === "" || locked === textOf(fields, "before-locked")) return patch;
  if (locked !== "true" && locked !== "false") throw new AppError("invalid", "locked is true or false");
  return { ...patch, locked: locked === "true" };
}

function describe(
  { slug, name, color, locked, approvals, position }: Environment,
  changed: string[],
): string {
  const words: Record<string, string> = {
    name: `${slug} is called ${name}.`,
    color: `The color of ${slug} is ${color ?? "gray"}.`,
    position: `${slug} is at place ${position}.`,
    approvals:
      approvals === 0
        ? `Changes of ${slug} need no approval any more.`
        : `Changes of ${slug} need ${approvals === 1 ? "an approval" : `${approvals} approvals`} from now on.`,
    locked: locked
      ? `${slug} is locked: its name confirms each change from now on.`
      : `${slug} is not locked any more.`,
  };
  return changed.map((each) => own(words, each)).join(" ");
}
