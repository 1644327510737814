import { type ReadDocument, createClients } from "../../../access/oauth/clients.ts";
import { type GrantPlace, type GrantScope, scopesWithin } from "../../../access/oauth/grant.ts";
import { allowClient } from "../../../access/oauth/grants.ts";
import { errorOf } from "../../../access/oauth/refusal.ts";
import {
  type AuthorizationRequest,
  answerTo,
  needed,
  parametersIn,
  redirectIn,
  requestIn,
} from "../../../access/oauth/request.ts";
import type { Caller } from "../../../access/caller.ts";
import { INCLUDES } from "../../../access/scope.ts";
import { AppError } from "../../../base/errors.ts";
import type { Project } from "../../../projects/project.ts";
import { MAX_CLIENT_DOCUMENTS, MAX_CLIENT_FETCHES, MAX_SIGN_IN_BODY } from "../../limits.ts";
import { resourceOf, sitesOf } from "../../mcp/oauth/site.ts";
import { AUTHORIZE_PATH } from "../../paths.ts";
import { createPlaces, createRateLimiter } from "../../rate-limit.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf, textOrNull, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Dashboard } from "../routes.ts";
import { type Choice, consentPage, mistakePage } from "./consent.tsx";
import { answerIn } from "./parts.tsx";

/** Projects that the page offers. */
const MOST_PROJECTS = 200;

/** A request that can be answered, with the issuer of the answer. */
type Asked = AuthorizationRequest & { iss: string };

/** The page where a person lets an assistant act for them (RFC 6749, 4.1.1). */
export function authorizeRoutes({ app, options, get, post }: Dashboard) {
  const { assistants } = options;
  if (assistants === null) return;
  const findClient = createClients(app, assistants.registers);
  const countDocument = createRateLimiter(app.now, "documents of assistants");
  const enter = createPlaces(null, "documents of assistants", MAX_CLIENT_FETCHES);
  const readFor =
    (user: string): ReadDocument =>
    async (url, limits) => {
      countDocument(user, MAX_CLIENT_DOCUMENTS);
      const leave = enter("");
      if (leave === null)
        throw new AppError("rate_limited", "too many assistants sign in at a time", { retryAfter: 5 });
      try {
        return await assistants.read(url, limits);
      } finally {
        leave();
      }
    };

  /**
   * The request in the address of the page; a page with an answer for the client where that has made a mistake. A client or a
   * redirect that is not known is an error.
   */
  const read = async (c: DashboardContext): Promise<Asked | Page> => {
    const query = new URL(c.req.url, "http://no-host.invalid").searchParams;
    const parameters = parametersIn(query);
    const client = await findClient(needed(parameters, "client_id"), readFor(c.get("caller").name));
    const redirect = redirectIn(parameters, client);
    const sites = sitesOf(c.req.raw, assistants);
    const iss = sites.find((site) => resourceOf(site) === parameters.get("resource")) ?? sites[0];
    if (iss === undefined) throw new AppError("forbidden", "this is not an address of this server");
    try {
      return { ...requestIn(parameters, client, redirect, resourceOf(iss)), iss };
    } catch (error) {
      const code = errorOf(error);
      if (code === undefined) throw error;
      const { message } = error as AppError;
      const state = parameters.get("state") ?? null;
      const answer = answerTo(redirect, { error: code, error_description: message, state, iss });
      return mistakePage({ client, redirect, message, answer });
    }
  };
  const pageFor = async (c: DashboardContext, asked: Asked, choice: Choice | null = null, fault?: string) => {
    const caller = c.get("caller");
    const offered = offeredTo(caller, asked);
    const projects = await projectsOf(caller);
    const query = new URL(c.req.url, "http://no-host.invalid").search;
    const first: Choice = {
      scopes: usualOf(offered),
      project: projects.length === 1 ? projects[0]!.slug : "",
    };
    const shown = choice ?? first;
    return consentPage({ asked, offered, projects, choice: shown, to: `${AUTHORIZE_PATH}${query}`, fault });
  };
  const projectsOf = async ({ grants }: Caller): Promise<Project[]> => {
    const isEverywhere = grants.some(({ project }) => project === undefined);
    const among = isEverywhere ? null : [...new Set(grants.map(({ project }) => project!))];
    return (await app.store.projects.page({ limit: MOST_PROJECTS }, among)).items;
  };

  get(AUTHORIZE_PATH, null, async (c) => {
    const asked = await read(c);
    return "content" in asked ? asked : pageFor(c, asked);
  });
  post(
    AUTHORIZE_PATH,
    null,
    async (c, fields) => {
      const asked = await read(c);
      if ("content" in asked) return asked;
      const { name: user } = c.get("caller");
      if (textOf(fields, "user") !== user) {
        const fault = `You are signed in as ${user} now: choose again`;
        return { ...(await pageFor(c, asked, null, fault)), status: 409 };
      }
      const { client, redirect, state, iss, challenge, resource } = asked;
      if (answerIn(fields) === "deny")
        return c.redirect(answerTo(redirect, { error: "access_denied", state, iss }), 303);
      const place = placeIn(fields);
      try {
        const words = scopesIn(fields);
        const scopes = offeredTo(c.get("caller"), asked).filter((scope) => words.includes(scope));
        if (scopes.length === 0 || scopes.length < words.length) throw notOffered(words.length);
        const { id, name } = client;
        const grant = { client: id, clientName: name, redirect, resource, challenge, scopes, ...place };
        const code = await allowClient(app, c.get("caller"), grant);
        return c.redirect(answerTo(redirect, { code, state, iss }), 303);
      } catch (error) {
        const isChoice = error instanceof AppError && /^(invalid|forbidden|not_found)$/.test(error.code);
        if (!isChoice) throw error;
        const choice = { ...place, project: place.project ?? "", scopes: scopesIn(fields) };
        return { ...(await pageFor(c, asked, choice, error.message)), status: 400 };
      }
    },
    MAX_SIGN_IN_BODY,
  );
}

/** The scopes that a client asks for and a person may give. */
function offeredTo(caller: Caller, { scopes }: AuthorizationRequest): GrantScope[] {
  const isAsked = (scope: GrantScope) =>
    scopes.some((each) => each === scope || INCLUDES[each].includes(scope));
  return scopesWithin(caller.grants).filter(isAsked);
}

/** To read, if that is offered. */
function usualOf(offered: readonly GrantScope[]): GrantScope[] {
  const reading: readonly GrantScope[] = offered.includes("read") ? ["read"] : ["flags:read", "forms:read"];
  return offered.filter((scope) => reading.includes(scope));
}

/** The scopes that were chosen, each once, in one field or in several. */
function scopesIn(fields: Fields): string[] {
  return [...new Set(textsOf(fields, "scope").flatMap((text) => text.split(" ").filter(Boolean)))];
}

function placeIn(fields: Fields): Pick<GrantPlace, "project" | "environment"> {
  const [project, environment] = [textOrNull(fields, "project"), textOrNull(fields, "environment")];
  return { project, environment };
}

function notOffered(chosen: number): AppError {
  return chosen === 0
    ? new AppError("invalid", "choose at least one right")
    : new AppError("invalid", "one of these rights cannot be given here");
}
