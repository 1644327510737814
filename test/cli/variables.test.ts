import { expect, test } from "bun:test";
import { misspeltVariables } from "../../cli/session/guesses/variables.ts";
import { formflag } from "../support/commands.ts";

test("a variable that is nearly one of formflag's is named with the one that was meant", () => {
  const meant = (name: string) => misspeltVariables({ [name]: "x" })[0]?.match(/did you mean (\w+)/)?.[1];
  expect(meant("FORMFLAG_SERVR")).toBe("FORMFLAG_SERVER");
  expect(meant("FORMFLAG_DATA_DIR")).toBe("FORMFLAG_DATA");
  expect(meant("FORM_FLAG_DATA")).toBe("FORMFLAG_DATA");
  expect(meant("formflag_token")).toBe("FORMFLAG_TOKEN");
});

test("known variables, and those that Kubernetes sets for a service, are left alone", () => {
  const names = [
    "FORMFLAG_SERVER",
    "FORMFLAG_TOKEN",
    "FORMFLAG_DATABASE_URL_FILE",
    "FORMFLAG_TO_DATABASE_URL",
    "FORMFLAG_PORT",
    "FORMFLAG_PORT_8787_TCP_ADDR",
    "FORMFLAG_SERVICE_HOST",
    "FORMFLAG_SERVICE_PORT_HTTP",
    "OTHER_SERVR",
  ];
  expect(misspeltVariables(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
});

test("a script is not told, doctor is", async () => {
  const env = { FORMFLAG_SERVR: "https://flags.example.com" };
  expect((await formflag(["projects", "list", "--data", "/nonexistent"], { env })).stderr).not.toContain(
    "SERVR",
  );
  expect((await formflag(["doctor"], { env })).stderr).toContain(
    "warning: the variable FORMFLAG_SERVR is not known: did you mean FORMFLAG_SERVER?",
  );
});
