/** Rules of the pages of the authorization server. */
export const styles: readonly string[] = [
  `
.may{display:grid;gap:.5rem;margin-block:.5rem;padding-inline-start:1.25rem;list-style:disc}
.dim.may{gap:.125rem;margin:.25rem 0}
fieldset{border:0;margin:0;padding:0;min-width:0}
fieldset.may{padding:0;margin:0}
legend{padding:0;margin-bottom:.25rem;font-size:.9375rem;font-weight:600}
fieldset label{display:flex;gap:.625rem;align-items:center;font-weight:400}
fieldset input{flex:none;margin:0}
.key code{display:block;padding:.875rem;border-radius:var(--radius);background:var(--soft);font-family:ui-monospace,monospace;font-size:.875rem;overflow-wrap:anywhere;user-select:all}`,
]
