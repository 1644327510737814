import { turnedOffBy, turnedOffInWords } from "../../../flags/requires/dependents.ts";
import type { App } from "../../../app.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Danger } from "../parts/danger.tsx";
import { Foreign } from "../parts/text.tsx";

/** Flags to turn off in an environment, by a form that is posted to `to`; `what` names them: `2 flags`. */
type TurningOff = {
  project: string;
  environment: string;
  slugs: string[];
  what: string;
  to: string;
  back: { to: string; label: string };
};

/** The page that asks before flags are turned off that others need, with the same form; undefined where it names what follows. */
export async function askAboutMore(
  app: App,
  fields: Fields,
  { project, environment, slugs, what, to, back }: TurningOff,
): Promise<Page | undefined> {
  const records = await app.store.flags.among(project, environment, slugs);
  const off = records.map((record) => [record.slug, { ...record, enabled: false }] as const);
  const more = turnedOffInWords(await turnedOffBy(app, { project, environment }, new Map(off)));
  if (more === null || textOf(fields, "more") === more) return undefined;
  const sent = [...fields].filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return {
    title: `Confirm: ${what} in ${environment}, ${project}`,
    heading: `Turn off ${what} in ${environment}?`,
    section: "flags",
    status: 428,
    back,
    content: (
      <div class="stack narrow">
        <Danger
          to={to}
          values={[...sent.filter(([name]) => name !== "more"), ["more", more]]}
          id="confirmation"
          act={`Turn off in ${environment}`}
          kind="primary"
          back={{ to: back.to }}
        >
          <p>
            <Foreign text={`This ${more}.`} />
          </p>
        </Danger>
      </div>
    ),
  };
}
