import { AppError } from "../../../base/errors.ts";
import { type FlagPlace, hasExpired, isOn } from "../../../flags/flag.ts";
import { shareOfRest, controlOf, partsOf, variantsToRelease } from "../../../flags/release/release.ts";
import { verbOf, whoGets } from "../../../flags/release/release-words.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import { flags } from "../../../operations/flags.ts";
import { type Fields, revisionIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Facts } from "../parts/card.tsx";
import { MayChange, PROPOSED_FOR, formatRate } from "../parts/confirm.tsx";
import { WhyField } from "../parts/field.tsx";
import { Form } from "../parts/link.tsx";
import { Share } from "../parts/spark.tsx";
import { Notice } from "../parts/status.tsx";
import { type Faults, typedAt } from "../parts/submit.ts";
import { Ask } from "../parts/switch.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { settingAction, settingPath } from "../paths.ts";
import type { Dashboard, Done, Sent } from "../routes.ts";
import { useMayChange, useView } from "../view.ts";
import { Expiry, LastRead, RuleWords } from "./flag-facts.tsx";
import { type Again, type Screen, confirmationOf, differenceIn } from "./screen.tsx";

/** Readers that are named. */
const SHOWN_READERS = 3;

/** The state of a flag in an environment: who gets what, its switch, its last change and its reads. */
export function NowCard({ screen }: { screen: Screen }) {
  const { environment, record, rate, readAt, last, reads } = screen;
  const by = reads?.by.slice(0, SHOWN_READERS) ?? [];
  const { now } = useView();
  const gets = whoGets(record, now);
  return (
    <section class="card now" aria-label={`Now in ${environment.slug}`} id="now">
      <div class="top">
        {gets === null ? (
          <RuleWords record={record} />
        ) : (
          <p class="lead">
            {gets.map(({ who, what }) => (
              <>
                <b>
                  <Foreign text={who} />
                </b>{" "}
                {verbOf(who)} <Foreign text={what} />.{" "}
              </>
            ))}
          </p>
        )}
        <StateSwitch screen={screen} />
      </div>
      {hasExpired(record, now) && record.enabled && (
        <Notice tone="warn">
          <p>It has expired, so readers see it as off.</p>
        </Notice>
      )}
      <MayChange environments={[environment]}>{null}</MayChange>
      <ShareOfReads screen={screen} />
      <Facts
        class=""
        facts={[
          ["Since", last === null ? <span class="soft">its creation</span> : <Time at={last.at} />],
          last !== null && [
            "By",
            <>
              <Foreign text={last.who} />
              {last.why && (
                <>
                  <br />
                  <span class="soft small">
                    <Foreign text={`“${last.why}”`} />
                  </span>
                </>
              )}
            </>,
          ],
          [
            "Read",
            <>
              <>
                {rate > 0 ? anHour(rate) : <LastRead at={readAt} />}
                {by.length > 0 && (
                  <>
                    <br />
                    <span class="soft small">
                      by <Foreign text={by.map(readerOf).join(", ")} />
                    </span>
                  </>
                )}
              </>
            </>,
          ],
          ["Ends", <Expiry record={record} />],
        ]}
      />
    </section>
  );
}

function anHour(rate: number): string {
  const reads = Math.round(rate * 60);
  return reads >= 1 ? `${reads.toLocaleString("en")} an hour` : formatRate(rate);
}

/** A reader by its token; without one by the keys of its environment. */
export function readerOf({ token }: { token: string | null }): string {
  return token ?? "the keys";
}

/** The switch of a flag, which asks where an environment is locked or needs approvals. */
function StateSwitch({ screen: { place, environment, record, typed } }: { screen: Screen }) {
  const { flag } = place;
  const { slug, locked, approvals } = environment;
  const { now } = useView();
  const isEnabled = record.enabled;
  const enabled = isEnabled ? "off" : "on";
  const word = isOn(record, now) ? "On" : "Off";
  if (!useMayChange([environment])) return <div class={`onoff ${word.toLowerCase()}`}>{word}</div>;
  const values = { revision: record.revision, act: "state" };
  const form = { to: settingAction(place), id: "state-form", label: `State in ${slug}`, isOn: isEnabled };
  const asks = locked || approvals > 0 || typed.state !== undefined;
  const verb = `Turn ${enabled}`;
  return (
    <div class={`onoff ${word.toLowerCase()}`}>
      {word}{" "}
      {asks ? (
        <Ask
          {...form}
          values={{ ...values, enabled, ...(approvals > 0 ? { propose: PROPOSED_FOR } : { confirm: slug }) }}
          label={`${flag} is ${word.toLowerCase()} in ${slug}${locked ? ", which is locked" : ""}: change…`}
          question={
            <>
              <b>
                {verb} {flag} in {slug}?
              </b>
              <br />
              <span class="soft small">
                {approvals > 0 ? "It is proposed, and needs approvals." : "Readers see it within seconds."}
              </span>
            </>
          }
          act={approvals > 0 ? `Propose to ${verb.toLowerCase()}` : `${verb} in ${slug}`}
        >
          <WhyField id="state-why" value={typedAt(typed.state, "why").value} />
        </Ask>
      ) : (
        <Form to={form.to} id={form.id} label={form.label} values={{ ...values, act: undefined, enabled }}>
          <button
            class={isEnabled ? "switch on" : "switch"}
            name="act"
            value="state"
            aria-label={`${verb} in ${slug}`}
          ></button>
        </Form>
      )}
    </div>
  );
}

/** The colours of a share: of the first two, in turns, and of the rest. */
const KEYS = ["key a", "key b", "key"] as const;

/** How today's reads, or before the first the rule, are split among variants. */
function ShareOfReads({ screen: { record, served } }: { screen: Screen }) {
  const { now } = useView();
  const { variants, usual } = variantsToRelease(record);
  const others = [controlOf(record, usual), ...Object.keys(variants).filter((name) => name !== usual)];
  const names = [
    usual,
    ...new Set(others.toSorted((a, b) => Number(a === others[0]) - Number(b === others[0]))),
  ];
  const percents =
    served.reads > 0 ? names.map((name) => (100 * (served.variants[name] ?? 0)) / served.reads) : [];
  if (percents.length === 0) {
    const share = isOn(record, now) ? restShare(record.rules, usual) : 0;
    return <Share percents={[share]} />;
  }
  return (
    <div>
      <Share percents={percents.slice(0, -1)} />
      <p class="line small soft">
        {names.map((name, at) => (
          <>
            <span class={KEYS[at < names.length - 1 ? at % 2 : 2]}></span>
            <span>
              <Foreign text={name} />, {Math.round(percents[at]! * 10) / 10} %{at === 0 && " of reads today"}
            </span>
          </>
        ))}
      </p>
    </div>
  );
}

function restShare(rules: string | null, variant: string): number {
  if (rules === null) return 100;
  const { defaultVariant, targeting } = parseRules(rules);
  try {
    return shareOfRest(partsOf({ targeting }).rest ?? undefined, variant, defaultVariant);
  } catch (error) {
    if (error instanceof AppError) return 0;
    throw error;
  }
}

/** Throws `invalid` for what no page sends. */
function turnedIn(fields: Fields): "on" | "off" {
  const text = textOf(fields, "enabled");
  if (text === "on" || text === "true") return "on";
  if (text === "off" || text === "false") return "off";
  throw new AppError("invalid", "the form names neither on nor off");
}

/** Turns a flag on or off in an environment. */
export function changeState(
  { app, act }: Dashboard,
  again: Again,
  { c, fields, names }: Sent<FlagPlace>,
): Promise<Done | Page> {
  const { environment, flag } = names;
  const onOff = turnedIn(fields);
  const patch = { enabled: onOff === "on" };
  const to = settingPath(names);
  return act({
    operation: flags.set,
    input: () => ({ names, body: patch, revision: revisionIn(fields) }),
    done({ revision, result }): Done {
      if (result === "unchanged") return { to, text: `${flag} was ${onOff} in ${environment} already.` };
      const values = { act: "state", enabled: onOff === "on" ? "off" : "on", revision: String(revision) };
      return {
        to,
        text: `${flag} is ${onOff} in ${environment}.`,
        undo: { to: settingAction(names), values },
      };
    },
    confirm: async () =>
      confirmationOf(app, c.get("caller"), names, {
        label: `Turn ${onOff} in ${environment}`,
        change: await differenceIn(app, names, patch),
      }),
    again: (_: unknown, faults: Faults, { reason }: AppError) =>
      again(c, names, (screen) =>
        reason === "revision-differs"
          ? { ...conflicting(screen, onOff), typed: { state: { fields, faults: {} } } }
          : { typed: { state: { fields, faults } } },
      ),
    at: { invalid: "", too_large: "", unprocessable: "", conflict: "" },
  })(c, fields, names);
}

/** Nothing is changed: what was wanted may not be right for the flag as it is now. */
function conflicting(screen: Screen, enabled: "on" | "off"): Partial<Screen> {
  const theirs = screen.values.draft;
  const base = { ...theirs, enabled: enabled === "on" ? "off" : "on" };
  const advice = "The flag has changed. Check its current values below, then save again.";
  return { status: 409, conflict: { mine: { ...base, enabled }, base, theirs, advice } };
}
