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
.others{margin-top:-.5rem}
.others[open]>.fields{margin-top:1.25rem}
.folded[open]>.fields{margin-top:1rem}
.stack,.fields{display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr)}
.fields{gap:1rem}
.button{display:grid;grid-template-columns:1.75rem minmax(0,1fr) 1.75rem;gap:.5rem;align-items:center;width:100%;min-height:2.875rem;padding:.5rem .75rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:var(--radius);cursor:pointer}
.button>span{grid-column:2}
.button>:only-child{grid-column:1/-1}
.button:hover{background:var(--soft)}
.main,.main:hover{background:var(--fill);color:var(--text)}
.main{border-color:#80808073}
.main:hover{background:var(--hover)}
.quiet{display:block;width:fit-content;margin:auto;padding:.25rem;font:inherit;font-size:.9375rem;color:inherit;background:none;border:0;text-decoration:underline;cursor:pointer}
@media(scripting:enabled){[data-script][hidden]:not(p){display:block;visibility:hidden}}
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
.back{font-size:.9375rem}
.folded .back{margin-top:1rem}
.agree{font-size:.875rem}
.agree a{color:inherit}
.back a{padding:.25rem 0;color:inherit}
form:not([data-script]) .button:focus:not(:focus-visible,:active){animation:once 2s}
@keyframes once{from,to{pointer-events:none}}
.who{display:grid;grid-template-columns:2.75rem minmax(0,1fr);gap:.25rem .875rem;align-items:center;padding:.875rem;background:var(--soft);border-radius:calc(var(--radius)*1.2);font-size:.9375rem;line-height:1.4}
.who form{grid-column:1/-1;margin-top:.5rem}
.who strong{display:block;font-size:1rem}
.face{position:relative;display:block;width:2.75rem;height:2.75rem;border-radius:50%;object-fit:cover;overflow:hidden;background:var(--fill);color:var(--text);font-weight:600;font-size:1.125rem;line-height:2.75rem;text-align:center}
img.face::after{content:attr(data-letter);position:absolute;inset:0;background:inherit}
code{font:.9375em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
strong{unicode-bidi:isolate}
time{unicode-bidi:plaintext;white-space:nowrap}
code,.code,[type=email]{direction:ltr;unicode-bidi:isolate}
[dir=rtl] h1{letter-spacing:0}
[dir=rtl] [data-turns]{transform:scaleX(-1)}
:lang(ko){word-break:keep-all}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
@media(max-width:30rem){body{padding:0 0 1rem;background:var(--card);place-content:start center}main{padding:2rem 1.25rem 1rem;border:0;box-shadow:none}footer{color:var(--dim)}}
@media(max-width:22rem){.button>span{grid-column:2/-1}}
@media(prefers-reduced-motion:no-preference){.button{transition:background-color .15s}}
@media(forced-colors:active){.button{border-color:ButtonText}}`

/**
 * The style sheet of every page, in the operator's colors. The same theme always gives the same
 * text. Only checked values are in it, each in a form of its own that has no room for other CSS.
 *
 * @param more rules of features, which are our own text as well
 */
export function stylesheet(theme: Theme, more = ''): string {
  return schemes(theme) + shapes(theme) + rules + more
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

/** The rules that light and dark share. */
function shapes({ radius, font, background }: Theme): string {
  const family = fontOf(font)
  // The colors of a picture are unknown.
  const foot = background ? 'body footer{background:var(--card);color:var(--dim)}' : ''
  return `:root{--radius:${radiusOf(radius) ?? RADIUS}rem;--font:${family ? `${family},` : ''}${FONTS}}${foot}`
}

const FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'
