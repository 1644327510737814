import { encode } from "uqr";
import type { MemberRole } from "../../../access/members/member.ts";
import { ROLE_WORDS, type UserRole } from "../../../access/role.ts";
import type { Session } from "../../../access/session.ts";
import type { User } from "../../../access/user.ts";
import { type Fields, chosenOf } from "../fields.ts";
import type { Child } from "../markup.ts";
import { AskingButton } from "../parts/danger.tsx";
import { A, Button, Tabs } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { pathTo } from "../paths.ts";

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

/** The buttons of a question whether something may act for a person. */
export function AnswerButtons({ mayAllow = true }: { mayAllow?: boolean }) {
  return (
    <div class="buttons">
      {mayAllow && (
        <Button kind="primary" name="answer" value="allow">
          Allow
        </Button>
      )}
      <Button name="answer" value="deny">
        Deny
      </Button>
    </div>
  );
}

/** The answer of {@link AnswerButtons}. Throws `invalid` if there is none. */
export function answerIn(fields: Fields): "allow" | "deny" {
  return chosenOf({ allow: "allow", deny: "deny" }, fields, "answer");
}

/**
 * Browsers and command lines that are signed in, each with a button that ends it. `from` is the page to come back to: that of
 * the person, of all users, or of one user.
 */
export function SessionTable({
  sessions,
  current,
  from,
}: {
  sessions: readonly Session[];
  current?: Session;
  from: "me" | "users" | "user";
}) {
  return (
    <Table
      caption="Sessions"
      rows={sessions}
      keyOf={({ id }) => `session-${id}`}
      columns={[
        {
          label: "Session",
          heading: true,
          cell: (session) => (
            <>
              <Foreign text={nameOf(session)} />{" "}
              {session.id === current?.id && <Badge tone="info">this one</Badge>}
            </>
          ),
        },
        ...(from === "users"
          ? [{ label: "User", cell: ({ user }: Session) => <A to={userPath(user)}>{user}</A> }]
          : []),
        { label: "Address", cell: ({ address }) => address },
        { label: "By", cell: ({ method }) => METHODS[method] },
        { label: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
        { label: "Last seen", cell: ({ seenAt }) => <Time at={seenAt} /> },
        {
          label: "Actions",
          isLabelUnseen: true,
          cell: (session) => (
            <AskingButton
              to={`/me/sessions/${session.id}`}
              values={{ from, user: from === "user" ? session.user : null }}
              kind="quiet"
              label={`End the session of ${session.user}: ${nameOf(session)}`}
              question={
                session.method === "cli"
                  ? `Commands of ${session.user} are refused there, until the next login.`
                  : `${session.user} is signed out there, and loses what is not saved.`
              }
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

/** How a session began, in words. */
const METHODS: Record<Session["method"], string> = {
  link: "link",
  passkey: "passkey",
  password: "password",
  proxy: "proxy",
  oidc: "single sign-on",
  cli: "formflag login",
};

/** Roles to choose from, each with its rights. */
export function roleOptions(roles: readonly UserRole[]) {
  return roles.map((role) => ({ value: role, label: `${role}: ${ROLE_WORDS[role]}` }));
}

/** How a user signs in: `password, authenticator app`. */
export function waysInWords({ hasPassword, secondFactors }: User): Child {
  if (!hasPassword && !secondFactors.includes("passkey")) return <Badge tone="warn">a link alone</Badge>;
  const factors = secondFactors.map((each) => FACTORS[each]);
  return (hasPassword ? ["password", ...factors] : factors).join(", ");
}

const FACTORS: Record<User["secondFactors"][number], string> = {
  totp: "authenticator app",
  passkey: "passkey",
};

/** The path of the page of a user. */
export function userPath(name: string): string {
  return pathTo("/access/users/:user", { user: name });
}

/** A role in a project, with the environments that it is limited to. */
export function membershipText({ role, environments }: MemberRole): string {
  return environments === null ? role : `${role} of ${environments.join(", ") || "no environment"}`;
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

/** The name of a session for people: `Firefox on Linux`, or `Command line, laptop`. */
function nameOf({ method, agent }: Session): string {
  if (method !== "cli") return browserName(agent);
  return agent === "" ? "Command line" : `Command line, ${visible(agent.slice(0, 60))}`;
}

/** The usual name of a browser, from its `User-Agent`. */
function browserName(agent: string): string {
  const find = (known: typeof BROWSERS | typeof SYSTEMS) =>
    known.find(([, pattern]) => pattern.test(agent))?.[0];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (!browser) return agent === "" ? "Unknown browser" : visible(agent.slice(0, 60));
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
