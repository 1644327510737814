import type { SentRequest } from "../../../delivery/outgoing.ts";
import { REQUEST } from "../../../delivery/requests/request-card.ts";
import { type TargetView, noSuchTarget } from "../../../delivery/target.ts";
import { targets } from "../../../operations/targets.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, chosenOf, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Dashboard, Done } from "../routes.ts";
import { AskingButton } from "./danger.tsx";
import { TextField } from "./field.tsx";
import { CardFields, givenIn } from "./kind-field.tsx";
import { Button, ButtonLink, Form } from "./link.tsx";
import { secretPage } from "./secret.tsx";
import { Badge, Notice } from "./status.tsx";
import { type Typed, typedAt } from "./submit.ts";
import { type Column, Table } from "./table.tsx";
import { Foreign, visible } from "./text.tsx";

/** Seconds for which the old secret of a webhook signs beside the new one. */
const OVERLAP = 86_400;

/** Hint of the field for a new target. */
export const TARGET_HINT =
  "The URL of a webhook, mail: and an address, or slack:, discord:, teams:, telegram:, ntfy: or gotify: and its URL";

/** The fields at which refusals of a target are shown. */
export const TARGET_FAULTS = {
  invalid: "target",
  forbidden: "target",
  conflict: "target",
  "target-header": "headers",
  "target-request": "headers",
  "template-invalid": "body",
};

/** The fields of what a webhook gets in place of a POST of the event. */
export function RequestFields({ typed }: { typed: Typed | null }) {
  return (
    <details open={typed !== null}>
      <summary>Headers, body and method of a webhook</summary>
      <div class="stack">
        <CardFields card={REQUEST} typed={typed} id="request" />
      </div>
    </details>
  );
}

/** A new target for the admin API. */
export function newTargetIn(fields: Fields) {
  return { target: textOf(fields, "target").trim(), ...givenIn(REQUEST, fields, 0) };
}

/** The change of a target for the admin API: without a URL it keeps its own, and what is empty is removed. */
function changeIn(fields: Fields) {
  const target = textOf(fields, "target").trim();
  const moved = target !== "" && { target };
  if (!fields.has("headers")) return { ...moved };
  return { headers: [], body: null, ...givenIn(REQUEST, fields, 0), ...moved };
}

type Shown = Pick<TargetView, "id" | "kind" | "target" | "enabled" | keyof typeof REQUEST>;

/** Targets, each with what may be done with it by forms that post to its id behind `to`; `columns` tell more of each. */
export function TargetTable<T extends Shown>({
  targets,
  to,
  mayChange,
  columns = [],
}: {
  targets: readonly T[];
  to: string;
  mayChange: boolean;
  columns?: readonly Column<T>[];
}) {
  const actions: Column<T> = {
    label: "Actions",
    isLabelUnseen: true,
    cell: (target) => <TargetActions to={to} target={target} />,
  };
  return (
    <Table
      caption="Targets"
      rows={targets}
      keyOf={({ id }) => `target-${id}`}
      columns={[
        { label: "Target", heading: true, cell: targetName },
        {
          label: "State",
          cell: ({ enabled }) => (enabled ? <Badge tone="good">enabled</Badge> : <Badge>disabled</Badge>),
        },
        ...columns,
        ...(mayChange ? [actions] : []),
      ]}
    />
  );
}

/** A kind and an address, which of mail names its kind. */
export function targetName({ kind, target }: Shown): string {
  return target.startsWith(`${kind}:`) ? target : `${kind} ${target}`;
}

/** The actions of a target, by forms that post to its id behind `to`. */
export function TargetActions({
  to: all,
  target: { id, kind, enabled, target },
}: {
  to: string;
  target: Shown;
}) {
  const to = `${all}/${encodeURIComponent(id)}`;
  const actions = [
    ["test", "Send a sample"],
    enabled ? ["disable", "Disable"] : ["enable", "Enable"],
    ["url", kind === "webhook" ? "Change…" : "New URL…"],
  ] as const;
  return (
    <div class="actions">
      <Form to={to} class="actions" id={`actions-${id}`}>
        {actions.map(([action, label]) => (
          <Button kind="quiet" name="do" value={action} label={`${label}: ${target}`}>
            {label}
          </Button>
        ))}
      </Form>
      {kind === "webhook" && (
        <AskingButton
          to={to}
          values={{ do: "rotate" }}
          kind="quiet"
          label={`New secret: ${target}`}
          question="The receiver has a day to take the new secret: until then, deliveries are signed with both."
          confirm="Make a new secret"
        >
          New secret…
        </AskingButton>
      )}
      <AskingButton
        to={to}
        values={{ do: "delete" }}
        kind="quiet"
        label={`Delete: ${target}`}
        question="It gets nothing more, and its secret is gone."
        confirm="Delete the target"
      >
        Delete…
      </AskingButton>
    </div>
  );
}

/** The page of a target's owner. */
export type Home = Pick<Page, "section"> & { back: { to: string; label: string } };

/**
 * Does with a target what one of its forms asks for; `targets` are those of the page, which are at `to`; `gets` is what an enabled one gets. Throws
 * `not_found`.
 */
export async function actOnTarget(
  { act, perform }: Pick<Dashboard, "act" | "perform">,
  c: DashboardContext,
  fields: Fields,
  {
    id,
    to,
    targets: its,
    gets,
    home,
  }: { id: string; to: string; targets: readonly TargetView[]; gets: string; home: Home },
): Promise<Done | Page> {
  const target = its.find((each) => each.id === id);
  if (!target) throw noSuchTarget(id);
  const names = { target: id };
  const set = async (enabled: boolean, text: string) => {
    await perform(c, targets.set, { names, body: { enabled } });
    return { to: home.back.to, text };
  };
  const move = act({
    operation: targets.set,
    input: () => ({ names, body: changeIn(fields) }),
    done: ({ target }) => ({ to: home.back.to, text: `Changed the target ${target}` }),
    again: (_, faults) => changePage(home, `${to}/${id}`, target, { fields, faults }),
    at: TARGET_FAULTS,
  });
  const acts = {
    url: async () =>
      fields.has("target") ? move(c, fields, {}) : changePage(home, `${to}/${id}`, target, null),
    enable: () => set(true, `The target gets ${gets}`),
    disable: () => set(false, "The target gets nothing until it is enabled"),
    async delete() {
      await perform(c, targets.delete, { names });
      return { to: home.back.to, text: "Deleted the target" };
    },
    async rotate() {
      const { secret } = await perform(c, targets.rotate, { names, body: { overlap: OVERLAP } });
      return targetSecretPage(secret, home);
    },
    async test() {
      const { code, error, outcome, request } = await perform(c, targets.test, { names });
      const text =
        outcome === "delivered"
          ? `The target answered ${code}`
          : `The sample was not delivered: ${error ?? `the target answered ${code}`}`;
      return request === null ? { to: home.back.to, text } : samplePage(home, text, request);
    },
  };
  return chosenOf(acts as Record<string, () => Promise<Done | Page>>, fields)();
}

/** The page that gives a target another URL or another request; `to` is its path. */
function changePage(home: Home, to: string, target: Shown, typed: Typed | null): Page {
  const isWebhook = target.kind === "webhook";
  const texts = { method: target.method, headers: target.headers.join("\n"), body: target.body ?? "" };
  return {
    ...home,
    title: `${isWebhook ? "Change" : "New URL"} of a target of ${home.back.label}`,
    commands: [["The same", "targets set", target.id, { url: "https://example.com/hook" }]],
    content: (
      <Form
        to={to}
        values={{ do: "url" }}
        class="stack narrow card"
        id="target-change"
        label="Change of a target"
      >
        <TextField
          {...typedAt(typed, "target")}
          label="New URL"
          hint={`${isWebhook ? "Empty keeps it. " : ""}Of the same kind. What waits is sent there too; what failed, once it is retried.`}
          autofocus
          required={!isWebhook}
        />
        {isWebhook && <CardFields card={REQUEST} typed={typed} texts={texts} id="request" />}
        <div class="buttons">
          <Button kind="primary">Save</Button>
          <ButtonLink to={home.back.to} kind="quiet">
            Back
          </ButtonLink>
        </div>
      </Form>
    ),
  };
}

/** The sample that a target got, and what became of it. */
function samplePage(home: Home, text: string, { method, url, headers, body }: SentRequest): Page {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    ...home,
    title: `A sample for a target of ${home.back.label}`,
    content: (
      <div class="stack">
        <p>
          <Foreign text={text} />
        </p>
        <pre tabindex={0}>{visible([`${method} ${url}`, ...lines, "", body].join("\n"))}</pre>
        <p>
          <ButtonLink to={home.back.to}>Back</ButtonLink>
        </p>
      </div>
    ),
  };
}

/** Shows the secret of a webhook, this one time. */
export function targetSecretPage(secret: string, home: Home): Page {
  return secretPage({
    ...home,
    title: `Secret of a target of ${home.back.label}`,
    id: "secret",
    secret,
    about: (
      <Notice tone="warn">
        <p>This secret is shown this one time. Store it where the webhook checks the signatures.</p>
      </Notice>
    ),
  });
}
