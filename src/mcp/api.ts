import type { Self } from "../access/me.ts";
import { hasScopeSomewhere } from "../access/rights.ts";
import { SCOPES_OF } from "../access/role.ts";
import type { Scope } from "../access/scope.ts";
import { isObject } from "../base/json.ts";
import type { Operation, Output, Query, Schemas } from "../operations/operation.ts";

/** The input of an operation. */
type Sent = {
  names?: Record<string, string>;
  query?: Query;
  body?: unknown;
  why?: string | undefined;
};

/** Calls an operation of the admin API as the caller of a session. Throws its `AppError`. */
export type Send = (operation: Operation, sent: Sent) => Promise<unknown>;

/** The same with the type of the answer. */
export type Api = <S extends Schemas, P extends string>(
  operation: Operation<S, P>,
  sent: Sent,
) => Promise<Output<S>>;

/** The name of a caller, its scopes in any place, and whether it has rights in all environments of any project. */
export type Identity = { name: string; scopes: readonly Scope[]; hasProject: boolean };

/** A caller of tools. */
export type Session = {
  send: Send;
  /** The origin at which the caller reaches the server, for addresses of pages; null if it is not known. */
  origin: string | null;
  identify: () => Promise<Identity>;
  /** Gets the name of each tool that is called, and of its caller. */
  log: (tool: string, name: string) => void;
  /** Gets errors that are bugs. */
  report: (error: unknown) => void;
};

/** The operations of a session. Each has types of its own, which a session does not know. */
export function apiOf({ send, origin }: Pick<Session, "send" | "origin">): Api {
  const api: Send = async (operation, sent) => withOrigin(await send(operation, sent), origin);
  return api as unknown as Api;
}

/** An answer with the whole address of the page of its proposal, which a server that does not know its own leaves a path. */
function withOrigin(value: unknown, origin: string | null): unknown {
  if (origin === null || !isObject(value) || !isObject(value["change"])) return value;
  const { url } = value["change"];
  if (typeof url !== "string" || URL.canParse(url)) return value;
  return { ...value, change: { ...value["change"], url: new URL(url, origin).href } };
}

export function identityOf(self: unknown): Identity {
  const { name, role, scopes, projects } = self as Self;
  const ofRoles = [role, ...(projects ?? []).map((place) => place.role)].flatMap((each) =>
    each == null ? [] : SCOPES_OF[each],
  );
  const hasProject = projects === null || projects.some(({ environments }) => environments === null);
  return { name, scopes: [...new Set([...(scopes ?? []), ...ofRoles])], hasProject };
}

/** Whether scopes have or include a needed one. */
export function holdsAny(scopes: readonly Scope[], needed: readonly Scope[]): boolean {
  const rights = { name: "", type: "token", grants: [{ scopes }] } as const;
  return needed.some((scope) => hasScopeSomewhere(rights, scope));
}
