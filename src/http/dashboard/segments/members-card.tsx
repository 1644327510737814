import type { Member } from "../../../memberships/store.ts";
import { Card } from "../parts/card.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { Foreign } from "../parts/text.tsx";
import { segmentPath } from "../paths.ts";
import { useMayChange } from "../view.ts";
import type { FoundSegment } from "./segments.tsx";

/** Values on a page. */
export const SHOWN_MEMBERS = 50;

/** The values of a segment: null for who may not read the form; `after` is the last one before the page. */
export type ShownMembers = {
  lists: { pending: Member[]; approved: Member[]; more: boolean } | null;
  after: string | undefined;
};

/** The members of a segment that a form fills, and the values that wait for approval. */
export function MembersCard({ segment, members }: { segment: FoundSegment; members: ShownMembers }) {
  const { project, environment, record } = segment;
  const { lists, after } = members;
  const { members: count, pending } = record.counts ?? { members: 0, pending: 0 };
  const to = segmentPath(project.slug, environment.slug, record.name);
  const mayApprove = useMayChange([environment]);
  return (
    <Card id="members" title="Members">
      <p>
        {count.toLocaleString("en")} {count === 1 ? "member" : "members"}
        {pending > 0 && `, ${pending.toLocaleString("en")} pending`}.
      </p>
      {lists === null && <p class="soft">Only users who may read the form see the members.</p>}
      {lists && lists.pending.length > 0 && (
        <>
          <h3>Pending</h3>
          <ul>
            {lists.pending.map(({ value }) => (
              <li>
                <Foreign text={value} />{" "}
                {mayApprove && (
                  <Form to={`${to}/approve`} values={{ value }} class="inline" label={`Approve ${value}`}>
                    <Button label={`Approve ${value}`}>Approve</Button>
                  </Form>
                )}
              </li>
            ))}
          </ul>
          {mayApprove && (
            <Form to={`${to}/approve`} values={{ all: "1" }} label="Approve all">
              <Button kind="primary">Approve all</Button>
            </Form>
          )}
        </>
      )}
      {lists && lists.approved.length > 0 && (
        <>
          {lists.pending.length > 0 && <h3>Approved</h3>}
          <ul>
            {lists.approved.map(({ value }) => (
              <li>
                <Foreign text={value} />
              </li>
            ))}
          </ul>
        </>
      )}
      {lists && (lists.more || after !== undefined) && (
        <p class="buttons">
          {after !== undefined && <A to={to}>First ones</A>}
          {lists.more && (
            <A to={to} query={{ after: lists.approved.at(-1)!.value }}>
              More
            </A>
          )}
        </p>
      )}
    </Card>
  );
}
