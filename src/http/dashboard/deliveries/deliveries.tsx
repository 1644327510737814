import { settleForm } from "../form-parameter.ts";
import { shortName } from "../../../access/place.ts";
import { visibleProjects } from "../../../access/rights.ts";
import { MAX_STATS_DELIVERIES } from "../../../maintenance/limits.ts";
import { AppError } from "../../../base/errors.ts";
import { getDelivery, listDeliveries } from "../../../forms/deliveries.ts";
import { deliveries } from "../../../operations/deliveries.ts";
import { pageForms } from "../../../forms/forms.ts";
import { SUBMISSION_ID } from "../../../base/ids.ts";
import { beforeIn, textOf, textOrNull } from "../fields.ts";
import { counted, Foreign } from "../parts/text.tsx";
import type { Dashboard } from "../routes.ts";
import { deliveryPage } from "./delivery-page.tsx";
import {
  recipientsOf,
  type Recipients,
  STATUS_LABELS,
  StatusBadge,
  adviceFor,
  kindLabel,
  RetryButton,
  subjectOf,
} from "./delivery-words.tsx";
import { parseFormName } from "../../../forms/form-name.ts";
import { formOf, namedShort, shownName } from "../forms/form-words.ts";
import { creationOf } from "../../../base/ids.ts";
import type { Delivery } from "../../../delivery/delivery.ts";
import { DELIVERY_STATUSES, type DeliveryStatus } from "../../../delivery/delivery-status.ts";
import type { Page } from "../page.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Chips } from "../parts/seg.tsx";
import { BY_AGE, List } from "../parts/list.tsx";
import { Empty } from "../parts/card.tsx";
import type { Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useMayRetry, useMayWriteForms } from "../view.ts";

const PAGE = 50;
/** A page reads no more than this many thousand deliveries to find those of a filter. */
const SEARCHES = 10;
/** Forms that have a link each. */
const MAX_CHIPS = 12;

/** Pages of deliveries: the list, one delivery, and retries. */
export function deliveriesRoutes({ app, get, post, perform }: Dashboard) {
  get("/deliveries", "forms:read", async (c) => {
    const before = beforeIn(c, "delivery");
    const { form } = await settleForm(app, c.get("caller"), { form: c.req.query("form") || null });
    const filter: DeliveryFilter = { status: statusIn(c.req.query("status")), form, before };
    const query = { ...filter, submission: null, limit: PAGE, searches: SEARCHES };
    const projects = visibleProjects(c.get("caller"), "forms:read");
    const [{ items, next }, forms, queued, failed] = await Promise.all([
      listDeliveries(app, c.get("caller"), query),
      pageForms(app, c.get("caller"), { limit: MAX_CHIPS + 1 }),
      app.store.deliveries.countQueued(MAX_STATS_DELIVERIES, projects),
      app.store.deliveries.countFailed(MAX_STATS_DELIVERIES, projects),
    ]);
    const recipients = await recipientsOf(app, items);
    const counts = { queued, failed };
    const names = new Map(forms.items.map((each) => [shortName(each), each.name]));
    return listPage({ filter, items, next, recipients, forms: names, counts });
  });
  get("/deliveries/:id", "forms:read", async (c, { id }) => {
    if (!SUBMISSION_ID.test(id)) throw new AppError("not_found", "there is no such delivery");
    const delivery = await getDelivery(app, c.get("caller"), id);
    const recipients = await recipientsOf(app, [delivery]);
    return deliveryPage({ delivery, recipient: recipients.get(delivery.target)! });
  });
  post("/deliveries/retry", "forms:write", async (c, fields) => {
    const id = textOf(fields, "id");
    const { form } = await settleForm(app, c.get("caller"), { form: textOrNull(fields, "form") });
    const isAll = textOf(fields, "failed") === "1";
    const body = isAll ? { failed: true, form: form ?? undefined } : { ids: [id] };
    const { queued } = await perform(c, deliveries.retry, { body });
    const text = `${counted(queued, "delivery is", "deliveries are")} queued again.`;
    if (textOf(fields, "one") === "1") return { to: `/deliveries/${id}`, text };
    return { to: "/deliveries", query: { status: statusIn(textOf(fields, "status")), form }, text };
  });
}

/** Filter of the list of deliveries. */
type DeliveryFilter = { status: DeliveryStatus | null; form: string | null; before: string | null };

/** Deliveries of all forms that wait and that have failed. */
type Counts = { queued: number; failed: number };

type Listed = {
  counts: Counts;
  filter: DeliveryFilter;
  items: readonly Delivery[];
  next: string | null;
  recipients: Recipients;
  /** Names of forms by their short names; of many, the first. */
  forms: ReadonlyMap<string, string>;
};

function listPage({ filter: asked, items, next, recipients, forms, counts }: Listed): Page {
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
      ["List them", "deliveries list", { ...namedShort(asked.form), status }],
      ["Send all again that failed", "deliveries retry", { failed: true, ...namedShort(asked.form) }],
    ],
    content: (
      <div class="stack">
        <Statuses filter={filter} counts={counts} />
        {forms.size > 1 && <FormChips filter={filter} forms={forms} items={items} />}
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

function Statuses({ filter, counts }: { filter: DeliveryFilter; counts: Counts }) {
  const chips = ([null, "queued", "failed", "delivered", "cancelled"] as const).map((status) => ({
    to: "/deliveries",
    query: { status, form: filter.form },
    label: status === null ? "All" : STATUS_LABELS[status],
    isCurrent: status === filter.status,
    count: status === "queued" || status === "failed" ? shownCount(counts[status]) : null,
  }));
  return <Chips label="Status" chips={chips} />;
}

/** A number up to the most that are counted; nothing for none. */
function shownCount(count: number): string | null {
  if (count === 0) return null;
  return count >= MAX_STATS_DELIVERIES
    ? `${MAX_STATS_DELIVERIES.toLocaleString("en")}+`
    : count.toLocaleString("en");
}

/** A link for each form by its name; of more than `MAX_CHIPS`, for the forms of the page by their slugs. */
function FormChips({ filter: { status, form }, forms, items }: Pick<Listed, "filter" | "forms" | "items">) {
  const listed = items.flatMap((each) =>
    each.form === null ? [] : formOf({ project: each.project, form: each.form }),
  );
  const isUnique = new Set(forms.values()).size === forms.size;
  const named = forms.size <= MAX_CHIPS ? [...forms.keys()] : listed;
  const shown = [...new Set([...named, ...(form === null ? [] : [form])])].toSorted();
  const labelOf = (each: string) => (isUnique && forms.get(each)) || each;
  const chips = [null, ...shown].map((each) => ({
    to: "/deliveries",
    query: { status, form: each },
    label: each === null ? "All forms" : <Foreign text={labelOf(each)} />,
    isCurrent: each === form,
  }));
  return <Chips label="Form" chips={chips} />;
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
      cell: (delivery) => {
        const { attempts, code, error, nextAt } = delivery;
        return (
          <>
            {attempts === 1 ? "1 attempt" : `${attempts} attempts`}
            {code !== null && error === null && `, answered ${code}`}
            {error !== null && (
              <>
                : <Foreign text={error} />
              </>
            )}
            {nextAt !== null && "."}
            {adviceFor(delivery) !== null && <span class="hint">{adviceFor(delivery)}</span>}
            {nextAt !== null && (
              <span class="soft">
                {" "}
                Next: <Time at={Date.parse(nextAt)} />
              </span>
            )}
          </>
        );
      },
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
function statusIn(text: string | undefined): DeliveryStatus | null {
  return DELIVERY_STATUSES.find((status) => status === text) ?? null;
}
