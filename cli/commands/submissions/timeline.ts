import { eventText } from "../../../src/forms/inbox/handling.ts";
import type { TimelineEvent } from "../../../src/forms/inbox/timeline.ts";
import { submissions as operations } from "../../../src/operations/submissions.ts";
import { table } from "../../output/text.ts";
import { verb } from "../../session/verb.ts";

export const addTimelineCommand = verb("timeline", {
  argument: ["[id]", "id of the submission"],
  description:
    "show what happened to a submission: who marked, assigned, annotated and answered it, and where it was delivered",
  options: ["field"],
  help: `
The timeline keeps the newest 100 marks, the newest 200 assignments, labels, notes and replies, and the newest 100
attempts of each delivery. A delivery is removed 7 days after it was delivered, or 30 days after it failed or was
cancelled.

Example:
  formflag submissions timeline 01a1fc49-92a7-75da-ab11-1c9958800353
`,
  parse: async (input, given) => input.need(given, "id"),
  run: async ({ client, print }, id) => {
    const { events } = await client.call(operations.timeline, { names: { id } });
    const rows = events.map((each) => [each.at, each.event, ...cellsOf(each)]);
    await print(events, table(["TIME", "EVENT", "BY OR TO", "DETAILS"], rows));
  },
});

/** Two cells of an event: the user or the recipient, and the details. */
function cellsOf(event: TimelineEvent): [string, string] {
  switch (event.event) {
    case "stored":
      return ["", event.spam === null ? "" : `spam, ${event.spam}: ${event.explanation ?? ""}`];
    case "marked":
      return [event.who, event.mark];
    case "assigned":
      return [event.who, `to ${eventText(event) ?? "nobody"}`];
    case "labeled":
    case "unlabeled":
    case "noted":
    case "answered":
      return [event.who, eventText(event)!.replaceAll(/\s*[\r\n]+\s*/g, " ")];
    case "queued":
      return [
        `${event.kind} ${event.target}`,
        event.nextAt === null
          ? `now ${event.status}${event.status === "queued" && event.error ? `, ${event.error}` : ""}`
          : `next attempt ${event.nextAt}`,
      ];
    case "attempted":
      return [
        `${event.kind} ${event.target}`,
        `${event.error ?? `answered ${event.code ?? "nothing"}`}, in ${event.duration} ms`,
      ];
    case "skipped":
      return [event.kind, event.error];
    default:
      // A newer server may know other events.
      return ["", ""];
  }
}
