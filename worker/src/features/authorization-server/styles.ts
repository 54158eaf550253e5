/** Rules of the pages of the authorization server. */
export const styles: readonly string[] = [
  `
.may{display:grid;gap:.5rem;margin-top:.5rem;padding-inline-start:1.25rem;list-style:disc}
.dim.may{gap:.125rem;margin:.25rem 0}`,
]
