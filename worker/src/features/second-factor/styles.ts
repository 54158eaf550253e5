import { CODE, FIELDS } from '../../pages/shared-styles.js'

/** Rules of the pages of a second factor. */
export const styles: readonly string[] = [
  FIELDS,
  CODE,
  `
.pair{display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,8rem),1fr))}
.pair:not(:has(>:not([hidden]))){display:none}
.qr{width:100%;max-width:15rem;justify-self:center;border-radius:var(--radius)}
.key{white-space:pre-wrap}
.mono{font-family:ui-monospace,Menlo,Consolas,monospace;direction:ltr;unicode-bidi:isolate}
.codes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(18.5rem,100%),1fr));gap:.5rem;padding:.875rem;list-style:none;text-align:center;background:var(--soft);border-radius:calc(var(--radius)*1.2)}
@media print{.button{display:none}}`,
]
