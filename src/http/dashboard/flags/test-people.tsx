import { parseTestContext, testContextText } from "../../../flags/contexts/test-context.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import { contexts } from "../../../operations/changes/contexts.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Card } from "../parts/card.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { PROJECT, type ParametersOf, pathTo, projectPath, settingPath } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";
import { useMay } from "../view.ts";
import type { Screen } from "./screen.tsx";

const PEOPLE = `${PROJECT}/people` as const;

/** The page that a form of test contexts was on: that of a flag in an environment; null for another. */
function placeIn(fields: Fields, project: string): FlagPlace | null {
  const [flag, environment] = [textOf(fields, "flag"), textOf(fields, "environment")];
  return flag === "" || environment === "" ? null : { project, flag, environment };
}

/** Takes the forms of test contexts; `again` shows the page of the flag with what was typed. */
export function peopleOfFlagsRoutes(
  { act, perform, post }: Dashboard,
  again: (c: DashboardContext, place: FlagPlace, typed: Typed) => Promise<Page>,
) {
  const personIn = (fields: Fields, project: string) => ({ project, person: textOf(fields, "name").trim() });
  const pageOf = (fields: Fields, project: string) => {
    const place = placeIn(fields, project);
    return place ? settingPath(place) : projectPath(project);
  };
  const save = act({
    operation: contexts.set,
    input: ({ fields, names: { project } }: Sent<ParametersOf<typeof PEOPLE>>) => ({
      names: personIn(fields, project),
      body: { context: parseTestContext(textOf(fields, "context")) },
    }),
    done: ({ name }, { fields, names: { project } }) => ({
      to: pageOf(fields, project),
      text: `${name} is saved.`,
    }),
    again({ c, fields, names: { project } }, faults, error) {
      const place = placeIn(fields, project);
      if (!place) throw error;
      return again(c, place, { fields, faults });
    },
    at: { "test-context-name": "name", too_large: "context", invalid: "context" },
  });
  post(PEOPLE, "flags:write", async (c, fields, { project }) => {
    if (textOf(fields, "act") !== "remove") return save(c, fields, { project });
    const names = personIn(fields, project);
    const { name, context } = await perform(c, contexts.get, { names });
    await perform(c, contexts.delete, { names });
    const { flag = "", environment = "" } = placeIn(fields, project) ?? {};
    const values = { name, context: testContextText(context), flag, environment };
    return {
      to: pageOf(fields, project),
      text: `${name} is removed.`,
      undo: { to: pathTo(PEOPLE, { project }), values },
    };
  });
}

/** The people for whom a flag is tried in an environment. */
export function People({
  screen: {
    place,
    people,
    typed: { person: typed },
  },
}: {
  screen: Screen;
}) {
  const { project, flag, environment } = place;
  const mayWrite = useMay("flags:write", { project });
  const to = pathTo(PEOPLE, { project });
  return (
    <Card id="people" title="Test contexts">
      {people.length === 0 && (
        <p class="soft">People with their attributes, for whom each change is tried.</p>
      )}
      <ul aria-label="People" data-part="people">
        {people.map(({ name, context, now, after }) => (
          <li data-person={name} class="buttons">
            <strong>
              <Foreign text={name} />
            </strong>{" "}
            <span class="soft small">
              <Foreign text={context} />
            </span>{" "}
            <span>
              <Foreign text={`${now} → ${after}`} />
            </span>
            {mayWrite && (
              <Form to={to} values={{ name, flag, environment }} class="inline">
                <Button kind="quiet" name="act" value="remove" label={`Remove ${name}`}>
                  Remove
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {mayWrite && (
        <Form to={to} values={{ flag, environment }} class="filters" label="Add person" id="person-form">
          <TextField {...typedAt(typed, "name")} id="person-name" label="Person" maxlength={200} required />
          <TextField
            {...typedAt(typed, "context")}
            id="person-context"
            label="Context"
            hint="Such as plan=beta, country=DE, or JSON."
          />
          <Button icon="plus">Add person</Button>
        </Form>
      )}
    </Card>
  );
}
