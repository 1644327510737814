import type { Caller } from "../../access/caller.ts";
import { shortName } from "../../access/place.ts";
import { hasScopeSomewhere, projectsWith, visibleProjects } from "../../access/rights.ts";
import type { App } from "../../app.ts";
import { creationOf } from "../../base/ids.ts";
import { type Delivery, type DeliveryKind, isMail } from "../../delivery/delivery.ts";
import { NO_MAIL_SERVER } from "../../delivery/delivery-status.ts";
import { targetInWord } from "../../delivery/target.ts";
import { listDeliveries } from "../../forms/deliveries.ts";
import { COUNTED, LOOKED_AT, MOST, type Need } from "./need.ts";
import { sentence } from "../../base/shapes/words.ts";

/** The newest submissions of a form, in which the oldest unread one is searched. */
const SEARCHED = 200;

/** The targets of the newest deliveries that failed, or that wait for another attempt, and mail that waits for a server. */
export async function ofTargets(
  app: App,
  caller: Caller,
  sendsMail: () => Promise<boolean | null>,
): Promise<Need[]> {
  if (!hasScopeSomewhere(caller, "forms:read")) return [];
  const projects = visibleProjects(caller, "forms:read");
  const [queued, failed] = await Promise.all([
    app.store.deliveries.countQueued(1, projects),
    app.store.deliveries.countFailed(1, projects),
  ]);
  const list = async (status: "queued" | "failed", count: number) => {
    if (count === 0) return [];
    const query = { status, form: null, before: null, submission: null, limit: COUNTED, searches: 1 };
    return (await listDeliveries(app, caller, query)).items;
  };
  const lists = await Promise.all([list("failed", failed), list("queued", queued)]);
  const unsent = lists[1].filter(({ kind, attempts }) => attempts === 0 && isMail(kind as DeliveryKind));
  const mail = unsent.length > 0 && (await sendsMail()) === false ? [ofMail(unsent)] : [];
  const items = lists
    .flat()
    .filter(({ status, attempts, error }) => status === "failed" || (attempts > 0 && error !== null));
  const groups = Map.groupBy(items, (each) => JSON.stringify([each.target, each.project, each.form]));
  const needs = [...groups.values()].slice(0, MOST).map(async (group): Promise<Need> => {
    const [last] = group.toSorted((a, b) => (a.id < b.id ? 1 : -1)) as [Delivery];
    const waiting = group.filter(({ status }) => status === "queued").length;
    const of = { name: await nameOfTarget(app, last), subject: last.form ?? last.project };
    const counts = [
      waiting > 0 && `${counted(waiting)} and ${waiting === 1 ? "is" : "are"} tried again`,
      group.length > waiting && `${group.length - waiting} failed`,
    ];
    const status = waiting === group.length ? "queued" : "failed";
    const oldest = group.reduce((a, b) => (b.id < a.id ? b : a));
    return {
      kind: "target",
      tone: "bad",
      project: last.project,
      title: `${of.name} takes nothing from ${of.subject}`,
      subject: of.name,
      reason: `${sentence(last.error ?? "It failed")} ${sentence(counts.filter(Boolean).join("; "))}`,
      at: creationOf(oldest.id),
      verb: group.length === 1 ? "See why" : "See all",
      path:
        group.length === 1
          ? `/deliveries/${last.id}`
          : `/deliveries?status=${status}${last.form === null ? "" : `&form=${shortName({ project: last.project, slug: last.form })}`}`,
    };
  });
  return [...mail, ...(await Promise.all(needs))];
}

/** Mail that waits although nothing sends it. */
function ofMail(waiting: Delivery[]): Need {
  const oldest = waiting.reduce((a, b) => (b.id < a.id ? b : a));
  return {
    kind: "target",
    tone: "bad",
    project: oldest.project,
    title: `${waiting.length === 1 ? "1 mail waits" : `${waiting.length} mails wait`} for a mail server`,
    subject: "mail server",
    reason: `${sentence(NO_MAIL_SERVER)} What waits is sent once there is one.`,
    at: creationOf(oldest.id),
    verb: "See all",
    path: "/deliveries?status=queued",
  };
}

function counted(waiting: number): string {
  return waiting === COUNTED ? `${COUNTED} or more wait` : `${waiting} ${waiting === 1 ? "waits" : "wait"}`;
}

async function nameOfTarget({ store }: App, { kind, target }: Delivery): Promise<string> {
  if (isMail(kind as DeliveryKind) && kind !== "mail") return target;
  const record = await store.targets.find(target);
  return record ? targetInWord(record) : "A target that was deleted";
}

/** The unread submissions, of which the oldest is found if it is among the newest of its form. */
export async function ofInbox(app: App, caller: Caller): Promise<Need[]> {
  if (!hasScopeSomewhere(caller, "forms:read")) return [];
  const { submissions } = app.store;
  const projects = projectsWith(caller, "forms:read");
  const total = await submissions.unread(projects);
  if (total === 0) return [];
  const [mine, counts] = await Promise.all([
    submissions.unreadOf(caller.name, COUNTED, projects),
    submissions.counts(),
  ]);
  const unread = counts.filter((each) => each.unread > 0 && (projects?.includes(each.project) ?? true));
  const isFew = unread.length <= LOOKED_AT && unread.every((each) => each.unread <= SEARCHED);
  const ids = await Promise.all(
    (isFew ? unread : []).map((each) => submissions.oldestUnread(each.formKey, each.unread, SEARCHED)),
  );
  const times = ids.flatMap((id) => (id === null ? [] : creationOf(id)));
  const at = isFew && times.length === unread.length ? Math.min(...times) : null;
  const from = at === null ? null : unread[times.indexOf(at)]!;
  const subject = `${total.toLocaleString("en")} unread`;
  const own = mine === 0 ? "" : `, ${mine === COUNTED ? `${COUNTED} or more` : mine} of them yours`;
  const [only] = unread;
  return [
    {
      kind: "unread",
      tone: "info",
      project: null,
      title: `${subject} in the inbox${own}`,
      subject,
      reason:
        from !== null
          ? `${total === 1 ? "It is" : "The oldest is"} to ${from.name}.`
          : `Most of them are to ${unread.toSorted((a, b) => b.unread - a.unread)[0]!.name}.`,
      at,
      verb: "Read",
      path:
        unread.length === 1
          ? `/inbox/${shortName({ project: only!.project, slug: only!.form })}?unread=1`
          : "/inbox?unread=1",
    },
  ];
}
