import styles from "altcha/altcha.css" with { type: "text" };
import german from "altcha/i18n/de" with { type: "text" };
import spanish from "altcha/i18n/es-es" with { type: "text" };
import french from "altcha/i18n/fr-fr" with { type: "text" };
import italian from "altcha/i18n/it" with { type: "text" };
import japanese from "altcha/i18n/ja" with { type: "text" };
import dutch from "altcha/i18n/nl" with { type: "text" };
import polish from "altcha/i18n/pl" with { type: "text" };
import portuguese from "altcha/i18n/pt-br" with { type: "text" };
import chinese from "altcha/i18n/zh-cn" with { type: "text" };
import workerText from "altcha/workers/pbkdf2" with { type: "text" };
import license from "../../../../node_modules/altcha/LICENSE.txt" with { type: "text" };
// The package exports this build only as 220 KB of readable source.
import widget from "../../../../node_modules/altcha/dist/external/altcha.min.js" with { type: "text" };
// The file is text here, not a module.
// oxlint-disable-next-line import/default
import setup from "./setup.js" with { type: "text" };

/** English is part of the widget. */
const languages = [german, spanish, french, italian, japanese, dutch, polish, portuguese, chinese];

/** The widget with its styles and languages, as one ES module. A block of its own keeps the names of each part apart. */
export const WIDGET: Uint8Array<ArrayBuffer> = new TextEncoder().encode(
  [
    `/*\n${license}*/`,
    widget,
    ...languages.map((language) => `{\n${language}}`),
    `{\nconst styles = ${JSON.stringify(styles)};\nconst workerText = ${JSON.stringify(workerText)};\n${setup}}\n`,
  ].join("\n"),
);

/** The classic script in which a worker of the widget tries counters. */
export const WORKER: Uint8Array<ArrayBuffer> = new TextEncoder().encode(workerText);
