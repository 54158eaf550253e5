/** The one style sheet, served at `/sandbox.css` so that the policy needs no exception. */
export const styles = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f4f2f7, #15131a);
  --card: light-dark(#fff, #211e29);
  --ink: light-dark(#1d1a24, #f1eef6);
  --quiet: light-dark(#5f596b, #b0a9bd);
  --line: light-dark(#d9d4e2, #3d3849);
  --accent: light-dark(#6b2fb3, #c9a2f5);
  --on-accent: light-dark(#fff, #241236);
  --tint: light-dark(#f3ecfb, #2f2540);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 33rem;
  padding: 1.5rem 1rem 2rem;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
header { display: flex; align-items: center; gap: .6rem; font-weight: 600; }
.mark {
  width: 1.4rem; height: 1.4rem; border-radius: .4rem;
  background: conic-gradient(from 140deg, var(--accent), light-dark(#1c8f9b, #57c7d2), var(--accent));
}
main {
  margin: 1rem 0; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1rem;
  background: var(--card);
}
h1 { margin: 0 0 1rem; font-size: 1.35rem; line-height: 1.3; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.05rem; }
h3 { margin: 1rem 0 0; font-size: 1rem; }
code { font-size: .9em; }
small, .quiet, footer { color: var(--quiet); font-size: .875rem; }
.quiet { margin: 1rem 0 0; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin-bottom: .4rem; font-weight: 600; }
.choice {
  display: flex; align-items: center; gap: .75rem; min-height: 3rem; padding: .45rem .75rem;
  border: 1px solid var(--line); cursor: pointer;
}
.choice + .choice { border-top: 0; }
.choice:first-of-type { border-radius: .6rem .6rem 0 0; }
.choice:last-of-type { border-radius: 0 0 .6rem .6rem; }
.choice:only-of-type { border-radius: .6rem; }
.choice:has(:checked) { background: var(--tint); }
.choice:has(:disabled) { cursor: default; }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: -2px; }
.choice input { margin: 0; width: 1.1rem; height: 1.1rem; flex: none; accent-color: var(--accent); }
.choice input:focus-visible { outline: none; }
.avatar {
  display: grid; place-items: center; flex: none; width: 2.1rem; height: 2.1rem;
  border-radius: 50%; background: var(--line); font-weight: 600;
}
.words { display: grid; min-width: 0; line-height: 1.3; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; }
button, .button {
  flex: 1 1 9rem; min-height: 2.9rem; padding: .5rem 1rem; font: inherit; font-weight: 600;
  color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent);
  border-radius: .6rem; cursor: pointer;
}
.button { display: grid; place-items: center; text-decoration: none; }
button.plain { color: var(--ink); background: transparent; border-color: var(--line); }
button:hover, .button:hover { filter: brightness(1.08); }
button.plain:hover { background: var(--tint); filter: none; }
:is(button, a, iframe):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.plain-list { margin: .5rem 0 0; padding: 0; list-style: none; }
.plain-list li { padding: .4rem 0; border-top: 1px solid var(--line); }
.plain-list small { display: block; }
.mails { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.mails li { border-bottom: 1px solid var(--line); }
.mails a {
  display: grid; margin: 0 -.5rem; padding: .7rem .5rem; border-radius: .4rem; color: inherit;
  text-decoration: none;
}
.mails a:hover { background: var(--tint); }
.mails strong { font-weight: 600; }
.facts { display: grid; grid-template-columns: auto 1fr; gap: .15rem .75rem; margin: 0 0 1.25rem; }
.facts dt, .label { color: var(--quiet); }
.facts dd { margin: 0; }
.essence { padding: 1rem; border-radius: .6rem; background: var(--tint); }
.essence p { margin: 0; }
.essence p + p { margin-top: 1rem; }
.essence small { display: block; margin-top: .4rem; }
.label { display: block; font-size: .875rem; }
.mail-code { font-size: 2rem; line-height: 1.2; letter-spacing: .08em; user-select: all; }
.mail-code span + span { margin-left: .35em; }
iframe {
  display: block; width: 100%; height: 32rem; border: 1px solid var(--line); border-radius: .6rem;
  resize: vertical;
}
pre {
  margin: 0; padding: .9rem; border: 1px solid var(--line); border-radius: .6rem;
  font-size: .875rem; white-space: pre-wrap;
}
`
