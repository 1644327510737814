import { clock } from "../../../base/clock.ts";
import { roughDuration } from "../../../base/units.ts";
import { formatBytes } from "../../../base/bytes.ts";
import type { CommitMinute } from "../../../maintenance/commit-latency.ts";
import type { Finding } from "../../../maintenance/finding.ts";
import { MAX_STATS_DELIVERIES } from "../../../maintenance/limits.ts";
import type { FormStats } from "../../../maintenance/stats.ts";
import type { StoreStats } from "../../../maintenance/store.ts";
import { CommitsCard } from "./commits-card.tsx";
import { usersFinding } from "./needs-of.ts";
import type { Page } from "../page.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { type Column, Table } from "../parts/table.tsx";
import type { Dashboard } from "../routes.ts";
import { type Tone, Badge, Notice } from "../parts/status.tsx";
import { Foreign, counted } from "../parts/text.tsx";

/** Health page: findings of the doctor and the server's state. */
export function healthRoutes({ app, options, get }: Dashboard) {
  get("/health", "admin", async (c) => {
    const connects = c.req.query("connections") === "1";
    const [findings, store, queued, failed, ofUsers] = await Promise.all([
      options.findings(connects),
      app.store.stats(),
      app.store.deliveries.countQueued(MAX_STATS_DELIVERIES, null),
      app.store.deliveries.countFailed(MAX_STATS_DELIVERIES, null),
      usersFinding(app, options),
    ]);
    return healthPage({
      connects,
      findings: [...findings, ...ofUsers],
      version: options.version,
      commit: options.commit,
      store,
      deliveries: { queued, failed },
      minutes: options.commitMinutes(),
    });
  });
}

type Health = {
  connects: boolean;
  findings: readonly Finding[];
  version: string;
  commit: string;
  store: StoreStats;
  deliveries: FormStats["deliveries"];
  minutes: readonly CommitMinute[];
};

function healthPage({ connects, findings, minutes, ...rest }: Health): Page {
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
      ["Check the machine, also if no server runs", "doctor"],
      ["Check the database and every uploaded file", "check"],
      ["Check that it answers", "healthcheck --ready"],
    ],
    content: (
      <div class="stack">
        <Findings findings={findings} connects={connects} />
        <div class="columns wide">
          <Server {...rest} />
          <CommitsCard minutes={minutes} />
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
}: Pick<Health, "version" | "commit" | "store" | "deliveries">) {
  return (
    <Card id="server-title" title="Server">
      <Facts
        facts={[
          ["Version", `${version} (${commit})`],
          ["Running for", roughDuration(Math.floor(clock.steady() / 1000))],
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
        ]}
      />
    </Card>
  );
}

const TONES: Record<Finding["status"], Tone> = { problem: "bad", warning: "warn", ok: "good" };
const LABELS: Record<Finding["status"], string> = { problem: "Problem", warning: "Warning", ok: "OK" };

/** Findings of the doctor: problems first, then passed checks. */
function Findings({ findings, connects }: { findings: readonly Finding[]; connects: boolean }) {
  const urgent = (["problem", "warning"] as const).flatMap((status) =>
    findings.filter((finding) => finding.status === status),
  );
  const well = findings.filter(({ status }) => status === "ok");
  const [problems, warnings] = (["problem", "warning"] as const).map(
    (status) => findings.filter((finding) => finding.status === status).length,
  ) as [number, number];
  return (
    <section class="stack" aria-labelledby="findings-title">
      <h2 id="findings-title">Findings</h2>
      <Notice
        tone={problems > 0 ? "bad" : warnings > 0 ? "warn" : "good"}
        title={
          problems + warnings === 0
            ? "All is well"
            : [problems > 0 && counted(problems, "problem"), warnings > 0 && counted(warnings, "warning")]
                .filter(Boolean)
                .join(", ")
        }
      >
        <p>
          {connects
            ? "The addresses of the server, its public URL and its mail server were contacted."
            : "The addresses of the server, its public URL and its mail server were not contacted."}
        </p>
      </Notice>
      {urgent.length > 0 && <Table caption="What to do" columns={COLUMNS} rows={urgent} />}
      <details>
        <summary>{well.length} checks found nothing wrong</summary>
        <Table caption="What is well" columns={COLUMNS.slice(0, 3)} rows={well} />
      </details>
    </section>
  );
}

const COLUMNS: Column<Finding>[] = [
  { label: "Check", heading: true, cell: ({ check }) => <Foreign text={check} /> },
  { label: "State", cell: ({ status }) => <Badge tone={TONES[status]}>{LABELS[status]}</Badge> },
  { label: "Found", cell: ({ message }) => <Foreign text={message} /> },
  { label: "What to do", cell: ({ hint }) => hint !== null && <Hint text={hint} /> },
];

/** A hint with the command that ends it, if there is one, as `set it: timedatectl set-ntp true`. */
function Hint({ text }: { text: string }) {
  const found = /^(.*?): ((?:formflag|chmod|chown|ulimit|timedatectl|unset|--)[^:]*.*)$/s.exec(text);
  if (!found) return <Options text={text} />;
  return (
    <>
      <Options text={found[1]!} />:{" "}
      <code>
        <Foreign text={found[2]!} />
      </code>
    </>
  );
}

/** A text with its options as code, each on one line. */
function Options({ text }: { text: string }) {
  return text
    .split(/(--[a-z][a-z-]*)/)
    .map((part, at) => (at % 2 === 1 ? <code class="nowrap">{part}</code> : <Foreign text={part} />));
}
