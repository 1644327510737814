import type { Page } from "../page.tsx";
import { Card } from "../parts/card.tsx";
import { A } from "../parts/link.tsx";
import { Table } from "../parts/table.tsx";
import { KEYS } from "../paths.ts";
import type { Dashboard } from "../routes.ts";

/** The keys of pages, which press the buttons and links that name them in `aria-keyshortcuts`. */
const ALL: readonly (readonly [where: string, keys: readonly (readonly [keys: string, what: string])[]])[] = [
  [
    "Everywhere",
    [
      ["Ctrl K", "Find a page, a flag, a form, a sender or an action"],
      ["?", "Show these keys"],
      ["g t", "Go to Today"],
      ["g i", "Go to the inbox"],
      ["g f", "Go to the flags"],
      ["g o", "Go to the forms"],
      ["g d", "Go to the deliveries"],
      ["g p", "Go to the senders"],
      ["c", "New form or flag"],
      ["/", "Search"],
      ["z", "Undo"],
      ["Ctrl ↵", "Send the form of the text"],
      ["Esc", "Leave a field, close a menu"],
    ],
  ],
  [
    "Inbox",
    [
      ["j", "Older"],
      ["k", "Newer"],
      ["↵", "Open"],
      ["o", "Open the oldest unread one"],
      ["x", "Tick"],
      ["⇧ X", "Tick all from the last one ticked"],
      ["e", "Archive, or move back to the inbox"],
      ["s", "Spam, or not spam"],
      ["u", "Unread, or read"],
      ["#", "Delete"],
      ["r", "Reply"],
      ["a", "Assign"],
      ["l", "Label"],
      ["m", "Note"],
    ],
  ],
];

export function keysRoutes({ get }: Dashboard) {
  get(KEYS, null, async (): Promise<Page> => ({ title: "Keys", section: null, content: <Keys /> }));
}

function Keys() {
  return (
    <>
      <p class="soft">
        Keys of one letter are switched off under <A to="/me">You</A>.
      </p>
      <div class="columns">
        {ALL.map(([where, keys]) => (
          <Card id={`keys-${where}`} title={where}>
            <Table
              caption={where}
              rows={keys}
              keyOf={([key]) => `key-${where}-${key}`}
              columns={[
                { label: "Key", heading: true, cell: ([key]) => <kbd>{key}</kbd> },
                { label: "Action", isLabelUnseen: true, cell: ([, what]) => what },
              ]}
            />
          </Card>
        ))}
      </div>
    </>
  );
}
