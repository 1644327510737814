import type { Scope } from "../../access/scope.ts";
import type { SignedIn } from "../../access/sign-in.ts";
import type { Browser } from "../../access/session.ts";
import type { App } from "../../app.ts";
import type { AppError } from "../../base/errors.ts";
import type { Given } from "../../operations/call.ts";
import type { Operation, Output, Schemas } from "../../operations/operation.ts";
import { limitKey } from "../address.ts";
import type { Cookies, Flash } from "./cookies.ts";
import type { DashboardContext, DashboardOptions } from "./dashboard-env.ts";
import type { Fields } from "./fields.ts";
import type { Page } from "./page.tsx";
import type { Confirmation } from "./parts/confirm.tsx";
import type { Faults } from "./parts/submit.ts";
import type { ParametersOf } from "./paths.ts";
import type { View, addressOf } from "./view.ts";

/** Result of an action: the next page, and the message on it. */
export type Done = {
  to: string;
  query?: Parameters<typeof addressOf>[2];
} & Partial<Flash>;

/**
 * Calls an operation for the user of a page, with the checks that the admin API makes of its input and the rights of the caller.
 * Throws as it does.
 */
type Perform = <S extends Schemas, P extends string>(
  c: DashboardContext,
  operation: Operation<S, P>,
  given?: Given,
) => Promise<Output<S>>;

/** A form that was sent: its fields, and the names in its path. */
export type Sent<N> = { c: DashboardContext; fields: Fields; names: N };

/** A form that stands for an operation. */
export type Act<S extends Schemas, P extends string, N> = {
  operation: Operation<S, P>;
  /** The input of the operation. Throws the fault of a field. */
  input: (sent: Sent<N>) => Given | Promise<Given>;
  /** The page after it. */
  done: (output: Output<S>, sent: Sent<N>) => Done | Page | Promise<Done | Page>;
  /** Describes the change, for the page that confirms it in a locked environment, or proposes it. */
  confirm?: (sent: Sent<N>) => Promise<Confirmation>;
  /** The page again, with what was wrong; without it, errors have a page of their own. */
  again?: (sent: Sent<N>, faults: Faults, error: AppError) => Page | Promise<Page>;
  /** The fields at which the errors of a path of the input, a reason or a code are shown. */
  at?: Readonly<Record<string, string>>;
};

export type Acts = {
  /** Handles a form by an operation. */
  act: <S extends Schemas, P extends string, N>(
    act: Act<S, P, N>,
  ) => (c: DashboardContext, fields: Fields, names: N) => Promise<Done | Page>;
  perform: Perform;
};

/** Shared by the routes of pages. */
export type Dashboard = Acts & {
  app: App;
  options: DashboardOptions;
  /** The path of the dashboard. */
  root: string;
  cookies: Cookies;
  /** Shows a page at a path, to callers that hold the scope; null for every signed-in user. */
  get: <P extends string>(
    path: P,
    scope: Scope | null,
    show: (c: DashboardContext, parameters: ParametersOf<P>) => Promise<Page | Response>,
  ) => void;
  /**
   * Takes the forms that are sent to a path. It changes things through an operation of the product, and goes on to another
   * page, or shows one, for example with what was wrong. A form of more than `maxBody` bytes is refused.
   */
  post: <P extends string>(
    path: P,
    scope: Scope | null,
    act: (
      c: DashboardContext,
      fields: Fields,
      parameters: ParametersOf<P>,
    ) => Promise<Done | Page | Response>,
    maxBody?: number,
  ) => void;
  /** Returns the user, time and time zone of a page view. */
  viewOf: (c: DashboardContext) => View;
  /** Answers with a page. */
  render: (c: DashboardContext, page: Page) => Promise<Response>;
  /** Starts a session in the browser that sent the request, and ends its previous one. */
  enter: (c: DashboardContext, session: SignedIn & { secret: string }) => Promise<void>;
};

/** Describes the browser that signs in. */
export function browserOf(c: DashboardContext): Browser {
  const { client } = c.env;
  return {
    agent: c.req.header("user-agent") ?? "",
    address: client.address,
    network: limitKey(client),
  };
}
