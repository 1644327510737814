import type { Session } from "../../../access/session.ts";
import { AskingButton } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";

/** Browsers that are signed in, each with a button that ends its session. `from` is the page to come back to. */
export function SessionTable({
  sessions,
  current,
  from,
}: {
  sessions: readonly Session[];
  current?: Session;
  from: "me" | "users";
}) {
  return (
    <Table
      caption="Signed-in browsers"
      rows={sessions}
      keyOf={({ id }) => `session-${id}`}
      columns={[
        {
          label: "Browser",
          heading: true,
          cell: ({ agent, id }) => (
            <>
              <Foreign text={nameOf(agent)} /> {id === current?.id && <Badge tone="info">this one</Badge>}
            </>
          ),
        },
        ...(from === "users" ? [{ label: "User", cell: ({ user }: Session) => user }] : []),
        { label: "Address", cell: ({ address }) => address },
        { label: "By", cell: ({ method }) => method },
        { label: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
        { label: "Last seen", cell: ({ seenAt }) => <Time at={seenAt} /> },
        {
          label: "Actions",
          isLabelUnseen: true,
          cell: ({ id, user, agent }) => (
            <AskingButton
              to={`/me/sessions/${id}`}
              values={{ from }}
              kind="quiet"
              label={`End the session of ${user} in ${nameOf(agent)}`}
              question={`${user} is signed out there, and loses what is not saved.`}
              confirm="End this session"
            >
              End…
            </AskingButton>
          ),
        },
      ]}
    />
  );
}

const BROWSERS = [
  ["Firefox", /firefox\//i],
  ["Edge", /edg\//i],
  ["Opera", /opr\//i],
  ["Chrome", /chrom(e|ium)\//i],
  ["Safari", /safari\//i],
] as const;

const SYSTEMS = [
  ["Android", /android/i],
  ["iOS", /iphone|ipad/i],
  ["Windows", /windows/i],
  ["macOS", /mac os/i],
  ["Linux", /linux/i],
] as const;

/** What people call a browser, from what it says of itself. */
function nameOf(agent: string): string {
  const find = (known: typeof BROWSERS | typeof SYSTEMS) =>
    known.find(([, pattern]) => pattern.test(agent))?.[0];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (!browser) return agent === "" ? "unknown" : visible(agent.slice(0, 60));
  return system ? `${browser} on ${system}` : browser;
}
