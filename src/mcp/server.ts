import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import { AppError } from "../base/errors.ts";
import { failureOf, resultOf } from "./answers.ts";
import { type Identity, type Session, apiOf, holdsAny } from "./api.ts";
import { checkArguments, inputSchema } from "./arguments.ts";
import { Refused } from "./change-tools.ts";
import { MAX_RESOURCE } from "./limits.ts";
import { INSTRUCTIONS, PROMPTS, quoted } from "./prompts.ts";
import { listResources, readResource, templatesFor } from "./resources.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./tools.ts";

/** Whether a caller with these scopes has any tool. */
export function hasTools({ scopes }: Identity): boolean {
  return TOOLS.some((tool) => holdsAny(scopes, tool.scopes));
}

/** The server of one connection, or of one request over HTTP. */
export function createServer(session: Session, version: string): Server {
  const server = new Server(
    { name: "formflag", title: "formflag", version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", async ({ params }) => {
    requireNoCursor(params);
    const { scopes, hasProject } = await identified(session);
    const open = TOOLS.filter((tool) => holdsAny(scopes, tool.scopes) && (hasProject || !tool.isOfProject));
    return { tools: open.map(described) };
  });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `unknown tool ${quoted(params.name.slice(0, 100))}`,
      );
    return { ...(await callTool(session, tool, params.arguments)) };
  });
  addResources(server, session);
  addPrompts(server, session);
  return server;
}

/** A tool as a list names it. */
function described(tool: Tool) {
  const { name, title, description, isChange, isUntrusted } = tool;
  const annotations = {
    title,
    readOnlyHint: !isChange,
    destructiveHint: isChange,
    idempotentHint: !isChange,
    openWorldHint: isUntrusted,
  };
  return { name, title, description, inputSchema: inputSchema(tool), annotations };
}

async function callTool(session: Session, tool: Tool, given: unknown) {
  try {
    const { name, scopes } = await session.identify();
    session.log(tool.name, name);
    if (!holdsAny(scopes, tool.scopes))
      throw new AppError("forbidden", `${tool.name} needs the scope ${tool.scopes.join(" or ")}`, {
        hint: `this connection has ${scopes.join(", ") || "none"}`,
      });
    const args = checkArguments(tool, given);
    return resultOf(await tool.run(apiOf(session), args), tool.isUntrusted);
  } catch (error) {
    if (error instanceof Refused) return failureOf(error.error, error.more);
    if (error instanceof AppError) return failureOf(error);
    throw bug(session, error);
  }
}

function addResources(server: Server, session: Session): void {
  server.setRequestHandler("resources/list", async ({ params }) => {
    requireNoCursor(params);
    const { scopes } = await identified(session);
    return { resources: await inProtocol(session, () => listResources(apiOf(session), scopes)) };
  });
  server.setRequestHandler("resources/templates/list", async ({ params }) => {
    requireNoCursor(params);
    const { scopes } = await identified(session);
    return { resourceTemplates: templatesFor(scopes) };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const found = await inProtocol(session, () => readResource(apiOf(session), uri));
    if (found === undefined) throw new ResourceNotFoundError(uri.slice(0, 1000));
    const text = JSON.stringify(found);
    if (Buffer.byteLength(text) > MAX_RESOURCE)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "this resource has more than 1 MB");
    return { contents: [{ uri, mimeType: "application/json", text }] };
  });
}

/** The lists of the protocol have one page, so that no answer has a cursor. */
function requireNoCursor(params: { cursor?: string | undefined } | undefined): void {
  if (params?.cursor === undefined) return;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "unknown cursor: this list has one page");
}

function addPrompts(server: Server, session: Session): void {
  server.setRequestHandler("prompts/list", async ({ params }) => {
    requireNoCursor(params);
    const { scopes } = await identified(session);
    const prompts = PROMPTS.filter(({ scope }) => holdsAny(scopes, [scope]));
    return {
      prompts: prompts.map(({ name, title, description, argument }) => ({
        name,
        title,
        description,
        arguments: [{ ...argument, required: true }],
      })),
    };
  });
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name);
    const value = prompt && params.arguments?.[prompt.argument.name];
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "unknown prompt");
    if (typeof value !== "string" || value === "" || value.length > 200)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `the argument ${prompt.argument.name} is a name of at most 200 characters`,
      );
    const text = prompt.text(quoted(value));
    return {
      description: prompt.description,
      messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
    };
  });
}

function identified(session: Session): Promise<Identity> {
  return inProtocol(session, () => session.identify());
}

/** Runs what has no failure of its own in the protocol: its errors are those of JSON-RPC. */
async function inProtocol<T>(session: Session, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw bug(session, error);
  }
}

function bug(session: Session, error: unknown): ProtocolError {
  session.report(error);
  return new ProtocolError(ProtocolErrorCode.InternalError, "internal error");
}
