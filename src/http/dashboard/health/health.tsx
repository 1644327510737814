import { Hono } from "hono/quick";
import type { App } from "../../../app.ts";
import { formatBytes } from "../../../base/bytes.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import type { CommitMinute } from "../../../maintenance/commit-latency.ts";
import type { Finding } from "../../../maintenance/finding.ts";
import type { FormStats } from "../../../maintenance/stats.ts";
import { readStats } from "../../../maintenance/stats.ts";
import type { StoreStats } from "../../../maintenance/store.ts";
import type { DashboardEnv } from "../dashboard-env.ts";
import { CommitsChart } from "../overview/commits-chart.tsx";
import { labelsIn } from "../overview/labels.ts";
import type { Page } from "../page.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Facts } from "../parts/table.tsx";
import type { Dashboard } from "../routes.ts";
import { Findings } from "./findings.tsx";

/** What the doctor finds, and how the server does. */
export function healthRoutes({ app, options, page, viewOf }: Dashboard) {
  return new Hono<DashboardEnv>().get(
    "/health",
    page("admin", async (c) => {
      const connects = c.req.query("connections") === "1";
      const { deliveries } = await readStats(app, c.get("caller"), { days: 1, hours: 1 });
      return healthPage({
        connects,
        findings: await options.findings(connects),
        version: options.version,
        commit: options.commit,
        store: await app.store.stats(),
        deliveries: deliveries!,
        users: await countUsers(app),
        minutes: options.commitMinutes(),
        now: app.now(),
        timeZone: viewOf(c).timeZone,
      });
    }),
  );
}

type Users = { all: number; withoutPassword: number };

async function countUsers({ store }: App): Promise<Users> {
  const count: Users = { all: 0, withoutPassword: 0 };
  for (let after: string | undefined, isLast = false; !isLast;) {
    const { items, more } = await store.users.page({
      limit: MAX_PAGE,
      ...(after !== undefined && { after }),
    });
    count.all += items.length;
    count.withoutPassword += items.filter(({ hasPassword }) => !hasPassword).length;
    isLast = !more;
    after = items.at(-1)?.name;
  }
  return count;
}

type Health = {
  connects: boolean;
  findings: readonly Finding[];
  version: string;
  commit: string;
  store: StoreStats;
  deliveries: FormStats["deliveries"];
  users: Users;
  minutes: readonly CommitMinute[];
  now: number;
  timeZone: string;
};

function healthPage({ connects, findings, minutes, now, timeZone, ...rest }: Health): Page {
  return {
    title: "Health",
    section: "health",
    actions: connects ? (
      <ButtonLink to="/health">Without connections</ButtonLink>
    ) : (
      <ButtonLink to="/health" query={{ connections: 1 }} icon="activity">
        Check connections
      </ButtonLink>
    ),
    commands: [
      { label: "Check the machine, also where no server runs", text: "formflag doctor" },
      { label: "Check the database and every uploaded file", text: "formflag check" },
      { label: "Check that it answers", text: "formflag healthcheck --ready" },
    ],
    content: (
      <div class="stack">
        <Findings findings={findings} connects={connects} />
        <div class="columns wide">
          <Server {...rest} />
          <CommitsChart minutes={minutes} now={now} labels={labelsIn(timeZone)} />
        </div>
      </div>
    ),
  };
}

function Server({
  version,
  commit,
  store,
  deliveries: { queued, failed },
  users,
}: Pick<Health, "version" | "commit" | "store" | "deliveries" | "users">) {
  return (
    <section class="card" aria-labelledby="server-title">
      <h2 id="server-title">Server</h2>
      <Facts
        facts={[
          ["Version", `${version} (${commit})`],
          ["Running for", durationOf(performance.now())],
          ["Database", formatBytes(store.bytes)],
          [
            "Writes that wait for the disk",
            `${store.queued.toLocaleString("en")}, ${formatBytes(store.queuedBytes)}`,
          ],
          [
            "Deliveries",
            <>
              <A to="/deliveries" query={{ status: "queued" }}>
                {queued.toLocaleString("en")} waiting
              </A>
              ,{" "}
              <A to="/deliveries" query={{ status: "failed" }}>
                {failed.toLocaleString("en")} failed
              </A>
            </>,
          ],
          [
            "Users without a password",
            <A to="/access/users">
              {users.withoutPassword.toLocaleString("en")} of {users.all.toLocaleString("en")}
            </A>,
          ],
        ]}
      />
    </section>
  );
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** The two largest units of a time in milliseconds, such as `2 days, 3 hours`. */
function durationOf(ms: number): string {
  let rest = ms;
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return parts.length === 0 ? "less than a minute" : parts.slice(0, 2).join(", ");
}
