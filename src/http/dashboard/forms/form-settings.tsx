import { shortName } from "../../../access/place.ts";
import { AppError } from "../../../base/errors.ts";
import { showKind } from "../../../base/kinds/kinds.ts";
import { NO_MAIL_SERVER } from "../../../delivery/delivery-status.ts";
import type { Form } from "../../../forms/form.ts";
import { SENTENCES } from "../../../forms/settings/sentences.ts";
import { GROUPS, type Group } from "../../../forms/settings/setting.ts";
import { NAMES, SETTINGS, type SettingName, inOrder } from "../../../forms/settings/settings.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Fields } from "../fields.ts";
import type { Child } from "../markup.ts";
import { Facts } from "../parts/card.tsx";
import { Fold } from "../parts/fold.tsx";
import { SettingFields, changedIn, wasSent } from "../parts/kind-field.tsx";
import { A, Button, Form as PostForm } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import type { Typed } from "../parts/submit.ts";
import { Foreign, visible } from "../parts/text.tsx";
import { formatExact } from "../parts/time.tsx";
import { DOCS_PAGE, formPath, pathTo } from "../paths.ts";
import { useMayWriteForms, useView } from "../view.ts";
import type { FormShown } from "./form-shown.ts";
import { Feeds, feedsInWords } from "./form-feeds.tsx";
import { Targets, Told, hasFailed } from "./form-targets.tsx";

/** A form of the page that was not taken: that of a setting's group, a target or a feed. */
export type Refused = { of: "settings" | "target" | "feed" } & Typed;

const TITLES: Record<Group, string> = {
  accepts: "Accepts",
  screens: "Checks",
  keeps: "Keeps",
  shows: "Shows",
  answers: "Answers",
  tells: "Tells",
};

/** The settings of each group, in the order of the page. */
function namesIn(group: Group): SettingName[] {
  return inOrder("field").filter((name) => SETTINGS[name].field![0] === group);
}

const fielded = new Set<string>(inOrder("field"));

/** The settings that a form carries and changes, as {@link changedIn}. Throws `invalid` for none. */
export function settingsIn(fields: Fields, timeZone: string) {
  const names = NAMES.filter((name) => wasSent(fields, name));
  if (names.length === 0) throw new AppError("invalid", "the form names no settings: load the page again");
  const kinds = names.map((name) => [name, SETTINGS[name].kind] as const);
  return changedIn(kinds, fields, timeZone);
}

type Props = { shown: FormShown; open: "all" | "feeds" | null; refused: Refused | null };

/** The card of what happens when someone sends a form: a row for each group of settings, which opens to change them. */
export function SettingsCard({ shown, open, refused }: Props) {
  const { form, now, mailWaits, feeds } = shown;
  const { timeZone } = useView();
  const mayChange = useMayWriteForms(form.project);
  const moment = { now, dateOf: (at: number) => formatExact(at, timeZone) };
  const settings = refused?.of === "settings" ? refused : null;
  const lost = Object.entries(settings?.faults ?? {}).filter(([name]) => !fielded.has(name));
  return (
    <section class="card flush" aria-labelledby="after">
      <div class="title">
        <h2 id="after">When someone sends it</h2>
        {mayChange && open !== "all" && (
          <A to={`${formPath(shortName(form))}/settings`} class="end">
            Open all
          </A>
        )}
      </div>
      {mailWaits && (
        <Notice tone="warn" title={sentence(`${NO_MAIL_SERVER}: mail of this form waits for one`)}>
          <p>
            <A to={pathTo(DOCS_PAGE, { page: "running" })} hash="mail-and-webhooks-what-the-server-may-reach">
              How to set one up
            </A>
          </p>
        </Notice>
      )}
      {lost.length > 0 && (
        <Notice tone="bad">
          {lost.map(([, fault]) => (
            <p>{sentence(fault)}</p>
          ))}
        </Notice>
      )}
      <div class="rows">
        {GROUPS.map((group) => {
          const names = namesIn(group);
          const sent =
            settings && names.some((name) => wasSent(settings.fields, name)) ? settings : undefined;
          const isTells = group === "tells";
          const said = visible(SENTENCES[group](form, moment));
          const isOpen = open === "all" || sent !== undefined || (isTells && refused?.of === "target");
          return (
            <Fold
              id={group}
              name={TITLES[group]}
              sentence={isTells ? <Told {...shown} mail={said} /> : <bdi>{said}</bdi>}
              act={mayChange ? actOf(group, shown) : "Details"}
              isOpen={isOpen}
            >
              <div class="stack">
                {mayChange ? (
                  <SettingsForm form={form} group={group} sent={sent} timeZone={timeZone} />
                ) : (
                  <Stored form={form} names={names} />
                )}
                {isTells && <Targets shown={shown} typed={refused?.of === "target" ? refused : null} />}
              </div>
            </Fold>
          );
        })}
        <Fold
          id="feeds"
          name="Feeds"
          sentence={feedsInWords(feeds)}
          act={!mayChange ? "Details" : feeds.length === 0 ? "Add" : "Change"}
          isOpen={open !== null || refused?.of === "feed"}
        >
          <Feeds form={form} feeds={feeds} typed={refused?.of === "feed" ? refused : null} />
        </Fold>
      </div>
    </section>
  );
}

function actOf(group: Group, { form, targets, deliveries }: FormShown): string {
  if (group !== "tells") return "Change";
  if (targets.length === 0 && form.notify.length === 0) return "Add";
  return targets.some(({ id }) => hasFailed(deliveries.get(id))) ? "Fix" : "Change";
}

function SettingsForm({
  form,
  group,
  sent,
  timeZone,
}: {
  form: Form;
  group: Group;
  sent: Typed | undefined;
  timeZone: string;
}) {
  const settingOf = (name: SettingName) => {
    const { kind, field, default: unset } = SETTINGS[name];
    const [, label, hint] = field!;
    return { name, kind, label, hint, mayLack: unset === null, text: showKind(kind, form[name], timeZone) };
  };
  return (
    <PostForm
      to={`${formPath(shortName(form))}/settings`}
      class="stack"
      id={`settings-${group}`}
      label={TITLES[group]}
      isChanged={sent !== undefined}
    >
      <SettingFields settings={namesIn(group).map(settingOf)} sent={sent} timeZone={timeZone} />
      <p class="buttons">
        <Button label={`Save: ${TITLES[group]}`}>Save</Button>
      </p>
    </PostForm>
  );
}

/** The settings of a group that differ from those of a new form, for those who may not change them. */
function Stored({ form, names }: { form: Form; names: readonly SettingName[] }) {
  const { timeZone } = useView();
  const facts = names.flatMap((name): [string, Child][] => {
    const { kind, field, default: unset } = SETTINGS[name];
    if (Bun.deepEquals(form[name], unset)) return [];
    const text = showKind(kind, form[name], timeZone);
    return [
      [field![1], <Foreign text={kind.is === "choice" ? (kind.labels[text] ?? text) : text || "off"} />],
    ];
  });
  if (facts.length === 0) return <p class="soft">As a new form has it.</p>;
  return <Facts facts={facts} />;
}
