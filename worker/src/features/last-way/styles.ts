import { HERE } from '../../pages/shared-styles.js'

/** Rules of the mark on the way that was used last. */
export const styles: readonly string[] = [
  HERE,
  `
.marked{position:relative}
.marked .here{position:absolute;background:var(--ink);color:var(--card);inset-block-start:-.625rem;inset-inline-end:.75rem}`,
]
