import { describe, expect, test } from "bun:test";
import { UNTITLED, type Titled, titlerOf } from "../../../src/forms/inbox/title.ts";

type Data = Record<string, unknown>;

const AT = "2026-11-29T09:02:41.000Z";

function called(data: Data, form: Partial<Titled> = {}, files: { name: string }[] = []) {
  return titlerOf({ ...UNTITLED, ...form })({ data, files, createdAt: AT });
}

const RATED = {
  properties: {
    rating: { type: "integer", minimum: 1, maximum: 5 },
    comment: { type: "string", maxLength: 2000 },
    email: { type: "string", format: "email" },
  },
};

describe("the title of a submission", () => {
  test("is the field that the form names, before everything else", () => {
    const data = { name: "Ann Berger", subject: "A gift", order: "Two cups" };
    expect(called(data, { titleField: "order" })).toEqual({
      title: "Two cups",
      text: "A gift · Ann Berger",
      stars: null,
    });
    expect(called({ ...data, order: " " }, { titleField: "order" }).title).toBe("Ann Berger");
    expect(called(data, { titleField: "missing" }).title).toBe("Ann Berger");
  });

  test("has the label of the field that the form names where that holds a number", () => {
    const schema = { properties: { order: { title: "Order number" } } };
    expect(called({ order: 10496, name: "Ann" }, { titleField: "order", schema })).toMatchObject({
      title: "Order number: 10496",
      text: "Ann",
    });
    expect(called({ day: "2026-12-05", name: "Ann" }, { titleField: "day" }).title).toBe("Sat 5 Dec");
  });

  test("of a contact is the name, with the subject and the message behind it", () => {
    const data = {
      id: 7,
      email: "ann.berger@example.com",
      "Your Name": "Ann Berger",
      message: "Do you deliver to Innsbruck,\n and on Saturdays?",
      subject: "Delivery",
    };
    expect(called(data)).toEqual({
      title: "Ann Berger",
      text: "Delivery · Do you deliver to Innsbruck, and on Saturdays? · ann.berger@example.com",
      stars: null,
    });
  });

  test.each([
    [{ first_name: "Ada", lastName: "Lovelace" }, "Ada Lovelace"],
    [{ Nachname: "Vogel", Vorname: "Hanna" }, "Hanna Vogel"],
    [{ nom: "Dupont", prénom: "Anne" }, "Anne Dupont"],
    [{ nombre: "Ana", apellidos: "López Gil" }, "Ana López Gil"],
    [{ name: "Ada Lovelace", first_name: "Ada" }, "Ada Lovelace"],
    [{ "imię i nazwisko": "Jan Nowak" }, "Jan Nowak"],
    [{ お名前: "山田 太郎", お問い合わせ: "営業時間を教えてください" }, "山田 太郎"],
    [{ 姓: "山田", 名: "太郎" }, "山田 太郎"],
    [{ الاسم: "ليلى حداد", الرسالة: "متى تفتحون يوم الجمعة؟" }, "ليلى حداد"],
    [{ Имя: "Анна", Сообщение: "Здравствуйте" }, "Анна"],
  ])("of %j is the name in the language of the form", (data, title) => {
    expect(called(data).title).toBe(title);
  });

  test("knows a name by the label of its field too", () => {
    const schema = { properties: { f1: { title: "Full name" }, f2: { title: "Your message" } } };
    expect(called({ f2: "Hello there", f1: "Ann" }, { schema })).toMatchObject({
      title: "Ann",
      text: "Hello there",
    });
  });

  test("is the subject where nobody is named", () => {
    const data = { betreff: "Rückgabe", nachricht: "Darf ich das ohne Beleg?", mail: "a@b.example" };
    expect(called(data)).toMatchObject({
      title: "Rückgabe",
      text: "Darf ich das ohne Beleg? · by a@b.example",
    });
    expect(called({ 件名: "予約について", 本文: "土曜日は空いていますか" }).title).toBe("予約について");
  });

  test("of a reservation is what was chosen and when", () => {
    const form = { name: "Table booking" };
    const data = { guests: "4", date: "2026-12-05", time: "19:30", wish: "By the window, if there is one" };
    expect(called(data, form)).toEqual({
      title: "Table for 4, Sat 5 Dec, 19:30",
      text: "By the window, if there is one",
      stars: null,
    });
    expect(called({ ...data, name: "Oskar Lind" }, form)).toMatchObject({
      title: "Oskar Lind",
      text: "Table for 4, Sat 5 Dec, 19:30 · By the window, if there is one",
    });
    const schema = { properties: { kind: { enum: ["Cut", "Colour"] }, at: { format: "date-time" } } };
    expect(called({ at: "2028-02-29T10:15", kind: "Cut" }, { schema }).title).toBe(
      "Cut, Tue 29 Feb 2028, 10:15",
    );
    expect(called({ 人数: 2, 日付: "2026-12-04" }).title).toBe("For 2, Fri 4 Dec");
    expect(called({ room: "Larch", date: "next week" }).title).toBe("Larch, next week");
  });

  test("of an order is how many of what", () => {
    const data = {
      product: "Larch oil",
      quantity: 2,
      note: "Please leave it at the door",
      phone: "+43 512 1",
    };
    expect(called(data)).toMatchObject({
      title: "2 × Larch oil",
      text: "Please leave it at the door · +43 512 1",
    });
  });

  test("of feedback is the first words of what was written, and never its rating", () => {
    const data = { rating: 5, comment: "Found what I needed in two clicks", email: "lea@example.com" };
    expect(called(data, { schema: RATED })).toEqual({
      title: "Found what I needed in two clicks",
      text: "by lea@example.com",
      stars: { count: 5, of: 5 },
    });
    expect(called({ rating: "4" })).toEqual({
      title: "Rating: 4 of 5",
      text: "",
      stars: { count: 4, of: 5 },
    });
    const ten = { properties: { score: { type: "integer", maximum: 10 } } };
    expect(called({ score: 3 }, { schema: ten }).stars).toEqual({ count: 3, of: 10 });
    expect(called({ bewertung: 9, text: "Gut" }).stars).toEqual({ count: 9, of: 10 });
    expect(called({ rating: 17, text: "Fine" })).toMatchObject({ title: "Fine", text: "17", stars: null });
  });

  test("of a survey is what was written in it before what was chosen, by its title", () => {
    const choice = {
      oneOf: [
        { const: "a", title: "Every single day" },
        { const: "b", title: "Never" },
      ],
    };
    const schema = { properties: { often: choice, why: { type: "string" } } };
    expect(called({ often: "a", why: "I cook" }, { schema })).toMatchObject({
      title: "I cook",
      text: "Every single day",
    });
    expect(called({ often: "a" }, { schema }).title).toBe("Every single day");
  });

  test("leaves out ids, addresses of pages and what scripts send along", () => {
    const data = {
      utm_source: "A long name of a campaign in spring",
      page: "https://shop.example/a/long/path",
      session: "01a225a2-59dc-7000-bc82-9958fc471d8b",
      message: "Hello",
    };
    expect(called(data)).toMatchObject({ title: "Hello", text: data.session });
  });

  test.each([
    [{ email: "a@b.example" }, "a@b.example"],
    [{ email: "no address" }, "no address"],
    [{ a: 1, b: "2" }, "A: 1"],
    [{ huge: "1e400" }, "Huge: 1e400"],
    [{ phone_number: "+43 512 000 000" }, "Phone number: +43 512 000 000"],
    [{ ok: false }, "Ok: false"],
    [{ name: "12", age: 40 }, "Name: 12"],
    [{ name: "  ", tags: ["a", { b: "c" }, null] }, "a, c"],
    [{}, ""],
    [{ name: null, message: "" }, ""],
  ])("of %j is never a number alone", (data, title) => {
    expect(called(data).title).toBe(title);
  });

  test("is the name of a file where only files were sent", () => {
    expect(called({}, {}, [{ name: "cv.pdf" }]).title).toBe("cv.pdf");
    expect(called({ name: "" }, {}, [{ name: "a.png" }, { name: "b.png" }]).title).toBe("a.png and 1 more");
    expect(called({ name: "Ann" }, {}, [{ name: "cv.pdf" }]).title).toBe("Ann");
  });

  test("is cut after a word, and between characters", () => {
    const { title } = called({ message: "word ".repeat(40) });
    expect(title).toBe(`${"word ".repeat(14)}word…`);
    expect(called({ name: "👩".repeat(100) }).title).toBe(`${"👩".repeat(79)}…`);
    expect(called({ message: "あ".repeat(300), more: "い".repeat(300) }).text).toHaveLength(160);
  });

  test("of large submissions takes no longer than reading their beginnings", () => {
    const fields = Array.from({ length: 1000 }, (_, index) => [`field${index}`, "a b ".repeat(2000)]);
    const data = { ...Object.fromEntries(fields), name: " ".repeat(1_000_000), mail: "@".repeat(1_000_000) };
    const titler = titlerOf(UNTITLED);
    const start = performance.now();
    for (let round = 0; round < 20; round += 1) titler({ data, files: [], createdAt: AT });
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
