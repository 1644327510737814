import { durationInWords } from "../../../base/units.ts";
import { nextShare, rampStatusInWords } from "../../../flags/ramps/ramp-words.ts";
import { type viewRamp, isHeld } from "../../../flags/ramps/ramp.ts";
import { Card, Facts } from "../parts/card.tsx";
import { MayChange } from "../parts/confirm.tsx";
import { Danger } from "../parts/danger.tsx";
import { CheckField, WhyField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Badge, EnvironmentName, Notice, type Tone } from "../parts/status.tsx";
import { typedAt } from "../parts/submit.ts";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { NewRamp, rampPath } from "./ramp.tsx";
import type { Screen } from "./screen.tsx";

type Ramp = ReturnType<typeof viewRamp>;

const TONES: Record<Ramp["status"], Tone> = {
  running: "info",
  paused: "warn",
  completed: "good",
  aborted: "neutral",
};

/** The ramp of a flag in an environment: its steps, and what may be done with it. */
export function RampCard({ screen }: { screen: Screen }) {
  const { environment, ramp, typed } = screen;
  const fault = typed.ramp?.faults[""];
  const isOver = ramp === null || !isHeld(ramp);
  return (
    <Card
      id="ramp"
      title={
        <>
          Ramp in <EnvironmentName environment={environment} />
          {ramp && <Badge tone={TONES[ramp.status]}>{ramp.status}</Badge>}
        </>
      }
    >
      {fault && (
        <Notice tone="bad">
          <p>{fault}</p>
        </Notice>
      )}
      {ramp ? (
        <Course ramp={ramp} />
      ) : (
        <p class="soft">A ramp raises the share of the users who get a variant, step by step.</p>
      )}
      <MayChange environments={[environment]}>
        {isOver ? <NewRamp screen={screen} /> : <Actions screen={screen} ramp={ramp} />}
      </MayChange>
    </Card>
  );
}

/** The state of a ramp in one line. */
export function RampState({ ramp }: { ramp: Ramp }) {
  const next = nextShare(ramp);
  return (
    <>
      {rampStatusInWords(ramp)}: {ramp.share} % get <Foreign text={ramp.variant} />
      {next !== null && (
        <>
          , {next} % {ramp.nextAt === null ? "once resumed" : <Time at={Date.parse(ramp.nextAt)} />}
        </>
      )}
    </>
  );
}

function Course({ ramp }: { ramp: Ramp }) {
  const { variant, share, every, steps, nextAt, reason, guards, onGuard, who, why } = ramp;
  const next = nextShare(ramp);
  return (
    <>
      <Facts
        class="row"
        facts={[
          [
            "Share",
            <>
              {share} % get <Foreign text={variant} />
            </>,
          ],
          next !== null && [
            "Next",
            nextAt === null ? `${next} % once resumed` : <DueStep share={next} at={Date.parse(nextAt)} />,
          ],
          steps.length > 1 && ["Pace", `a step every ${durationInWords(every).replace(/^1 /, "")}`],
          reason !== null && ["State", rampStatusInWords(ramp)],
          guards.length > 0 && ["Guards", <Guards guards={guards} />],
          guards.length > 0 && ["When a guard fires", onGuard === "pause" ? "pause" : "roll back"],
          [
            "Begun by",
            <>
              <Foreign text={who} />, <Time at={Date.parse(ramp.createdAt)} />
              {why !== null && (
                <>
                  : <Foreign text={why} />
                </>
              )}
            </>,
          ],
        ]}
      />
      <Table
        caption="Steps"
        rows={steps}
        columns={[
          { label: "Share", heading: true, cell: (step) => `${step.share} %` },
          {
            label: "Set",
            cell: ({ doneAt, ...step }) =>
              doneAt !== null ? (
                <ExactTime at={Date.parse(doneAt)} />
              ) : step.share === next && nextAt !== null ? (
                <>
                  due <Time at={Date.parse(nextAt)} />
                </>
              ) : (
                <span class="soft">{next === null ? "not set" : "to come"}</span>
              ),
          },
        ]}
      />
    </>
  );
}

function Guards({ guards }: { guards: readonly string[] }) {
  return (
    <>
      {guards.map((guard) => (
        <div>
          <Foreign text={guard} />
        </div>
      ))}
    </>
  );
}

function DueStep({ share, at }: { share: number; at: number }) {
  return (
    <>
      {share} % <Time at={at} /> (<ExactTime at={at} />)
    </>
  );
}

function Actions({ screen: { place, typed }, ramp }: { screen: Screen; ramp: Ramp }) {
  const { flag, environment } = place;
  const to = rampPath(place);
  const isRunning = ramp.status === "running";
  const [act, label] = isRunning ? ["pause", "Pause"] : ["resume", "Resume"];
  return (
    <>
      <Form to={to} values={{ do: act }} class="stack" id="ramp-form" label={`Ramp in ${environment}`}>
        <div class="filters">
          <Button kind="primary">
            {label} the ramp in {environment}
          </Button>
          <WhyField id="ramp-why" value={typedAt(typed.ramp, "why").value} />
        </div>
      </Form>
      <details id="ramp-abort">
        <summary>Abort the ramp…</summary>
        <Danger to={to} values={{ do: "abort" }} why="" whyId="abort-why" act={`Abort the ramp of ${flag}`}>
          <p>The flag gets the share, the default and the state from before the ramp.</p>
          <CheckField name="keep" id="ramp-keep" label="Leave the flag as it is" />
        </Danger>
      </details>
    </>
  );
}
