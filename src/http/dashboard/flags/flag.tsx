import { requireScope } from "../../../access/rights.ts";
import { AppError } from "../../../base/errors.ts";
import { flagEntry } from "../../../documents/document.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import { type FlagPlace, type FlagRecord, noSuchFlag } from "../../../flags/flag.ts";
import { getsInShort } from "../../../flags/release/release-words.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import { FLAGS_PATH } from "../../paths.ts";
import type { DashboardContext, DashboardOptions } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { type Command, formflag, type Options, quoted } from "../parts/commands.tsx";
import { Menu } from "../parts/fold.tsx";
import { A, ButtonForm, ButtonLink } from "../parts/link.tsx";
import { EnvTabs } from "../parts/seg.tsx";
import { Badge } from "../parts/status.tsx";
import type { Typed } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { COMPARE, FLAG, flagPath, pathTo, projectPath, RELEASES, SETTING, settingPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay, useMayChange, useView } from "../view.ts";
import { Deletion, deletionRoutes, detailsRoutes, firstOf, FlagDetails } from "./details.tsx";
import { ConflictView, Problem } from "./flag-facts.tsx";
import { HistoryCard, NowCard, ReadsCard } from "./now.tsx";
import { releaseRoutes } from "./releasing.tsx";
import { rampRoutes, Releases } from "./running.tsx";
import { type Again, readScreen, type Screen } from "./screen.tsx";
import { peopleOfFlagsRoutes, TryCard } from "./try.tsx";
import { turn } from "./turn.tsx";
import { ValuesForm } from "./values-form.tsx";
import { changeValues } from "./values.ts";

/** The buttons of the form of values; those of a row of a rule have its number behind them. */
const VALUE_ACTS =
  /^(?:save|check|discard|schedule|try|rows|json|(?:row|and|up|down|remove|variant|drop)(?:-\d{1,4})?)$/;

export function flagPageRoutes(dashboard: Dashboard) {
  const { app, options, root, get, post, viewOf } = dashboard;
  const pageOf = (c: DashboardContext, screen: Screen) =>
    flagPage(screen, settingCommands(screen, serverOf(c, options)));
  const again: Again = async (c, place, change, patch) => {
    const screen = await readScreen(app, c.get("caller"), place, viewOf(c).timeZone, patch);
    return pageOf(c, { ...screen, status: 422, ...change(screen) });
  };
  const showTyped = (name: "details" | "person") => (c: DashboardContext, place: FlagPlace, typed: Typed) =>
    again(c, place, () => ({ typed: { [name]: typed } }));

  detailsRoutes(dashboard, showTyped("details"));
  peopleOfFlagsRoutes(dashboard, showTyped("person"));
  rampRoutes(dashboard, again);
  releaseRoutes(dashboard, again);
  get(FLAG, "flags:read", async (c, { project, flag }) => {
    const environment = c.req.query("environment") || (await firstOf(dashboard, project));
    const place = { project, flag, environment };
    const screen = await readScreen(app, c.get("caller"), place, viewOf(c).timeZone);
    if (screen.isMissing) throw noSuchFlag(flag);
    return pageOf(c, { ...screen, open: c.req.query("open") ?? "" });
  });
  get(SETTING, "flags:read", async (c, place) => c.redirect(`${root}${settingPath(place)}`, 303));
  post(SETTING, "flags:read", async (c, fields, place) => {
    const name = textOf(fields, "act") || "save";
    // Trying changes nothing, so those who may read may try.
    if (name !== "try" && name !== "check") requireScope(c.get("caller"), "flags:write", place);
    const sent = { c, fields, names: place };
    if (name === "state") return turn(dashboard, again, sent);
    if (VALUE_ACTS.test(name)) return changeValues(dashboard, again, sent, name);
    throw new AppError("invalid", "this form is not known here: load the page again");
  });
  post(`${SETTING}/turn`, "flags:write", (c, fields, names) =>
    turn(dashboard, again, { c, fields, names }, true),
  );
  deletionRoutes(dashboard, again);
}

/** A flag with its environments as tabs: what holds, how it is released, what it is, and what happened. */
function flagPage(screen: Screen, commands: Page["commands"] & {}): Page {
  const { place, environment, record, project: all, status } = screen;
  const { project, flag } = place;
  // Forms whose fields the page shows somewhere else, or not at all.
  const { state, details, delete: deletion } = screen.typed;
  const refused = [state, details, deletion].map((typed) => typed?.faults[""]);
  return {
    title: `Flag ${flag} in ${environment.slug}, ${project}`,
    heading: flag,
    section: "flags",
    crumbs: [
      { to: projectPath(project), label: all.name || project },
      { to: projectPath(project), label: "Flags" },
    ],
    badges: (
      <>
        {record.archived && <Badge tone="warn">archived</Badge>}
        {record.permanent && <Badge>permanent</Badge>}
        {record.isPreview && <Badge tone="info">preview</Badge>}
        {tagsOf(record.tags).map((tag) => (
          <Badge>
            <Foreign text={tag} />
          </Badge>
        ))}
      </>
    ),
    actions: <Actions screen={screen} />,
    ...((record.description !== "" || record.owner !== "") && {
      lead: (
        <>
          <Foreign text={record.description} />
          {record.description !== "" && record.owner !== "" && " · "}
          {record.owner !== "" && (
            <>
              owned by <Foreign text={record.owner} />
            </>
          )}
        </>
      ),
    }),
    topics: ["setup"],
    status,
    commands,
    content: (
      <>
        <Tabs screen={screen} />
        <Problem fault={refused.find(Boolean)} />
        <ConflictView screen={screen} />
        <div class="split aside">
          <div class="stack">
            <NowCard screen={screen} />
            <Releases screen={screen} />
            <ValuesForm screen={screen} />
          </div>
          <aside class="stack">
            <TryCard screen={screen} />
            <ReadsCard screen={screen} />
            <HistoryCard screen={screen} />
          </aside>
        </div>
        <FlagDetails screen={screen} />
        <Deletion screen={screen} />
      </>
    ),
  };
}

function Tabs({ screen: { place, project, statuses } }: { screen: Screen }) {
  const { now } = useView();
  return (
    <EnvTabs
      tabs={project.environments.map((environment) => {
        const status = statuses.find((each) => each.environment === environment.slug);
        return {
          to: settingPath({ ...place, environment: environment.slug }),
          isCurrent: environment.slug === place.environment,
          environment,
          sentence: <Foreign text={status ? getsInShort(status, now) : "Off for everyone"} />,
        };
      })}
    />
  );
}

/** Seldom actions on a flag. */
function Actions({ screen: { place, project, environment, record } }: { screen: Screen }) {
  const { project: slug, flag } = place;
  const mayWrite = useMay("flags:write", { project: slug });
  const mayArchive = useMayChange(project.environments);
  const path = flagPath(slug, flag);
  const query = { environment: environment.slug };
  const at = project.environments.findIndex((each) => each.slug === environment.slug);
  const next = project.environments[at + 1] ?? project.environments[at - 1];
  const mayCopy = useMayChange(next ? [next] : []);
  return (
    <>
      <ButtonLink to={`${path}/code`} icon="code">
        Code
      </ButtonLink>
      <Menu>
        {mayWrite && (
          <li>
            <A to={path} query={{ ...query, open: "details" }}>
              Name, owner, tags
            </A>
          </li>
        )}
        <li>
          <A to={`${path}/feedback`}>Feedback</A>
        </li>
        <li>
          <A to={pathTo(RELEASES, { project: slug })} query={{ show: "experiments", flag }}>
            Experiments
          </A>
        </li>
        <li>
          <A to={`${projectPath(slug)}/history`} query={{ kind: "flag", name: flag }}>
            History
          </A>
        </li>
        {next && mayCopy && (
          <li>
            <A
              to={pathTo(COMPARE, { project: slug })}
              query={{ from: environment.slug, to: next.slug, flag }}
            >
              Copy {environment.slug} to {next.slug}…
            </A>
          </li>
        )}
        {mayArchive && (
          <>
            <li>
              <ButtonForm
                to={`${path}/details`}
                values={query}
                kind="plain"
                name="act"
                value={record.archived ? "restore" : "archive"}
              >
                {record.archived ? "Restore flag" : "Archive flag"}
              </ButtonForm>
            </li>
            <li>
              <A class="danger" to={path} query={{ ...query, open: "delete" }}>
                Delete…
              </A>
            </li>
          </>
        )}
      </Menu>
    </>
  );
}

/** Characters of a flag's values that a command quotes. */
const MAX_TEXT = 2000;

/** The address of the server for programs, as far as it is known. */
function serverOf(c: DashboardContext, { publicUrl, basePath }: DashboardOptions): string {
  return publicUrl ?? `${new URL(c.req.url).origin}${basePath}`;
}

/** The commands that show and change a flag in one environment. */
function settingCommands({ place, project, environment, record }: Screen, server: string): Command[] {
  const { flag } = place;
  const at = { p: project.slug, e: environment.slug };
  const verb = `flags ${record.enabled ? "disable" : "enable"}`;
  return [
    ["Show it", "flags get", flag, at],
    {
      label: `Turn it ${record.enabled ? "off" : "on"}, with the reason, or for a while`,
      text: `${formflag(verb, flag, at)} --why 'launch'\n${formflag(verb, flag, at, { for: "2h" })}`,
    },
    changeCommand(record, flag, at),
    ["Raise its share by steps", "flags ramp", flag, at, { variant: "on", to: "1,10,50,100", every: "1d" }],
    ["Evaluate it for a context", "flags evaluate", flag, at, { context: '{"targetingKey":"ann"}' }],
    {
      label: "Read it as an application does",
      text: `curl ${quoted(`${server}${FLAGS_PATH}/${flag}`)} -H ${quoted(`x-project-key: ${project.key}`)} -H ${quoted(`x-environment-key: ${environment.key}`)}`,
    },
    documentCommand(place, record),
  ];
}

/** The command that changes what a flag serves: the payload of a plain one, the rule of another. */
function changeCommand({ rules }: FlagRecord, flag: string, at: Options): Command {
  const verb = "flags set";
  if (rules === null) return ["Change its payload", verb, flag, at, { payload: '{"text":"Hello"}' }];
  const [variant = "on"] = Object.keys(parseRules(rules).variants);
  return ["Change its rule", verb, flag, at, { if: "email ends_with @example.com" }, "--then", variant];
}

/** The command that applies a flag as code in an environment. */
function documentCommand({ project, environment, flag }: FlagPlace, record: FlagRecord): Command {
  const label = "Apply it as code";
  const entry = JSON.stringify(flagEntry(record));
  if (entry.length > MAX_TEXT)
    return {
      label,
      text: `${formflag("export", { p: project })} > flags.yaml\nformflag apply -f flags.yaml`,
    };
  const names = ["projects", key(project), "flags", key(flag), "environments"];
  const lines = [
    ...names.map((name, depth) => `${"  ".repeat(depth)}${name}:`),
    `          ${key(environment)}: ${entry}`,
  ];
  return { label, text: `formflag apply -f - <<'YAML'\n${lines.join("\n")}\nYAML` };
}

/** A name as a key in YAML, in quotes if it could be read as something else. */
function key(name: string): string {
  const isPlain = /^[a-z][\w-]*$/i.test(name) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(name);
  return isPlain ? name : JSON.stringify(name);
}
