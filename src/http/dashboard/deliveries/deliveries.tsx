import { settleForm } from "../form-parameter.ts";
import { shortName } from "../../../access/place.ts";
import { AppError } from "../../../base/errors.ts";
import { getDelivery, listDeliveries } from "../../../forms/deliveries.ts";
import { deliveries } from "../../../operations/deliveries.ts";
import { pageForms } from "../../../forms/forms.ts";
import { textOf, textOrNull } from "../fields.ts";
import { counted } from "../parts/text.tsx";
import type { Dashboard } from "../routes.ts";
import { deliveryPage } from "./delivery-page.tsx";
import { recipientsOf } from "./delivery-words.tsx";
import { type DeliveryFilter, listPage, statusIn } from "./list-page.tsx";

const PAGE = 50;
/** A page reads no more than this many thousand deliveries to find those of a filter. */
const SEARCHES = 10;
/** Forms that the filter offers. */
const MAX_FORMS = 100;

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Pages of deliveries: the list, one delivery, and retries. */
export function deliveriesRoutes({ app, get, post, perform }: Dashboard) {
  get("/deliveries", "forms:read", async (c) => {
    const before = c.req.query("before") ?? null;
    if (before !== null && !ID.test(before)) throw new AppError("invalid", "before is the id of a delivery");
    const { form } = await settleForm(app, c.get("caller"), { form: c.req.query("form") || null });
    const filter: DeliveryFilter = { status: statusIn(c.req.query("status")), form, before };
    const query = { ...filter, submission: null, limit: PAGE, searches: SEARCHES };
    const [{ items, next }, forms] = await Promise.all([
      listDeliveries(app, c.get("caller"), query),
      pageForms(app, c.get("caller"), { limit: MAX_FORMS }),
    ]);
    const recipients = await recipientsOf(app, items);
    return listPage({ filter, items, next, recipients, forms: forms.items.map(shortName) });
  });
  get("/deliveries/:id", "forms:read", async (c, { id }) => {
    if (!ID.test(id)) throw new AppError("not_found", "there is no such delivery");
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
