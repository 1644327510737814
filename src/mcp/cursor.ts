import { AppError } from "../base/errors.ts";

/** The cursor of a position in the list of a tool: a text that only answers of this tool have. */
export function cursorOf(tool: string, position: unknown): string {
  return Buffer.from(`${tool} ${String(position)}`).toString("base64url");
}

/** The position that a cursor of a tool stands for. Throws `invalid` for any text that no answer of this tool has. */
export function positionOf(tool: string, cursor: string): string {
  const [name, ...rest] = Buffer.from(cursor, "base64url").toString().split(" ");
  const position = rest.join(" ");
  if (name !== tool || position === "" || cursorOf(tool, position) !== cursor)
    throw new AppError("invalid", "cursor is the next of an answer, as it came");
  return position;
}
