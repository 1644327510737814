import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { findNameFault, parseTestContext, testContextText } from "../../../flags/contexts/test-context.ts";
import { deleteTestContext, getTestContext, setTestContext } from "../../../flags/contexts/test-contexts.ts";
import type { FlagPatch, FlagPlace } from "../../../flags/flag.ts";
import { type Trial, tryChange } from "../../../flags/reads/evaluations.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Card } from "../parts/card.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { type Faults, faultAt, submit } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { PROJECT, pathTo, projectPath, settingPath } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import { useMay } from "../view.ts";

const PEOPLE = `${PROJECT}/people` as const;

/** A test context of the project, and what the flag is for it now and after a change that is not stored. */
export type Person = { name: string; context: string; now: string; after: string };

/** The people of a project, for whom a flag is evaluated before and after a patch. Throws as `tryChange`. */
export async function readPeople(
  app: App,
  caller: Caller,
  place: FlagPlace,
  patch: FlagPatch,
): Promise<Person[]> {
  const people = await app.store.testContexts.list(place.project);
  if (people.length === 0) return [];
  const contexts = people.map(({ context }) => context);
  const trials = await tryChange(app, caller, place, patch, contexts);
  return people.map(({ name, context }, at) => ({
    name,
    context: testContextText(context),
    now: outcomeText(trials[at]!.now),
    after: outcomeText(trials[at]!.after),
  }));
}

function outcomeText(outcome: Trial["now"]): string {
  if ("errorCode" in outcome) return outcome.errorCode;
  const { variant, value } = outcome;
  if (value === undefined) return "no value";
  return variant === undefined || variant === "" ? JSON.stringify(value) : variant;
}

/** A test context as it was typed, with what is wrong with it. */
export type PersonDraft = { name: string; context: string; faults: Faults };

/** Takes the forms of test contexts; `again` shows the page of the flag with what was typed. */
export function peopleOfFlagsRoutes(
  { app, post }: Dashboard,
  again: (c: DashboardContext, place: FlagPlace, typed: PersonDraft) => Promise<Page>,
) {
  post(PEOPLE, "flags:write", async (c, fields, { project }) => {
    const [name, flag, environment] = ["name", "flag", "environment"].map((each) =>
      textOf(fields, each).trim(),
    );
    const to = flag && environment ? settingPath({ project, flag, environment }) : projectPath(project);
    const place = { project, name: name! };
    if (textOf(fields, "act") === "remove") {
      const { context } = await getTestContext(app, c.get("caller"), project, name!);
      await deleteTestContext(app, c.get("caller"), place);
      const values = {
        name: name!,
        context: testContextText(context),
        flag: flag!,
        environment: environment!,
      };
      return { to, text: `${name} is removed.`, undo: { to: pathTo(PEOPLE, { project }), values } };
    }
    const context = textOf(fields, "context");
    return submit<Done>(
      async () => {
        const fault = findNameFault(name!);
        if (fault !== undefined) throw faultAt("name", fault);
        await setTestContext(app, c.get("caller"), place, parseTestContext(context));
        return { to, text: `${name} is saved.` };
      },
      (faults, error) => {
        if (!flag || !environment) throw error;
        const typed = { name: textOf(fields, "name"), context, faults };
        return again(c, { project, flag, environment }, typed);
      },
      { too_large: "context", invalid: "context" },
    );
  });
}

/** The people for whom a flag is tried in an environment. */
export function People({
  place,
  people,
  typed,
}: {
  place: FlagPlace;
  people: readonly Person[];
  typed: PersonDraft | null;
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
          <TextField
            name="name"
            id="person-name"
            label="Person"
            value={typed?.name}
            error={typed?.faults["name"]}
            maxlength={200}
            required
          />
          <TextField
            name="context"
            id="person-context"
            label="Context"
            hint="Such as plan=beta, country=DE, or JSON."
            value={typed?.context}
            error={typed?.faults["context"]}
          />
          <Button icon="plus">Add person</Button>
        </Form>
      )}
    </Card>
  );
}
