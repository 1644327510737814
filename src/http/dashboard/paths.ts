import type { FlagPlace } from "../../flags/flag.ts";

/** The names in a path, such as `project` in `/projects/:project`. */
type NamesIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/** Values of the parameters in a path. */
export type ParametersOf<P extends string> = Readonly<Record<NamesIn<P>, string>>;

/** The path of a page behind the dashboard's: `/projects/:project` of shop is `/projects/shop`. */
export function pathTo<P extends string>(path: P, parameters: ParametersOf<P>): string {
  let parts = PARTS.get(path);
  if (!parts) PARTS.set(path, (parts = path.split(/:(\w+)/)));
  let text = parts[0]!;
  for (let at = 1; at < parts.length; at += 2)
    text += encodeURIComponent(parameters[parts[at] as NamesIn<P>]) + parts[at + 1]!;
  return text;
}

/** The parts of each path of the application: text and names in turns. A page has hundreds of links. */
const PARTS = new Map<string, string[]>();

/** The flags of the only project, or the list of projects. */
export const FLAGS = "/flags";
/** The documentation of this version. */
export const DOCS = "/docs";
export const DOCS_PAGE = "/docs/:page";
/** The page of all keys. */
export const KEYS = "/keys";
export const PROJECT = "/projects/:project";
export const ENVIRONMENT = `${PROJECT}/environments/:environment` as const;
export const SEGMENTS = `${PROJECT}/segments` as const;
export const NEW_SEGMENT = `${SEGMENTS}/new` as const;
export const SEGMENT = `${ENVIRONMENT}/segments/:segment` as const;
export const FLAG = `${PROJECT}/flags/:flag` as const;
export const FORM = "/forms/:form";
export const SETTING = `${ENVIRONMENT}/flags/:flag` as const;
export const RELEASES = `${PROJECT}/releases` as const;
export const CANCEL = `${ENVIRONMENT}/scheduled/:id/cancel` as const;
export const EXPERIMENTS = `${PROJECT}/experiments` as const;
export const NEW_EXPERIMENT = `${EXPERIMENTS}/new` as const;
export const EXPERIMENT = `${ENVIRONMENT}/experiments/:experiment` as const;
/** The flags of a project that are done. */
export const DONE = `${PROJECT}/done` as const;
export const COMPARE = `${PROJECT}/compare` as const;
export const REVISION = `${PROJECT}/history/:revision` as const;

export function environmentPath(project: string, environment: string): string {
  return pathTo(ENVIRONMENT, { project, environment });
}

/** The path at which a scheduled change of an environment is cancelled. */
export function cancelPath({ project, environment }: Omit<FlagPlace, "flag">, id: string): string {
  return pathTo(CANCEL, { project, environment, id });
}

export function segmentPath(project: string, environment: string, segment: string): string {
  return pathTo(SEGMENT, { project, environment, segment });
}

export function experimentPath(place: ParametersOf<typeof EXPERIMENT>): string {
  return pathTo(EXPERIMENT, place);
}

/** The path at which the forms of a flag's ramp are sent. */
export function rampPath(place: FlagPlace): string {
  return `${settingAction(place)}/ramp`;
}

/** The path of the page of a form, by its short name. */
export function formPath(name: string): string {
  return `/forms/${inPath(name)}`;
}

/** The path of the inbox of a form, by its short name. */
export function inboxPath(name: string): string {
  return `/inbox/${inPath(name)}`;
}

/** A segment of a path may have colons. */
function inPath(name: string): string {
  return encodeURIComponent(name).replaceAll("%3A", ":");
}

/** The path of a project: `/projects/shop`. */
export function projectPath(project: string): string {
  return pathTo(PROJECT, { project });
}

/** The path of a flag's page: `/projects/shop/flags/checkout`. */
export function flagPath(project: string, flag: string): string {
  return pathTo(FLAG, { project, flag });
}

/** The address of a flag's page in one environment: `/projects/shop/flags/checkout?environment=production`. */
export function settingPath({ project, environment, flag }: FlagPlace): string {
  return `${flagPath(project, flag)}?environment=${encodeURIComponent(environment)}`;
}

/** Where its forms are sent: `/projects/shop/environments/production/flags/checkout`, which leads to the page. */
export function settingAction(place: FlagPlace): string {
  return pathTo(SETTING, place);
}
