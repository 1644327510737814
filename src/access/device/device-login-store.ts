import type { NewSession } from "../session.ts";
import type { DeviceLogin } from "./device-login.ts";

/** A login to store under the SHA-256 of its device code and that of its user code. */
export type NewDeviceLogin = { login: DeviceLogin; hash: string; code: string };

/** The outcome of a poll: `polledAt` is the time of the one before, null for the first. */
export type Polled =
  | { state: "waiting"; polledAt: number | null }
  | { state: "denied" }
  | { state: "unknown" }
  | { state: "approved"; user: string; session: NewSession["session"] };

/** The user who approves a login, and the id of the session, whose `sid` at a provider the login gets; null without one. */
export type Approver = { user: string; session: string | null };

export type DeviceLoginStore = {
  /** Stores a login that waits, and returns true; false where `most` wait already, or one has the code. */
  insert(login: NewDeviceLogin, most: number): Promise<boolean>;
  /** The login that waits at `now` under the hash of its user code. */
  find(code: string, now: number): Promise<DeviceLogin | undefined>;
  /** Approves the login that waits under the hash of its user code, or with null denies it. Returns whether it waited. */
  answer(code: string, by: Approver | null, now: number): Promise<boolean>;
  /**
   * Records a poll by the hash of the device code. An approved login is removed, and the session stored for the user who
   * approved it, all or nothing; it begins as `start` has it, with the client, address and time of the login.
   */
  poll(hash: string, now: number, start: NewSession): Promise<Polled>;
};
