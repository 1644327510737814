import { type Service, textIn } from "./service.ts";

/** Errors that an operator corrects: the sender's identity, the account, the key. */
const OPERATORS = /NotVerified|AccountSuspended|SendingPaused|AccessDenied|Signature|Token|NotFound/;

/** Amazon SES, version 2 of its interface: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
export const ses: Service = {
  async request({ from, to, raw }, { key, sessionToken, place, endpoint }) {
    const { AwsClient } = await import("aws4fetch");
    const [accessKeyId = "", ...secret] = key.split(":");
    const client = new AwsClient({
      accessKeyId,
      secretAccessKey: secret.join(":"),
      ...(sessionToken !== null && { sessionToken }),
      service: "ses",
      region: place,
    });
    const path = "/v2/email/outbound-emails";
    const body = JSON.stringify({
      FromEmailAddress: from.address,
      Destination: { ToAddresses: [to] },
      Content: { Raw: { Data: (await raw()).toString("base64") } },
    });
    const { headers } = await client.sign(endpoint + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    return { path, headers: Object.fromEntries(headers), body };
  },
  refusal({ headers, json }) {
    const type = headers.get("x-amzn-ErrorType") ?? "";
    const message = textIn(json["message"] ?? json["Message"]);
    return { message, isOperators: OPERATORS.test(type) || /not verified/i.test(message) };
  },
};
