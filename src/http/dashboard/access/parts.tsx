import { encode } from "uqr";
import type { Session } from "../../../access/session.ts";
import { AskingButton } from "../parts/danger.tsx";
import { Tabs } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";

/** The pages of the section "Access". */
export function AccessTabs({ current }: { current: "users" | "tokens" }) {
  return (
    <Tabs
      label="Access"
      tabs={[
        { to: "/access/users", label: "Users", isCurrent: current === "users" },
        { to: "/access/tokens", label: "Tokens", isCurrent: current === "tokens" },
      ]}
    />
  );
}

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

/** Returns a browser's common name, from its `User-Agent`. */
function nameOf(agent: string): string {
  const find = (known: typeof BROWSERS | typeof SYSTEMS) =>
    known.find(([, pattern]) => pattern.test(agent))?.[0];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (!browser) return agent === "" ? "unknown" : visible(agent.slice(0, 60));
  return system ? `${browser} on ${system}` : browser;
}

/** A text as a QR code. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join("");
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} class="light" />
      <path d={path} class="dark" />
    </svg>
  );
}
