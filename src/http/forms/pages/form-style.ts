/** The styles of a form, besides those of every page. */
export const FORM_STYLE = `
:root { --edge: #80838d; --on-accent: #fff; --tint: #f0f6fd; --alarm: #fff5f5 }
@media (prefers-color-scheme: dark) { :root { --edge: #7b7f88; --on-accent: #0b1a2b; --tint: #16202c; --alarm: #2a1719 } }
main { max-width: 38rem }
main > h1 + .lines { color: var(--soft) }
form { margin-top: 1.75rem }
.field { margin: 0 0 1.5rem; padding: 0; border: 0; min-width: 0 }
label, legend { display: block; padding: 0; font-weight: 600; overflow-wrap: anywhere }
.must { color: var(--bad) }
.hint, .wrong { margin: .125rem 0 0; font-size: .9375rem }
.hint { color: var(--soft) }
.wrong { color: var(--bad); font-weight: 600 }
input, select, textarea { font: inherit; color: inherit }
input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea { display: block; width: 100%; min-height: 2.875rem; margin-top: .4rem; padding: .55rem .75rem; background-color: var(--card); border: 1px solid var(--edge); border-radius: .6rem }
input[type=number] { max-width: 14rem }
input[type=date], input[type=time], input[type=datetime-local] { max-width: 18rem }
input[type=file] { padding: .5rem; color: var(--soft) }
input::file-selector-button { margin-right: .75rem; padding: .3rem .8rem; font: inherit; color: var(--accent); background: var(--tint); border: 0; border-radius: .4rem; cursor: pointer }
input:read-only:not([type=checkbox], [type=radio], [type=file]) { background: var(--paper); border-style: dashed }
textarea { min-height: 9rem; resize: vertical }
[aria-invalid=true] { border-color: var(--bad) !important; box-shadow: inset 0 0 0 1px var(--bad) }
select { appearance: none; padding-right: 2.5rem !important; background-image: linear-gradient(45deg, transparent 50%, var(--soft) 50%), linear-gradient(135deg, var(--soft) 50%, transparent 50%); background-position: right 1.2rem center, right .85rem center; background-size: .36rem .36rem; background-repeat: no-repeat }
.choice { display: flex; gap: .7rem; align-items: flex-start; padding: .45rem 0; font-weight: 400; cursor: pointer }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: .2rem 0 0; accent-color: var(--accent) }
.field > .choice:first-child { font-weight: 600; padding-top: 0 }
fieldset .choice:first-of-type { margin-top: .2rem }
:is(input, select, textarea, button, .summary, .summary a):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.summary { margin: 1.5rem 0 0; padding: 1rem 1.25rem; background: var(--alarm); border: 1px solid var(--bad); border-radius: .75rem }
.summary h2 { margin: 0 0 .25rem; font-size: 1.0625rem; color: var(--bad) }
.summary p, .summary ul { margin-bottom: .5rem } .summary > :last-child { margin-bottom: 0 }
.summary a { color: var(--bad) }
.trap { position: absolute; left: -9999px; width: 1px; height: 1px; overflow: hidden }
.proof { margin: 0 0 1.5rem }
altcha-widget { --altcha-max-width: 100% }
button { min-height: 2.875rem; padding: .6rem 1.75rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: .6rem; cursor: pointer }
button:hover { filter: brightness(1.08) }
@media (max-width: 30rem) { body { padding: 0; place-items: start stretch } main { border: 0; border-radius: 0; min-height: 100dvh } button { width: 100% } }
`;
