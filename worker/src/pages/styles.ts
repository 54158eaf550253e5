import { paletteOf } from './palette.js'
import {
  cssPicture,
  fontOf,
  ofScheme,
  RADIUS,
  radiusOf,
  SCHEMES,
  type Scheme,
  type Theme,
} from './theme.js'

// Custom properties instead of light-dark() or color-mix(), which older phones lack: people must be
// able to sign in with them.
const rules = `
*{box-sizing:border-box;margin:0}
body{min-height:100vh;min-height:100svh;display:grid;place-items:center;place-content:center;grid-template-columns:minmax(0,1fr);gap:1.25rem;padding:1.5rem 1rem;background:var(--page) var(--picture) center/cover;color:var(--ink);font:1rem/1.5 var(--font);overflow-wrap:anywhere}
main{width:100%;max-width:26rem;padding:2.25rem 2rem;display:grid;gap:1.25rem;grid-template-columns:minmax(0,1fr);background:var(--card);border:1px solid var(--line);border-radius:calc(var(--radius)*1.6);box-shadow:0 1px 2px var(--shade),0 1rem 2.5rem var(--shade)}
header{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem;justify-items:center;text-align:center}
header img{max-width:min(12rem,100%);max-height:3rem}
header picture{display:contents}
header source{display:none}
footer{display:flex;flex-wrap:wrap;justify-content:center;gap:.25rem 1.25rem;padding:.25rem .75rem;color:var(--foot);font-size:.875rem;border-radius:var(--radius)}
footer a{padding:.25rem 0;color:inherit}
footer :focus-visible{outline-color:currentColor}
h1{font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.015em}
h1,.mid{text-wrap:balance}
.lead{margin-top:-.5rem;color:var(--dim);text-wrap:balance}
h2{font-size:1rem;font-weight:600;text-align:center}
.dim{color:var(--dim)}
.mid{text-align:center}
.mark{color:var(--fill)}
.mark :not(rect){fill:var(--text)}
.site{margin:-.5rem 0;color:var(--dim);font-weight:600}
.grid{display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,9rem),1fr))}
.grid>:last-child:nth-child(odd){grid-column:1/-1}
.grid .button{grid-template-columns:1.75rem minmax(0,1fr)}
.grid .button>span{text-align:start}
.grid>:last-child:nth-child(odd) .button{grid-template-columns:1.75rem minmax(0,1fr) 1.75rem}
.grid>:last-child:nth-child(odd) .button>span{text-align:center}
.pair{display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,8rem),1fr))}
.pair:not(:has(>:not([hidden]))){display:none}
.others{margin-top:-.5rem}
.others[open]>.fields{margin-top:1.25rem}
.stack,.fields{display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr)}
.fields{gap:1rem}
label{display:block;margin-bottom:.375rem;font-weight:600;font-size:.9375rem}
input{display:block;width:100%;min-height:2.875rem;padding:.5rem .75rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:var(--radius)}
input[type=checkbox]{width:1.5rem;min-height:1.5rem}
::placeholder{color:var(--dim);opacity:1}
.button{display:grid;grid-template-columns:1.75rem minmax(0,1fr) 1.75rem;gap:.5rem;align-items:center;width:100%;min-height:2.875rem;padding:.5rem .75rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:var(--radius);cursor:pointer}
.button>span{grid-column:2}
.button>:only-child{grid-column:1/-1}
.button:hover{background:var(--soft)}
.main,.main:hover{background:var(--fill);color:var(--text)}
.main{border-color:#80808073}
.main:hover{background:var(--hover)}
.bad{color:var(--bad);border-color:currentColor}
summary{list-style:none}
summary::-webkit-details-marker{display:none}
details .stack{margin-top:.75rem}
.logo{grid-column:1;justify-self:center;display:block;width:1.75rem;height:1.75rem;border-radius:.375rem}
.ring{rx:6px;stroke:var(--edge);stroke-width:2px}
img.logo{padding:.1875rem;background:#fff;object-fit:contain}
.or{display:flex;align-items:center;gap:.75rem;color:var(--dim);font-size:.875rem}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.alert{padding:.75rem .875rem;border:1px solid;border-radius:var(--radius);color:var(--bad);background:var(--bad-bg);font-size:.9375rem}
.note{padding:.75rem .875rem;border:1px solid var(--line);border-radius:var(--radius);background:var(--soft);font-size:.9375rem}
.alert:focus,.note:focus{outline:0}
.marked{position:relative}
.marked .here{position:absolute;background:var(--ink);color:var(--card);inset-block-start:-.625rem;inset-inline-end:.75rem}
.back{font-size:.9375rem}
.back a{color:inherit}
form:not([data-passkey]) .button:focus:not(:focus-visible,:active){animation:once 2s}
@keyframes once{from,to{pointer-events:none}}
.wait-10,.wait-20{display:grid;align-items:center}
.wait-10>*,.wait-20>*{grid-area:1/1}
.wait-10>*{animation:later 10s}
.wait-20>*{animation:later 20s}
.wait-10>p,.wait-20>p{visibility:hidden;animation-name:first}
@keyframes first{from,to{visibility:visible}}
@keyframes later{from,to{visibility:hidden}}
.who{display:grid;grid-template-columns:2.75rem minmax(0,1fr);gap:.25rem .875rem;align-items:center;padding:.875rem;background:var(--soft);border-radius:calc(var(--radius)*1.2);font-size:.9375rem;line-height:1.4}
.who form{grid-column:1/-1;margin-top:.5rem}
.who strong{display:block;font-size:1rem}
.large{justify-items:center;text-align:center;grid-template-columns:minmax(0,1fr);padding:0;background:none}
.large strong{font-size:1.25rem;line-height:1.3}
.large .face{width:5rem;height:5rem;font-size:2rem;line-height:5rem}
.face{position:relative;display:block;width:2.75rem;height:2.75rem;border-radius:50%;object-fit:cover;overflow:hidden;background:var(--fill);color:var(--text);font-weight:600;font-size:1.125rem;line-height:2.75rem;text-align:center}
img.face::after{content:attr(data-letter);position:absolute;inset:0;background:inherit}
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
.brief .session{flex-wrap:nowrap}
.brief .session>div:not(.ask){flex:1 1 0;min-width:0}
.brief .session>form,.brief .session>.button{flex:none}
.brief .session>.button,.brief .session>form>.button{width:fit-content;min-height:2.25rem;padding:.25rem .75rem}
.kind{flex:none;width:2.5rem;height:2.5rem;padding:.5rem;border-radius:var(--radius);background:var(--soft);fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.session>.logo{margin:.375rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem}
.actions>[open]{flex:1 0 100%}
.adding{display:grid;gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,16rem),1fr))}
.adding>.stack{grid-column:1/-1}
.adding>.stack,.session .stack{display:flex;flex-wrap:wrap;align-items:end}
.stack>.button{flex:1 0 auto}
.adding>.stack>div,.session .stack>input{flex:9 1 14rem}
.sure{display:grid;gap:.75rem;justify-items:start;margin-top:.75rem;padding:.875rem;background:var(--bad-bg);border-radius:calc(var(--radius)*1.2)}
.more .adding{margin-top:.75rem}
[popovertarget]+.ask{display:grid;gap:.75rem}
.ask [data-title]::before{content:attr(data-title);font-weight:600}
@supports selector(:popover-open){[popovertarget]+.ask:not(:popover-open){display:none}.ask{position:fixed;inset:0;width:min(26rem,calc(100vw - 2rem));height:fit-content;margin:auto;padding:1.5rem;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:calc(var(--radius)*1.6);box-shadow:0 1rem 2.5rem #0004}.ask .button{width:100%}.ask::backdrop{background:#0008}}
@supports not selector(:popover-open){[popovertarget],.ask p{display:none}}
.button:disabled{opacity:.55;cursor:default}
.here{padding:.0625rem .5rem;border-radius:1rem;background:var(--fill);color:var(--text);font-size:.8125rem;font-weight:600;white-space:nowrap}
code{font:.9375em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
strong{unicode-bidi:isolate}
time{unicode-bidi:plaintext;white-space:nowrap}
code,.code,[type=email]{direction:ltr;unicode-bidi:isolate}
[dir=rtl] h1{letter-spacing:0}
[dir=rtl] [data-turns]{transform:scaleX(-1)}
:lang(ko){word-break:keep-all}
.code{--place:min(2.125rem,(100vw - 5rem)/6);width:calc(6*var(--place) + 2rem);max-width:100%;margin:auto;padding:.5rem 0 .5rem calc(1rem + (var(--place) - 1ch)/2);font:600 1.5rem/1.5 ui-monospace,Menlo,Consolas,monospace;letter-spacing:calc(var(--place) - 1ch);background:repeating-linear-gradient(90deg,#0000 0 .25rem,var(--edge) 0 calc(var(--place) - .25rem),#0000 0 var(--place)) 1rem calc(100% - .5rem)/calc(6*var(--place)) 2px no-repeat var(--card)}
.code+p{margin-top:.625rem}
[aria-invalid]{border-color:var(--bad)}
.qr{width:100%;max-width:15rem;justify-self:center;border-radius:var(--radius)}
.key{white-space:pre-wrap}
.mono{font-family:ui-monospace,Menlo,Consolas,monospace;direction:ltr;unicode-bidi:isolate}
.codes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(11.5rem,100%),1fr));gap:.5rem;padding:.875rem;list-style:none;text-align:center;background:var(--soft);border-radius:calc(var(--radius)*1.2)}
@media print{.button{display:none}}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
input:focus-visible{outline-offset:0}
@media(max-width:30rem){body{padding:0 0 1rem;background:var(--card);place-content:start center}main{padding:2rem 1.25rem 1rem;border:0;box-shadow:none}footer{color:var(--dim)}}
@media(min-width:30.01rem){.wide .button{width:fit-content;padding:.5rem 1rem;grid-template-columns:auto}.wide .adding>:not(.stack) .button{width:100%;grid-template-columns:1.75rem minmax(0,1fr) 1.75rem}.wide .who{grid-template-columns:2.75rem minmax(0,1fr) auto}.wide .who form{grid-column:auto;margin:0}.wide .ask .button{width:100%}.wide .session>.button{flex:none}.wide .large{grid-template-columns:5rem minmax(0,1fr) auto;column-gap:1.25rem;justify-items:start;text-align:start}}
@media(max-width:30rem){.actions>*,.session>form,.session>details,.session>.button{flex:1 1 auto}.session>.button{width:auto}.actions>*{flex-basis:100%}.sure{justify-items:stretch}}
@media(max-width:22rem){.brief .session{flex-wrap:wrap}.brief .session>div:not(.ask){flex:1 1 13rem}.button>span{grid-column:2/-1}}
@media(prefers-reduced-motion:no-preference){.button{transition:background-color .15s}}
@media(forced-colors:active){.button{border-color:ButtonText}}`

/**
 * The style sheet of every page, in the operator's colours. The same theme always gives the same text. Only checked
 * values are in it, each in a form of its own that has no room for other CSS.
 */
export function stylesheet(theme: Theme): string {
  return schemes(theme) + shapes(theme) + rules
}

function schemes(theme: Theme): string {
  const { colorScheme } = theme
  const fixed = SCHEMES.find((scheme) => scheme === colorScheme)
  const own = variablesOf(theme, fixed ?? 'light')
  if (fixed) return `:root{color-scheme:${fixed};${own}}`
  const night = `@media(prefers-color-scheme:dark){:root{${variablesOf(theme, 'dark')}}}`
  return `:root{color-scheme:light dark;${own}}${night}`
}

function variablesOf(theme: Theme, scheme: Scheme): string {
  const picture = cssPicture(ofScheme(theme.background, scheme)) ?? 'none'
  return Object.entries({ ...paletteOf(theme, scheme), picture })
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

/** What is the same in the light and in the dark. */
function shapes({ radius, font, background }: Theme): string {
  const family = fontOf(font)
  // Nobody knows the colours of a picture.
  const foot = background ? 'body footer{background:var(--card);color:var(--dim)}' : ''
  return `:root{--radius:${radiusOf(radius) ?? RADIUS}rem;--font:${family ? `${family},` : ''}${FONTS}}${foot}`
}

const FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'
