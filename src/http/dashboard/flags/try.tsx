import { TEST_CONTEXT, testContextText } from "../../../flags/contexts/test-context.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import type { Trial } from "../../../flags/reads/evaluations.ts";
import { contexts } from "../../../operations/changes/contexts.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Diff } from "../parts/diff.tsx";
import { AreaField } from "../parts/field.tsx";
import { CardFields, givenIn } from "../parts/kind-field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { type ParametersOf, pathTo, PROJECT, projectPath, settingPath } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";
import { useMay } from "../view.ts";
import type { Values } from "./draft.ts";
import { Code } from "./flag-facts.tsx";
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
      body: { context: {}, ...givenIn({ context: TEST_CONTEXT.context }, fields, 0) },
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

/** Tries a flag, as it is and as the form of its values would save it, for the saved contexts and for any other. */
export function TryCard({ screen }: { screen: Screen }) {
  const {
    place: { project, flag, environment },
    people,
    values,
    typed: { person: typed },
  } = screen;
  const mayWrite = useMay("flags:write", { project });
  const to = pathTo(PEOPLE, { project });
  const contexts = typedAt(values, "contexts", "{}");
  return (
    <section class="card" aria-labelledby="people" id="try">
      <h2 id="people">Try it</h2>
      {people.length === 0 && (
        <p class="soft">Save someone with their attributes, and see here what they get.</p>
      )}
      <ul aria-label="People" data-part="people" class="past">
        {people.map(({ name, context, now, after }) => (
          <li data-person={name}>
            <span>
              <strong>
                <Foreign text={name} />
              </strong>{" "}
              <span class="badge">
                <Foreign text={now === after ? now : `${now} → ${after}`} />
              </span>
            </span>
            <span class="soft small">
              <Foreign text={context} />
              {mayWrite && (
                <>
                  {" "}
                  <Form to={to} values={{ name, flag, environment }} class="inline">
                    <Button kind="plain low" name="act" value="remove" label={`Remove ${name}`}>
                      Remove
                    </Button>
                  </Form>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <details id="other-contexts" open={contexts.error !== undefined || values.tried !== undefined}>
        <summary>Other attributes</summary>
        <div class="stack">
          <AreaField
            {...contexts}
            form="values-form"
            label="Contexts"
            hint={
              <>
                What is known of a reader, as JSON, a line for each, such as <code>{EXAMPLE}</code>.
              </>
            }
            rows={4}
            code
          />
          <p class="buttons">
            <Button name="act" value="try" form="values-form">
              Try
            </Button>
            <span class="soft">Nothing is saved.</span>
          </p>
          {values.tried && <Results tried={values.tried} />}
        </div>
      </details>
      {mayWrite && (
        <details id="new-person" open={typed !== undefined}>
          <summary>Save someone</summary>
          <Form to={to} values={{ flag, environment }} class="stack" label="Add person" id="person-form">
            <CardFields card={TEST_CONTEXT} typed={typed ?? null} id="person" />
            <p>
              <Button icon="plus">Add person</Button>
            </p>
          </Form>
        </details>
      )}
    </section>
  );
}

const EXAMPLE = '{"targetingKey": "ann", "email": "ann@example.com"}';

function Results({ tried: { trials, before, after } }: { tried: NonNullable<Values["tried"]> }) {
  return (
    <div class="stack" id="results">
      <Table
        caption="What readers get, now and after saving"
        columns={[
          { label: "Context", heading: true, cell: ({ context }) => <Code text={JSON.stringify(context)} /> },
          { label: "Now", cell: ({ now }) => <OutcomeText outcome={now} /> },
          {
            label: "After saving",
            cell: ({ now, after }) => (
              <>
                <OutcomeText outcome={after} />{" "}
                {Bun.deepEquals(now, after) ? <Badge>same</Badge> : <Badge tone="warn">differs</Badge>}
              </>
            ),
          },
        ]}
        rows={trials}
      />
      <h3>What saving changes</h3>
      <Diff before={before} after={after} />
    </div>
  );
}

const REASONS = new Map([
  ["STATIC", "for everyone"],
  ["TARGETING_MATCH", "by the rule"],
  ["DEFAULT", "by default"],
  ["DISABLED", "the flag is off"],
]);

function OutcomeText({ outcome }: { outcome: Trial["now"] }) {
  if ("errorCode" in outcome) return <Code text={outcome.errorDetails} />;
  const { value, variant, reason, metadata } = outcome;
  return (
    <>
      {value === undefined ? "no value" : <Code text={JSON.stringify(value)} />}{" "}
      <span class="soft small">
        {variant !== undefined && value !== undefined && `variant ${variant}, `}
        {REASONS.get(reason) ?? reason}
        {metadata && <Foreign text={`: ${metadata.prerequisite}`} />}
      </span>
    </>
  );
}
