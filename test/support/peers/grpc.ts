import {
  type ClientReadableStream,
  type ServiceError,
  Client,
  Metadata,
  credentials,
  status,
} from "@grpc/grpc-js";

/** Calls of `flagd.sync.v1`, by the client of gRPC for Node. */

const METHOD = "/flagd.sync.v1.FlagSyncService/";
const bytes = (message: Buffer) => message;

export type Asking = {
  token?: string;
  /** Field 2 of the message. */
  selector?: string;
  /** Metadata beside the token. */
  headers?: Record<string, string>;
};

/** A client of the server at `grpc://HOST:PORT`. */
export function grpcClient(origin: string, certificate?: Buffer) {
  const secure = certificate && credentials.createSsl(certificate);
  const client = new Client(new URL(origin).host, secure ?? credentials.createInsecure(), {
    "grpc.ssl_target_name_override": "localhost",
    // Else clients share a connection.
    "grpc.use_local_subchannel_pool": 1,
  });
  const metadataOf = ({ token, headers = {} }: Asking) => {
    const metadata = new Metadata();
    if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return metadata;
  };
  return {
    /** The file, or the name of the status that was answered. */
    fetch: (asking: Asking, message = messageOf(asking), method = "FetchAllFlags") =>
      new Promise<string>((fulfil) => {
        client.makeUnaryRequest(METHOD + method, bytes, bytes, message, metadataOf(asking), (error, answer) =>
          fulfil(error ? status[error.code] : textIn(answer!)),
        );
      }),
    /** What a refusal says. */
    refusal: (asking: Asking) =>
      new Promise<string | undefined>((fulfil) => {
        const answered = (error: ServiceError | null) => fulfil(error?.details);
        client.makeUnaryRequest(
          `${METHOD}FetchAllFlags`,
          bytes,
          bytes,
          messageOf(asking),
          metadataOf(asking),
          answered,
        );
      }),
    follow(asking: Asking) {
      const message = messageOf(asking);
      return followed(
        client.makeServerStreamRequest(`${METHOD}SyncFlags`, bytes, bytes, message, metadataOf(asking)),
      );
    },
    close: () => client.close(),
  };
}

function followed(stream: ClientReadableStream<Buffer>) {
  const files: string[] = [];
  const ended = Promise.withResolvers<string>();
  const first = Promise.withResolvers<string | undefined>();
  // A test may not wait for it.
  first.promise.catch(() => {});
  stream.on("data", (message: Buffer) => {
    files.push(textIn(message));
    first.resolve(files[0]);
  });
  stream.on("error", (error: Error & { code: status; details: string }) => {
    ended.resolve(status[error.code]);
    first.reject(new Error(`${status[error.code]}: ${error.details}`));
  });
  stream.on("end", () => ended.resolve("OK"));
  return {
    files,
    /** The first file. Throws what ended the stream before it. */
    first: first.promise,
    /** The name of the status with which the server ended it. */
    ended: ended.promise,
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    cancel: () => stream.cancel(),
  };
}

function messageOf({ selector = "" }: Asking): Buffer {
  return selector === ""
    ? Buffer.alloc(0)
    : Buffer.concat([Buffer.from([18, selector.length]), Buffer.from(selector)]);
}

/** The text in field 1. */
function textIn(message: Buffer): string {
  return message.toString("utf8", message.indexOf("{"));
}
