// The end of the script that browsers load, behind the widget; files.ts defines `styles` and `workerText`.

// A page may start a worker only from its own origin. On other websites the worker is a blob, which their
// Content-Security-Policy has to allow; pages of this server can do without.
const workerFile = new URL("altcha-worker.js", import.meta.url);
const workerUrl =
  workerFile.origin === location.origin
    ? workerFile
    : URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
$altcha.algorithms.set("PBKDF2/SHA-256", () => new Worker(workerUrl));

// The widget would watch pointer and scrolling for a service that this server does not have.
$altcha.defaults.set({ humanInteractionSignature: false });

// The widget itself explains this in English only.
if (!isSecureContext) for (const note of document.querySelectorAll("[data-insecure]")) note.hidden = false;

// Unlike a style element, such a style sheet needs no permission of the page's Content-Security-Policy.
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
document.adoptedStyleSheets.push(sheet);
