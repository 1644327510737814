import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { EXECUTABLE, startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { programAt } from "../../support/needs.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UNKNOWN = "01a1fc49-92a7-75da-ab11-1c9958800353";

type FileInfo = { field: string; name: string; type: string; size: number; sha256: string };
type Submission = {
  project: string;
  id: string;
  form: string;
  data: Record<string, unknown>;
  files: FileInfo[];
  createdAt: string;
  state: string;
  spam: string | null;
  read: boolean;
  meta: object | null;
  flags: object | null;
  unchecked: string | null;
  assignee: string | null;
  labels: string[];
  consent: null;
  confirmedAt: null;
  unsubscribedAt: null;
};

/** A form with uploads on, a server that takes in submissions to it, and commands beside that server. */
async function openInbox() {
  const server = await startServer();
  const commands = onData(server.data);
  const json = <T>(...args: string[]) => commands.json<T>(...args);
  const { key } = await json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  /** Submits and returns the id. */
  const submit = async (fields: object | FormData) => {
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
      method: "POST",
      ...(fields instanceof FormData
        ? { body: fields }
        : { body: JSON.stringify(fields), headers: { "Content-Type": "application/json" } }),
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  };
  return { data: server.data, key, run: commands.run, json, submit };
}

function withFiles(...files: [field: string, name: string, content: string | Uint8Array<ArrayBuffer>][]) {
  const form = new FormData();
  form.append("name", "Ada");
  for (const [field, name, content] of files)
    form.append(field, new File([content], name, { type: "text/x-test" }));
  return form;
}

/** The lines of a CSV text whose cells hold no line ends. */
const csvLines = (text: string) => text.split("\r\n").slice(0, -1);

const inbox = await openInbox();
const { run, json, submit } = inbox;
const photo = crypto.getRandomValues(new Uint8Array(100_000));

const first = await submit({ name: "Ada", age: 36, tags: ["a", "b"], nested: { yes: true, no: null } });
const second = await submit(withFiles(["photo", "pho to.jpg", photo], ["cv", "résumé.txt", "hello"]));
const third = await submit({ name: "=1+1", note: 'a "quoted", text', other: "line\nbreak" });
const everything = [third, second, first];

describe("submissions list", () => {
  test("is an array, newest first, and takes the form's slug or key", async () => {
    const all = await json<Submission[]>("submissions", "list", "contact");
    expect(all.map(({ id }) => id)).toEqual(everything);
    expect(await json<Submission[]>("submissions", "list", inbox.key)).toEqual(all);
    for (const submission of all) {
      expect(submission).toEqual({
        id: expect.any(String),
        project: "default",
        form: "contact",
        data: expect.any(Object),
        files: expect.any(Array),
        createdAt: expect.stringMatching(TIME),
        state: "inbox",
        spam: null,
        read: false,
        meta: null,
        flags: null,
        unchecked: null,
        assignee: null,
        labels: [],
        consent: null,
        confirmedAt: null,
        unsubscribedAt: null,
      });
    }
  });

  test("--limit and --before page through it", async () => {
    const page = await json<Submission[]>("submissions", "list", "contact", "--limit", "2");
    expect(page.map(({ id }) => id)).toEqual([third, second]);
    const rest = await json<Submission[]>("submissions", "list", "contact", "--before", second);
    expect(rest.map(({ id }) => id)).toEqual([first]);
    expect(await json<Submission[]>("submissions", "list", "contact", "--before", first)).toEqual([]);
  });

  test("says on standard error how many there are, and how to go on where there are more", async () => {
    const page = await run("submissions", "list", "contact", "--limit", "2");
    const next = `formflag submissions list contact --before ${second} --limit 2`;
    expect(page).toMatchObject({ code: 0, stderr: `2 of 3 submissions; older ones: ${next}\n` });
    const rest = await run(...next.split(" ").slice(1));
    expect(rest).toMatchObject({ code: 0, stdout: expect.stringContaining(first), stderr: "" });
    expect((await run("submissions", "list", "contact", "--limit", "2", "-q")).stderr).toBe("");
    expect((await run("submissions", "list", "contact", "--limit", "2", "--json")).stderr).toBe(page.stderr);
  });

  test("shows one submission a line", async () => {
    const { code, stdout, stderr } = await run("submissions", "list", "contact");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    for (const id of everything) expect(stdout).toContain(id);
  });

  test("is empty for a form without any, and holds nothing of another form", async () => {
    await run("forms", "create", "empty");
    expect(await json<Submission[]>("submissions", "list", "empty")).toEqual([]);
  });

  test("a limit that is no number is exit 2, a form that does not exist exit 3", async () => {
    const results = await Promise.all([
      run("submissions", "list", "contact", "--limit", "many"),
      run("submissions", "list", "contact", "--limit", "-1"),
      run("submissions", "list", "contact", "--limit", "0"),
      run("submissions", "list", "contact", "--email", "a@b.example"),
      run("submissions", "list", "--email", "a@b.example", "--unread"),
      run("submissions", "list", "nope"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 3]);
    expect(results.map(({ stdout }) => stdout).join("")).toBe("");
  });

  test("a limit above what one page of the API holds is fetched in pages", async () => {
    await run("forms", "create", "busy");
    const { key } = await json<{ key: string }>("forms", "get", "busy");
    const server = await startServer([], { data: await copyOf(inbox.data) });
    const post = () =>
      fetch(`${server.url}/v1/s/${key}`, { method: "POST", body: new URLSearchParams("a=1") });
    for (let batch = 0; batch < 21; batch += 1) await Promise.all(Array.from({ length: 50 }, post));
    const all = await onData(server.data).json<Submission[]>(
      "submissions",
      "list",
      "busy",
      "--limit",
      "2000",
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(1050);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  }, 60_000);
});

/** A directory of its own, with what the other holds now. */
async function copyOf(data: string): Promise<string> {
  const copy = tempDirectory();
  const { exited } = Bun.spawn(["cp", "-r", `${data}/.`, copy]);
  expect(await exited).toBe(0);
  return copy;
}

describe("submissions get", () => {
  test("shows the fields with their types and each file with its size and hash", async () => {
    const plain = await json<Submission>("submissions", "get", first);
    expect(plain.data).toEqual({ name: "Ada", age: 36, tags: ["a", "b"], nested: { yes: true, no: null } });
    expect(plain.files).toEqual([]);
    const { files } = await json<Submission>("submissions", "get", second);
    const sha256 = (bytes: string | Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    expect(files).toEqual([
      { field: "photo", name: "pho to.jpg", type: "text/x-test", size: 100_000, sha256: sha256(photo) },
      { field: "cv", name: "résumé.txt", type: "text/x-test", size: 5, sha256: sha256("hello") },
    ]);
  });

  test("in words too, a value of several lines as lines", async () => {
    const { stdout } = await run("submissions", "get", third);
    expect(stdout).toMatch(/^other +line\n {7}break$/m);
    expect((await run("submissions", "get", second)).stdout).toContain("pho to.jpg");
  });

  test("one that does not exist is exit 3", async () => {
    const results = await Promise.all(
      [UNKNOWN, "nope", "../../etc/passwd"].map((id) => run("submissions", "get", id)),
    );
    expect(results.map(({ code }) => code)).toEqual([3, 3, 3]);
    expect((await run("submissions", "get")).code).toBe(2);
  });
});

describe("submissions download", () => {
  test("writes the very bytes to standard output, by number and by name", async () => {
    const download = async (file: string) => {
      const args = ["submissions", "download", second, file, "--data", inbox.data];
      const child = Bun.spawn([EXECUTABLE, ...args], { stdout: "pipe", stderr: "pipe" });
      const bytes = await new Response(child.stdout).bytes();
      expect({ code: await child.exited, err: await new Response(child.stderr).text() }).toEqual({
        code: 0,
        err: "",
      });
      return bytes;
    };
    expect(await download("1")).toEqual(photo);
    expect(await download("pho to.jpg")).toEqual(photo);
    expect(Buffer.from(await download("résumé.txt")).toString()).toBe("hello");
  });

  test("saves with -o, says nothing on standard output, and leaves no part behind", async () => {
    const directory = tempDirectory();
    const file = join(directory, "photo.jpg");
    expect(await run("submissions", "download", second, "1", "-o", file)).toMatchObject({
      code: 0,
      stdout: "",
    });
    expect(await Bun.file(file).bytes()).toEqual(photo);
    expect(readdirSync(directory)).toEqual(["photo.jpg"]);
    expect((await run("submissions", "download", second, "2", "-o", "-")).stdout).toBe("hello");
  });

  test("a folder that is not there is exit 4 and named", async () => {
    const file = join(tempDirectory(), "missing", "photo.jpg");
    const { code, stderr } = await run("submissions", "download", second, "1", "-o", file);
    expect(code).toBe(4);
    expect(stderr).toContain(file);
  });

  test("a name that two files have is exit 5 and the hint gives their numbers", async () => {
    const id = await submit(
      withFiles(["a", "same.txt", "1"], ["b", "same.txt", "2"], ["c", "else.txt", "3"]),
    );
    const { code, stdout, stderr } = await run("submissions", "download", id, "same.txt");
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toMatch(/number.*1, 2/);
    expect((await run("submissions", "download", id, "2")).stdout).toBe("2");
    await run("submissions", "delete", id, "--yes");
  });

  test("a name that is another file's number means the number", async () => {
    const id = await submit(
      withFiles(["a", "2", "named two"], ["b", "b.txt", "the second"], ["c", "9", "nine"]),
    );
    expect((await run("submissions", "download", id, "2")).stdout).toBe("the second");
    expect((await run("submissions", "download", id, "9")).stdout).toBe("nine");
    await run("submissions", "delete", id, "--yes");
  });

  test("a number or name that no file has is exit 3, and no file at all exit 2", async () => {
    const results = await Promise.all([
      run("submissions", "download", second, "3"),
      run("submissions", "download", second, "0"),
      run("submissions", "download", second, "nope.txt"),
      run("submissions", "download", first, "1"),
      run("submissions", "download", UNKNOWN, "1"),
      run("submissions", "download", second),
    ]);
    expect(results.map(({ code }) => code)).toEqual([3, 3, 3, 3, 3, 2]);
    expect(results.map(({ stdout }) => stdout).join("")).toBe("");
  });

  test("a failed download leaves a file that was there as it was", async () => {
    const file = join(tempDirectory(), "photo.jpg");
    await Bun.write(file, "older");
    expect((await run("submissions", "download", second, "3", "-o", file)).code).toBe(3);
    expect(await Bun.file(file).text()).toBe("older");
  });
});

describe("submissions export", () => {
  test("writes one submission a line, newest first, as `submissions get --json` gives it", async () => {
    const { code, stdout, stderr } = await run("submissions", "export", "contact");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const shown = await Promise.all(everything.map((id) => json<Submission>("submissions", "get", id)));
    expect(stdout).toBe(shown.map((submission) => `${JSON.stringify(submission)}\n`).join(""));
  });

  test("saves with -o, the same bytes", async () => {
    const file = join(tempDirectory(), "contact.jsonl");
    expect(await run("submissions", "export", "contact", "-o", file)).toMatchObject({ code: 0, stdout: "" });
    expect(await Bun.file(file).text()).toBe((await run("submissions", "export", inbox.key)).stdout);
  });

  test("CSV has id and time, the fields in first-seen order, then the file names", async () => {
    const file = join(tempDirectory(), "contact.csv");
    const { code } = await run("submissions", "export", "contact", "--format", "csv", "-o", file);
    expect(code).toBe(0);
    const text = await Bun.file(file).text();
    const [head, newest] = csvLines(text);
    // First seen as the export goes: newest first.
    expect(head).toBe('id,createdAt,"name","note","other","age","tags","nested",files');
    const { createdAt } = await json<Submission>("submissions", "get", third);
    expect(newest).toBe(`${third},${createdAt},"'=1+1","a ""quoted"", text","line\nbreak",,,,`);
    expect(text).toContain('"Ada",,,,,,"pho to.jpg; résumé.txt"\r\n');
    expect(text).toContain(',"Ada",,,36,"[""a"",""b""]","{""yes"":true,""no"":null}",\r\n');
  });

  test("CSV prefixes what a spreadsheet would run, and nothing else", async () => {
    await run("forms", "create", "formulas");
    const { key } = await json<{ key: string }>("forms", "get", "formulas");
    const data = { a: "=1", b: "+1", c: "-1", d: "@x", e: "\tx", f: "'x", g: -1, h: " =1", "=head": "x" };
    const server = await startServer([], { data: await copyOf(inbox.data) });
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
      method: "POST",
      body: JSON.stringify(data),
      headers: { "Content-Type": "application/json" },
    });
    expect(answer.status).toBe(200);
    const args = ["submissions", "export", "formulas", "--format", "csv"];
    const { stdout } = await onData(server.data).run(...args);
    const [head, row] = csvLines(stdout) as [string, string];
    expect(head).toBe(`id,createdAt,"a","b","c","d","e","f","g","h","'=head",files`);
    expect(row).toEndWith(`,"'=1","+1","-1","'@x","'\tx","'x",-1," =1","x",`);
  });

  test("CSV has a byte order mark and another delimiter where these are asked for", async () => {
    const exported = async (...args: string[]) => run("submissions", "export", "contact", ...args);
    const plain = (await exported("--format", "csv")).stdout;
    for (const [name, delimiter] of [
      [";", ";"],
      ["tab", "\t"],
      ["\\t", "\t"],
      ["\t", "\t"],
      [",", ","],
    ] as const) {
      const { stdout } = await exported("--delimiter", name);
      expect(csvLines(stdout)[0]).toBe(csvLines(plain)[0]!.replaceAll(",", delimiter));
    }
    const file = join(tempDirectory(), "contact.csv");
    await exported("-o", file, "--bom");
    expect(await Bun.file(file).bytes()).toEqual(new Uint8Array(Buffer.from(`\uFEFF${plain}`)));
    for (const args of [
      ["--delimiter", "|"],
      ["--format", "jsonl", "--bom"],
      ["-o", `${file}.json`, "--delimiter", ";"],
    ])
      expect((await exported(...args)).code).toBe(2);
  });

  test("of a form without submissions is empty, and in CSV only a head", async () => {
    await run("forms", "create", "nothing");
    expect(await run("submissions", "export", "nothing")).toMatchObject({ code: 0, stdout: "" });
    expect((await run("submissions", "export", "nothing", "--format", "csv")).stdout).toBe(
      "id,createdAt,files\r\n",
    );
  });

  test("a format there is not is exit 2, a form there is not exit 3 and makes no file", async () => {
    const file = join(tempDirectory(), "out");
    expect((await run("submissions", "export", "contact", "--format", "xml")).code).toBe(2);
    expect((await run("submissions", "export", "nope", "-o", file)).code).toBe(3);
    expect(existsSync(file)).toBe(false);
  });

  const bash = programAt("bash", "exports into a pipe");

  test.skipIf(!bash)(
    "into a reader that stops early, as head does, is no failure",
    async () => {
      const { data, submit } = await openInbox();
      for (let count = 0; count < 12; count += 1) await submit({ text: "x".repeat(100_000) });
      const pipeline = `"$0" submissions export contact --data "$1" | head -1; echo "\${PIPESTATUS[0]}"`;
      const child = Bun.spawn(["bash", "-c", pipeline, EXECUTABLE, data], { stdout: "pipe", stderr: "pipe" });
      const [line, code, end] = (await new Response(child.stdout).text()).split("\n");
      expect(JSON.parse(line!)).toMatchObject({ form: "contact" });
      expect({ code, end, err: await new Response(child.stderr).text() }).toEqual({
        code: "0",
        end: "",
        err: "",
      });
    },
    60_000,
  );

  test.skipIf(!bash)(
    "is whole where it goes through a slow pipe",
    async () => {
      const { data, submit } = await openInbox();
      for (let count = 0; count < 12; count += 1) await submit({ text: "x".repeat(100_000) });
      const pipeline = `"$0" submissions export contact --data "$1" | (read -r line; cat | wc -l)`;
      const child = Bun.spawn(["bash", "-c", pipeline, EXECUTABLE, data], { stdout: "pipe" });
      expect((await new Response(child.stdout).text()).trim()).toBe("11");
    },
    60_000,
  );
});

describe("submissions delete", () => {
  test("wants --yes, and removes the row and its files", async () => {
    const { data, run, json, submit } = await openInbox();
    const id = await submit(withFiles(["a", "a.txt", "1"], ["b", "b.txt", "2"]));
    const kept = await submit(withFiles(["a", "a.txt", "kept"]));
    const refused = await run("submissions", "delete", id);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(uploadsIn(data)).toHaveLength(3);
    expect(await json("submissions", "delete", id, "--yes")).toEqual({ id, result: "deleted" });
    expect(uploadsIn(data)).toHaveLength(1);
    expect((await run("submissions", "get", id)).code).toBe(3);
    expect((await run("submissions", "download", kept, "1")).stdout).toBe("kept");
    expect((await run("submissions", "delete", id, "--yes")).code).toBe(3);
  });

  test("goes with the form, files and all", async () => {
    const { data, run, submit } = await openInbox();
    const id = await submit(withFiles(["a", "a.txt", "1"]));
    await run("forms", "delete", "contact", "--yes");
    expect((await run("submissions", "get", id)).code).toBe(3);
    expect(uploadsIn(data)).toEqual([]);
  });
});

function uploadsIn(data: string): string[] {
  const entries = readdirSync(join(data, "uploads"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe("tables of what strangers sent", () => {
  test("obey no control character of a field, a value or a file name", async () => {
    const { run, submit } = await openInbox();
    const evil = "x\u001b[2J\u0007\u009b\r\nFAKE  LINE\u202e";
    const form = withFiles(["f\u001b", "evil\u001b[31m\n.txt", "1"]);
    form.append("field\u001b[0m", evil);
    const id = await submit(form);
    for (const args of [
      ["list", "contact"],
      ["get", id],
    ]) {
      const { stdout } = await run("submissions", ...args);
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(stdout).not.toMatch(/^FAKE/m);
    }
    // What is not a table is exact.
    const { stdout } = await run("submissions", "get", id, "--json");
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(evil).slice(1, -1));
  });

  test("an error message obeys none either", async () => {
    const { stderr } = await formflag(["submissions", "get", "\u001b[31mred", "--data", inbox.data]);
    expect(stderr).not.toContain("\u001b");
  });
});

describe("the file that -o names", () => {
  test("stays a link where it is one, and its target gets the bytes", async () => {
    const { run, submit } = await openInbox();
    await submit({ a: 1 });
    const folder = tempDirectory();
    writeFileSync(join(folder, "target"), "old");
    symlinkSync("target", join(folder, "link"));
    expect((await run("submissions", "export", "contact", "-o", join(folder, "link"))).code).toBe(0);
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "target"), "utf8")).toContain('"a":1');
  });

  test("may be a device, which stays one", async () => {
    const { run, submit } = await openInbox();
    await submit({ a: 1 });
    const device = join(tempDirectory(), "null");
    symlinkSync("/dev/null", device);
    expect((await run("submissions", "export", "contact", "-o", device)).code).toBe(0);
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  test("is no directory and not empty: exit 2 with what to name instead", async () => {
    const { run } = await openInbox();
    for (const target of [tempDirectory(), ""]) {
      const { code, stderr } = await run("submissions", "export", "contact", "-o", target);
      expect(code).toBe(2);
      expect(stderr).toContain("hint: name a file");
    }
  });
});

test("a submission to list before is named by an id: anything else is exit 2", async () => {
  const { run } = await openInbox();
  const { code, stderr } = await run("submissions", "list", "contact", "--before", "foo");
  expect(code).toBe(2);
  expect(stderr).toContain("before is the id of a submission");
});

test("submissions list escapes the control characters that were sent, and shows none besides", async () => {
  const { run, submit } = await openInbox();
  await submit({ text: `\x1b[31m${"red ".repeat(40)}` });
  const { stdout } = await run("submissions", "list", "contact");
  expect(stdout.match(/\\u[0-9a-f]{4}\S*/g)).toEqual(["\\u001b[31mred"]);
  expect(stdout).toContain("…\n");
});
