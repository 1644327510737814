import type { Command } from "commander";
import type { DeliveryAttempt, DeliveryDetails } from "../../../src/delivery/delivery.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addGetCommand(deliveries: Command, io: Io): void {
  deliveries
    .command("get")
    .argument("[delivery]", "id of the delivery")
    .description("show a delivery with its attempts, and why each failed")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "delivery");
}

async function run({ client, print }: Session, id: string): Promise<void> {
  // An older server sends no history.
  const delivery = await client.call<Omit<DeliveryDetails, "history"> & Partial<DeliveryDetails>>(
    "GET",
    path`/deliveries/${id}`,
  );
  const { code, error, nextAt, history = [] } = delivery;
  await print(
    delivery,
    details([
      ["delivery", delivery.id],
      ["submission", delivery.submission],
      ["form", delivery.form],
      ["kind", delivery.kind],
      ["target", delivery.target],
      ["status", delivery.status],
      ["attempts", String(delivery.attempts)],
      ["next attempt", nextAt ?? "none"],
      ["last answer", code === null ? "none" : String(code)],
      ["last error", error ?? "none"],
    ]) + attemptTable(history),
  );
}

function attemptTable(history: readonly DeliveryAttempt[]): string {
  if (history.length === 0) return "";
  const rows = history.map(({ at, duration, code, error }) => [
    at,
    `${duration} ms`,
    code === null ? "" : String(code),
    error ?? "",
  ]);
  return `\n${table(["ATTEMPT", "TOOK", "ANSWER", "ERROR"], rows)}`;
}
