import { CODE, FIELDS } from '../../pages/shared-styles.js'

/** Rules of the page that asks for the code of a mail. */
export const styles: readonly string[] = [
  FIELDS,
  CODE,
  `
.wait-10,.wait-20{display:grid;align-items:center}
.wait-10>*,.wait-20>*{grid-area:1/1}
.wait-10>*{animation:later 10s}
.wait-20>*{animation:later 20s}
.wait-10>p,.wait-20>p{visibility:hidden;animation-name:first}
.wait-10>p,.wait-20>p{color:var(--dim);border-style:dashed;font-weight:400;cursor:default}
@keyframes first{from,to{visibility:visible}}
@keyframes later{from,to{visibility:hidden}}`,
]
