import { type Known, type Watch, notInMemory } from "../../base/changes.ts";
import { clock } from "../../base/clock.ts";
import type { Line } from "../lines.ts";
import type { Journal } from "./journal.ts";
import { Draft, EMPTY, type State, wentBack } from "./state.ts";

/** Milliseconds of silence after which the source counts as away. */
export const SILENCE = 5000;
/** How far the clock may be from that of the source before that one counts, in milliseconds. */
const MAX_SKEW = 1000;
/** Milliseconds between two notes on the disk that the source was heard. */
const NOTE_INTERVAL = 30_000;

/** The flags of the server that this one follows, and how recent they are. */
export class Relay {
  readonly #journal: Journal;
  readonly #report: (error: unknown) => void;
  readonly #watchers = new Set<() => void>();
  #draft: Draft;
  #lines: string[] = [];
  #known: Known | undefined;
  #skew = 0;
  /** Whether the source is heard. */
  isUp = false;
  #notedAt = Number.NEGATIVE_INFINITY;
  /** When the source was last heard: on the steady clock, or before it began, on that of the wall. */
  #heard: { steady: number } | { wall: number } | null = null;
  #earlierSince: number | null = null;
  #counts = { succeeded: 0, failed: 0 };
  state: State = EMPTY;
  /** Whether the source lets this server read nothing. */
  isRefused = false;

  constructor(journal: Journal, report: (error: unknown) => void) {
    this.#journal = journal;
    this.#report = report;
    const last = journal.read();
    if (last) {
      this.#heard = { wall: last.heardAt };
      this.#show(last.state, false);
    }
    this.#draft = new Draft(this.state);
  }

  /** Whether there are flags to answer with. */
  get hasState(): boolean {
    return this.#known !== undefined;
  }

  /** Milliseconds since 1970 on the clock of the source, as far as it is known. */
  now = (): number => clock.now() + this.#skew;

  /** Milliseconds since the source was heard, if it is away; else 0. */
  behind = (): number => {
    if (this.isUp || this.#heard === null) return 0;
    const since =
      "steady" in this.#heard ? clock.steady() - this.#heard.steady : clock.now() - this.#heard.wall;
    return Math.max(1, since);
  };

  /** Whether a connection that was opened has brought no moment for too long. */
  isSilent(openedAt: number): boolean {
    const heardAt =
      this.#heard && "steady" in this.#heard ? Math.max(openedAt, this.#heard.steady) : openedAt;
    return clock.steady() - heardAt > SILENCE;
  }

  /** Begins a stream, of which nothing was taken yet. */
  begin(): void {
    this.#draft = new Draft(this.state);
    this.#lines = [];
  }

  /** Takes a line of the source, which shows with the moment that ends its change. Returns whether one ended. */
  async take(text: string): Promise<boolean> {
    const line = JSON.parse(text) as Exclude<Line, { ended: string }>;
    if (!("at" in line)) {
      this.#draft.take(line);
      this.#lines.push(`${text}\n`);
      return false;
    }
    const { at } = line;
    const draft = this.#draft;
    const { moment } = this.state;
    const isSame = draft.isEmpty && at.version === moment.version && at.memberships === moment.memberships;
    if (!isSame || at.access !== moment.access) {
      const state = draft.at(at);
      if (draft.isWhole) this.#refuseEarlier(state);
      this.#lines.push(`${text}\n`);
      // Before it shows: no restart takes back what a reader has seen.
      await this.#journal.add(this.#lines, state, draft.isWhole).catch(this.#report);
      this.#show(state, wentBack(this.state, state));
      this.begin();
    }
    this.isRefused = false;
    this.#hear(at);
    return true;
  }

  /**
   * Throws for a state older than the shown one, unless the source still has it some seconds later and hears of
   * changes: it may be behind a server that was followed before, or have gone back itself.
   */
  #refuseEarlier(state: State): void {
    const { version, behind } = state.moment;
    // The flags in the memory of a server that does not hear of changes may be from before its version.
    const isEarlier = version < this.state.moment.version || (behind > 0 && wentBack(this.state, state));
    this.#earlierSince = isEarlier ? (this.#earlierSince ?? clock.steady()) : null;
    if (this.#earlierSince !== null && (behind > 0 || clock.steady() - this.#earlierSince < SILENCE))
      throw new Error("it has an earlier state than it had");
  }

  #hear({ now, behind }: State["moment"]): void {
    const skew = now - clock.now();
    this.#skew = Math.abs(skew) > MAX_SKEW ? skew : 0;
    this.#heard = { steady: clock.steady() - behind };
    this.isUp = behind === 0;
    this.#counts.succeeded += 1;
    if (clock.steady() - this.#notedAt < NOTE_INTERVAL) return;
    this.#notedAt = clock.steady();
    this.#journal.heard(clock.now() - behind);
  }

  #show(state: State, isBroken: boolean): void {
    this.state = state;
    const { version, access } = state.moment;
    this.#known = { version, access, generation: (this.#known?.generation ?? 0) + (isBroken ? 1 : 0) };
    for (const changed of this.#watchers) changed();
  }

  /** Notes that the source is away. */
  lose(): void {
    if (this.isUp) this.#counts.failed += 1;
    this.isUp = false;
  }

  /** Forgets everything, since the source lets this server read no more. */
  async empty(): Promise<void> {
    this.isRefused = true;
    if (!this.hasState) return;
    this.#show({ ...EMPTY, moment: this.state.moment }, true);
    this.begin();
    await this.#journal.clear();
  }

  watch(): Watch {
    const current = async () => {
      if (this.#known === undefined) throw notInMemory();
      return this.#known;
    };
    return {
      // While the source is away, each read finds out how long.
      known: () => (this.isUp ? this.#known : undefined),
      current,
      last: () => this.#known,
      memberships: () => this.state.moment.memberships,
      staleFor: this.behind,
      fellBack: () => {},
      onChange: (changed) => {
        this.#watchers.add(changed);
        return () => void this.#watchers.delete(changed);
      },
      counts: () => this.#counts,
      close: () => {},
    };
  }
}
