import { shortName } from "../../../access/place.ts";
import type { Delivery } from "../../../delivery/delivery.ts";
import { type TargetView, targetInWord } from "../../../delivery/target.ts";
import type { Form } from "../../../forms/form.ts";
import { StatusBadge } from "../deliveries/delivery-words.tsx";
import { Empty } from "../parts/card.tsx";
import { TextField } from "../parts/field.tsx";
import { A, Button, Form as PostForm } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { RequestFields, TARGET_HINT, TargetTable } from "../parts/targets.tsx";
import { Foreign } from "../parts/text.tsx";
import { formPath } from "../paths.ts";
import { useMayWriteForms } from "../view.ts";
import type { FormShown } from "./form-shown.ts";

/** The receivers of a submission: failing ones first. */
export function Told({ form, targets, deliveries, mail }: FormShown & { mail: string }) {
  const enabled = targets.filter((each) => each.enabled);
  const failing = enabled.filter(({ id }) => hasFailed(deliveries.get(id)));
  const others = Map.groupBy(
    enabled.filter((each) => !failing.includes(each)),
    nameOf,
  );
  const words = [
    ...[...others].map(([name, { length }]) => (length === 1 ? name : `${length} × ${name}`)),
    ...(mail === "" ? [] : [mail]),
  ];
  if (targets.length === 0 && form.notify.length === 0)
    return <span class="soft">no one, it goes to the inbox alone</span>;
  return (
    <>
      {failing.map((target) => (
        <>
          <Badge tone="bad">
            <Foreign text={`${nameOf(target)} fails`} />
          </Badge>{" "}
        </>
      ))}
      <Foreign text={words.join(", ") || (failing.length === 0 ? "no one: its targets are disabled" : "")} />
    </>
  );
}

function nameOf({ kind, target }: Pick<TargetView, "kind" | "target">): string {
  return targetInWord({ kind, url: target });
}

/** Whether the newest delivery to a target has failed, or waits for another attempt. */
export function hasFailed(deliveries: readonly Delivery[] | undefined): boolean {
  const [last] = deliveries ?? [];
  return last?.status === "failed" || (last?.status === "queued" && last.error !== null);
}

/** The targets of a form, with a form that adds one. */
export function Targets({
  shown: { form, targets, deliveries },
  typed,
}: {
  shown: FormShown;
  typed: Typed | null;
}) {
  const mayChange = useMayWriteForms(form.project);
  const to = `${formPath(shortName(form))}/targets`;
  return (
    <>
      <h3 id="targets">Targets</h3>
      {targets.length === 0 ? (
        <Empty
          title={
            form.notify.length > 0
              ? "Submissions are sent to the addresses above, and to no target"
              : "Submissions are sent nowhere but to the inbox"
          }
        />
      ) : (
        <TargetTable
          targets={targets}
          to={to}
          mayChange={mayChange}
          columns={[
            { label: "Health", cell: ({ id }) => <Health form={form} deliveries={deliveries.get(id)} /> },
          ]}
        />
      )}
      {mayChange && (
        <PostForm to={to} class="stack" id="add-target" label="Add a target" isChanged={typed !== null}>
          <TextField {...typedAt(typed, "target")} label="Add a target" hint={TARGET_HINT} required />
          <RequestFields typed={typed} />
          <p class="buttons">
            <Button icon="plus">Add</Button>
          </p>
        </PostForm>
      )}
    </>
  );
}

/** The newest delivery to a target, and how many of the newest have failed. */
function Health({ form, deliveries }: { form: Form; deliveries: readonly Delivery[] | undefined }) {
  const [last] = deliveries ?? [];
  if (!last) return <span class="soft">nothing was sent</span>;
  const failed = deliveries!.filter(({ status }) => status === "failed").length;
  return (
    <>
      <A to={`/deliveries/${last.id}`}>
        <StatusBadge status={last.status} />
      </A>
      {last.error !== null && (
        <>
          {" "}
          <Foreign text={last.error} />
        </>
      )}
      {failed > 0 && (
        <>
          {" "}
          <A to="/deliveries" query={{ form: shortName(form), status: "failed" }}>
            {failed} of {deliveries!.length} failed
          </A>
        </>
      )}
    </>
  );
}
