import type { Command } from "commander";
import type { Delivery } from "../../../src/delivery/delivery.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addGetCommand(deliveries: Command, io: Io): void {
  deliveries
    .command("get")
    .argument("[delivery]", "id of the delivery")
    .description("show a delivery and why its last attempt failed")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "delivery");
}

async function run({ client, print }: Session, id: string): Promise<void> {
  const delivery = await client.call<Delivery>("GET", path`/deliveries/${id}`);
  const { code, error, nextAt } = delivery;
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
    ]),
  );
}
