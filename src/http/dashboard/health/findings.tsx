import type { Finding } from "../../../maintenance/finding.ts";
import { Badge, Notice, type Tone } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";

const TONES: Record<Finding["status"], Tone> = { problem: "bad", warning: "warn", ok: "good" };
const LABELS: Record<Finding["status"], string> = { problem: "Problem", warning: "Warning", ok: "OK" };

/** What the doctor finds: what there is to do first, then what is well. */
export function Findings({ findings, connects }: { findings: readonly Finding[]; connects: boolean }) {
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
            : [counted(problems, "problem"), counted(warnings, "warning")].filter(Boolean).join(", ")
        }
      >
        <p>
          {connects
            ? "The addresses of the server, its public URL and its mail server were contacted."
            : "The addresses of the server, its public URL and its mail server were not contacted."}
        </p>
      </Notice>
      {urgent.length > 0 && <Table caption="What to do" columns={COLUMNS} rows={urgent} />}
      <details open={urgent.length === 0 || undefined}>
        <summary>{well.length} checks found nothing wrong</summary>
        <Table caption="What is well" columns={COLUMNS.slice(0, 3)} rows={well} />
      </details>
    </section>
  );
}

function counted(count: number, noun: string): string | null {
  return count === 0 ? null : `${count} ${noun}${count === 1 ? "" : "s"}`;
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
  if (!found) return <Foreign text={text} />;
  return (
    <>
      <Foreign text={found[1]!} />:{" "}
      <code>
        <Foreign text={found[2]!} />
      </code>
    </>
  );
}
