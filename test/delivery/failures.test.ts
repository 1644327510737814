import { expect, test } from "bun:test";
import { type Attempt, delivered, unanswered } from "../../src/delivery/attempt.ts";
import type { DeliveryKind } from "../../src/delivery/delivery.ts";
import { createFailureLog } from "../../src/delivery/failures.ts";

const MINUTE = 60_000;

function begin() {
  const clock = { now: Date.parse("2027-01-31T12:00:00Z") };
  const lines: string[] = [];
  const note = createFailureLog(
    () => clock.now,
    (level, text) => void lines.push(`${level}: ${text}`),
  );
  const tried = (attempt: Attempt, kind: DeliveryKind = "webhook", target = "k3v9", isLast = false) =>
    note(
      "form contact",
      { id: "1", submission: "2", kind, target, attempts: 0, code: null, error: null, trace: null },
      attempt,
      isLast,
    );
  return { clock, tried, logged: () => lines.splice(0) };
}

const DOWN = unanswered("127.0.0.1 is not public", true);
const REFUSED: Attempt = { ...DOWN, outcome: "refused", error: "no such user", isTargetDown: false };

test("a target that fails is logged at the first failure, hourly, and once it works again", () => {
  const { clock, tried, logged } = begin();
  tried(DOWN);
  expect(logged()).toEqual([
    "warn: target k3v9 of form contact (webhook) fails: 127.0.0.1 is not public (1 so far); it is tried again",
  ]);
  for (let minutes = 1; minutes < 60; minutes += 1) {
    clock.now += MINUTE;
    tried(DOWN);
  }
  expect(logged()).toEqual([]);
  clock.now += MINUTE;
  tried(DOWN);
  expect(logged()).toEqual([
    "warn: target k3v9 of form contact (webhook) fails: 127.0.0.1 is not public (61 so far, since 2027-01-31T12:00:00.000Z); it is tried again",
  ]);
  tried(delivered(200));
  tried(delivered(200));
  expect(logged()).toEqual([
    "info: target k3v9 of form contact (webhook) works again, after 61 failed attempts since 2027-01-31T12:00:00.000Z",
  ]);
});

test("a mail server that is down is one failure, whatever waits for it", () => {
  const { tried, logged } = begin();
  tried(DOWN, "notification", "a@example.com");
  tried(DOWN, "notification", "b@example.com");
  tried(DOWN, "autoreply", "c@example.com");
  tried(delivered(250), "autoreply", "c@example.com");
  expect(logged()).toEqual([
    "warn: the mail server fails: 127.0.0.1 is not public (1 so far); it is tried again",
    "info: the mail server works again, after 3 failed attempts since 2027-01-31T12:00:00.000Z",
  ]);
});

test("a last failure has its own line elsewhere, replies that strangers asked for have none, and no address is logged", () => {
  const { tried, logged } = begin();
  tried(REFUSED, "notification", "a@example.com", true);
  tried(REFUSED, "autoreply", "b@example.com");
  expect(logged()).toEqual([]);
  tried(delivered(250), "notification", "a@example.com");
  expect(logged()).toEqual([
    "info: a notification of form contact works again, after 1 failed attempt since 2027-01-31T12:00:00.000Z",
  ]);
});
