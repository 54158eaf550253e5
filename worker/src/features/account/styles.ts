import { FIELDS, HERE } from '../../pages/shared-styles.js'

/** Rules of the account page, and of the sections of features. */
export const styles: readonly string[] = [
  FIELDS,
  HERE,
  `
h2{font-size:1rem;font-weight:600;text-align:center}
.bad{color:var(--bad);border-color:currentColor}
.large{justify-items:center;text-align:center;grid-template-columns:minmax(0,1fr);padding:0;background:none}
.large strong{font-size:1.25rem;line-height:1.3}
.large .face{width:5rem;height:5rem;font-size:2rem;line-height:5rem}
.wide{max-width:46rem}
.wide h2{font-size:1.125rem;text-align:start}
.wide h2 a{color:inherit;text-decoration:none}
.wide h2 a::after{content:"\\203a";display:inline-block;margin-inline-start:.5rem;color:var(--dim)}
.wide h2 a:hover{text-decoration:underline}
.part{display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr)}
.tabs{display:flex;flex-wrap:wrap;gap:.25rem}
.tabs a{padding:.5rem .625rem;border-radius:var(--radius);color:var(--dim);font-size:.9375rem;font-weight:600;text-decoration:none}
.tabs a:hover,.tabs [aria-current]{color:var(--ink);background:var(--soft)}
.rows{padding:0;list-style:none;border:1px solid var(--line);border-radius:calc(var(--radius)*1.2)}
.session{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;padding:.875rem;font-size:.9375rem;line-height:1.4}
.session+.session{border-top:1px solid var(--line)}
.session>div{flex:1 1 13rem}
.session>[open]{flex:1 0 100%;order:1}
.marks{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;padding:.875rem;font-size:.9375rem}
.marks li{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem}
.adding :not(.stack)>.button>span{text-align:start}
.kind{flex:none;width:2.5rem;height:2.5rem;padding:.5rem;border-radius:var(--radius);background:var(--soft);fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.session>.logo{margin:.375rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem}
.actions>[open]{flex:1 0 100%}
.adding{display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr)}
.adding .stack,.session .stack{display:flex;flex-wrap:wrap;align-items:end}
.stack>.button{flex:1 0 auto}
.adding .stack>div,.session .stack>input{flex:9 1 14rem}
.sure{display:grid;gap:.75rem;justify-items:start;margin-top:.75rem;padding:.875rem;background:var(--bad-bg);border-radius:calc(var(--radius)*1.2)}
.adding .adding{margin-top:.75rem}
[popovertarget]+.ask{display:grid;gap:.75rem}
.ask [data-title]::before{content:attr(data-title);font-weight:600}
@supports selector(:popover-open){[popovertarget]+.ask:not(:popover-open){display:none}.ask{position:fixed;inset:0;width:min(26rem,calc(100vw - 2rem));height:fit-content;margin:auto;padding:1.5rem;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:calc(var(--radius)*1.6);box-shadow:0 1rem 2.5rem #0004}.ask .button{width:100%}.ask::backdrop{background:#0008}}
@supports not selector(:popover-open){[popovertarget],.ask p{display:none}}
.button:disabled{opacity:.55;cursor:default}
@media(min-width:30.01rem){.wide .button{width:fit-content;padding:.5rem 1rem;grid-template-columns:auto}.wide .adding :not(.stack)>.button{width:100%;grid-template-columns:1.75rem minmax(0,1fr) 1.75rem}.wide .who{grid-template-columns:2.75rem minmax(0,1fr) auto}.wide .who form{grid-column:auto;margin:0}.wide .ask .button{width:100%}.wide .session>.button{flex:none}.wide .large{grid-template-columns:5rem minmax(0,1fr) auto;column-gap:1.25rem;justify-items:start;text-align:start}}
@media(min-width:20rem) and (max-width:30rem){.tabs{flex-wrap:nowrap;margin:-.25rem -1.25rem;padding:.25rem 1.25rem;overflow-x:auto;scroll-padding:0 1.25rem;scrollbar-width:none;white-space:nowrap;mask-image:linear-gradient(90deg,#0000,#000 1.25rem calc(100% - 1.25rem),#0000)}.tabs [aria-current]{scroll-initial-target:nearest}}
@media(max-width:30rem){.actions>*,.session>form,.session>details,.session>.button{flex:1 1 auto}.session>.button{width:auto}.actions>*{flex-basis:100%}.sure{justify-items:stretch}}`,
]
