import type { SubmissionMark } from "../../../forms/submission-state.ts";
import { Button } from "../parts/link.tsx";
import type { InboxQuery } from "./query.ts";

const MARKS: Record<InboxQuery["folder"], readonly (readonly [SubmissionMark, string])[]> = {
  inbox: [
    ["archived", "Archive"],
    ["spam", "Spam"],
  ],
  spam: [["inbox", "Not spam"]],
  archived: [
    ["inbox", "Move to inbox"],
    ["spam", "Spam"],
  ],
};

/** A button for each mark that submissions of a folder can get, and one that deletes them. */
export function MarkButtons({ folder }: { folder: InboxQuery["folder"] }) {
  return (
    <p class="buttons">
      {marksOf(folder).map(([mark, label]) => (
        <Button name="mark" value={mark}>
          {label}
        </Button>
      ))}
      <Button name="mark" value="delete" kind="danger">
        Delete
      </Button>
    </p>
  );
}

/** What can be done with the submissions of a folder, beside the deletion. */
function marksOf(folder: InboxQuery["folder"]): readonly (readonly [SubmissionMark, string])[] {
  return [["read", "Mark as read"], ["unread", "Mark as unread"], ...MARKS[folder]];
}
