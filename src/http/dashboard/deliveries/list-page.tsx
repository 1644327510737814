import { parseFormName } from "../../../forms/form-name.ts";
import { namedShort, shownName } from "../forms/form-words.ts";
import { creationOf } from "../../../base/ids.ts";
import type { Delivery } from "../../../delivery/delivery.ts";
import { DELIVERY_STATUSES, type DeliveryStatus } from "../../../delivery/delivery-status.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { SelectField } from "../parts/field.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { A, Button, ButtonLink, Tabs } from "../parts/link.tsx";
import { BY_AGE, List } from "../parts/list.tsx";
import { Empty } from "../parts/card.tsx";
import { type Column } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { addressOf, useMayRetry, useMayWriteForms, useView } from "../view.ts";
import {
  type Recipients,
  STATUS_LABELS,
  StatusBadge,
  kindLabel,
  RetryButton,
  subjectOf,
} from "./delivery-words.tsx";

/** Filter of the list of deliveries. */
export type DeliveryFilter = { status: DeliveryStatus | null; form: string | null; before: string | null };

type Listed = {
  filter: DeliveryFilter;
  items: readonly Delivery[];
  next: string | null;
  recipients: Recipients;
  /** Short names of forms. */
  forms: readonly string[];
};

export function listPage({ filter: asked, items, next, recipients, forms }: Listed): Page {
  const filter = { ...asked, form: shownName(asked.form) };
  const { status, form } = filter;
  const title = status === null ? "Deliveries" : `${STATUS_LABELS[status]} deliveries`;
  return {
    title: form === null ? title : `${title} of ${form}`,
    heading: "Deliveries",
    section: "deliveries",
    topics: ["deliveries"],
    actions: items.length > 0 && <RetryAll filter={filter} />,
    commands: [
      { label: "List them", text: formflag("deliveries list", { ...namedShort(asked.form), status }) },
      {
        label: "Send all again that failed",
        text: formflag("deliveries retry", { failed: true, ...namedShort(asked.form) }),
      },
    ],
    content: (
      <div class="stack">
        <Statuses filter={filter} />
        {forms.length > 1 && <FormFilter filter={filter} forms={forms} />}
        <List
          empty={<Nothing filter={filter} isEnd={next === null} />}
          caption="Deliveries, newest first"
          rows={items}
          keyOf={({ id }) => `delivery-${id}`}
          columns={columnsOf(filter, recipients)}
          pages={{
            to: "/deliveries",
            query: { status, form },
            isLater: filter.before !== null,
            next: next !== null && { before: next },
            words: BY_AGE,
            icons: { first: "arrowLeft", next: "arrowRight" },
          }}
        />
      </div>
    ),
  };
}

function RetryAll({ filter: { status, form } }: { filter: DeliveryFilter }) {
  if (!useMayWriteForms(parseFormName(form ?? "").project) || (status !== null && status !== "failed"))
    return null;
  return (
    <AskingButton
      to="/deliveries/retry"
      values={{ failed: "1", form, status }}
      icon="send"
      question="Every receiver gets each of its failed deliveries again, old ones too."
      confirm="Retry all"
    >
      {form === null ? "Retry all failed…" : `Retry all failed of ${form}…`}
    </AskingButton>
  );
}

function Statuses({ filter }: { filter: DeliveryFilter }) {
  const tabs = ([null, "queued", "failed", "delivered", "cancelled"] as const).map((status) => ({
    to: "/deliveries",
    query: { status, form: filter.form },
    label: status === null ? "All" : STATUS_LABELS[status],
    isCurrent: status === filter.status,
  }));
  return <Tabs label="Status" tabs={tabs} />;
}

function FormFilter({
  filter: { status, form },
  forms,
}: {
  filter: DeliveryFilter;
  forms: readonly string[];
}) {
  const options = [{ value: "", label: "All forms" }, ...forms.map((slug) => ({ value: slug, label: slug }))];
  return (
    <form method="get" action={addressOf(useView(), "/deliveries")} class="filter">
      {status !== null && <input type="hidden" name="status" value={status} />}
      <SelectField name="form" label="Form" value={form ?? ""} options={options} />
      <Button>Show</Button>
    </form>
  );
}

function columnsOf({ status, form }: DeliveryFilter, recipients: Recipients): Column<Delivery>[] {
  return [
    {
      label: "Delivery",
      heading: true,
      cell: (delivery) => (
        <>
          <A to={`/deliveries/${delivery.id}`}>
            {kindLabel(delivery.kind)} of {subjectOf(delivery)}
          </A>{" "}
          <span class="soft">
            <Foreign text={recipients.get(delivery.target)!} />
          </span>
        </>
      ),
    },
    { label: "Status", cell: (delivery) => <StatusBadge {...delivery} /> },
    { label: "Since", cell: ({ id }) => <Time at={creationOf(id)} /> },
    {
      label: "Result",
      cell: ({ attempts, code, error, nextAt }) => (
        <>
          {attempts === 1 ? "1 attempt" : `${attempts} attempts`}
          {code !== null && error === null && `, answered ${code}`}
          {error !== null && (
            <>
              : <Foreign text={error} />
            </>
          )}
          {nextAt !== null && "."}
          {nextAt !== null && (
            <span class="soft">
              {" "}
              Next: <Time at={Date.parse(nextAt)} />
            </span>
          )}
        </>
      ),
    },
    {
      label: "Actions",
      isLabelUnseen: true,
      cell: (delivery) =>
        useMayRetry(delivery) && (
          <RetryButton delivery={delivery} values={{ id: delivery.id, status, form }} kind="quiet" />
        ),
    },
  ];
}

function Nothing({ filter: { status, form, before }, isEnd }: { filter: DeliveryFilter; isEnd: boolean }) {
  if (!isEnd) return <Empty title="No match among the deliveries searched so far" />;
  if (status !== null || form !== null || before !== null) return <Empty title="There are none" />;
  return (
    <Empty title="Nothing has been sent yet">
      <p>Submissions are sent on to the webhooks, chat services and mail addresses of their form.</p>
      <ButtonLink to="/forms">Choose a form</ButtonLink>
    </Empty>
  );
}

/** The status of that name; null for anything else. */
export function statusIn(text: string | undefined): DeliveryStatus | null {
  return DELIVERY_STATUSES.find((status) => status === text) ?? null;
}
