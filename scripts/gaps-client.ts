export type Context = {
  url: () => string;
  token: string;
  run: (...args: string[]) => string;
  restart: () => Promise<void>;
};

/** A request to send; `work` returns a description of the response. */
export type Scenario = { name: string; isSetup?: true; work: (context: Context) => Promise<unknown> };

export const KB = 1024;
export const fill = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
export const admin = async ({ url, token }: Context, method: string, path: string, body?: unknown) => {
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${url()}/api/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-confirm": "words",
    },
    ...(text !== undefined && { body: text }),
  });
  const answer = await response.text();
  return { status: response.status, answer };
};
export const statusOf = async (...args: Parameters<typeof admin>) => {
  const { status, answer } = await admin(...args);
  return status < 300 ? status : `${status} ${answer.slice(0, 140)}`;
};
export const download = async ({ url, token }: Context, path: string) => {
  const response = await fetch(`${url()}/api/admin/v1${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  return `${response.status} ${bytes} bytes`;
};

const variants = { on: true, off: false };
export const rule = (targeting: unknown) => ({ variants, targeting, defaultVariant: "off", enabled: true });
export const many = (count: number, value: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value(index)]));

/** Applies a document that consists of these projects. */
export const applied = (context: Context, projects: object) =>
  statusOf(context, "POST", "/apply", { document: { projects }, confirmed: true });
