// Rules that several features need. A service has each once, and none if no feature of it does.

/** Fields where people type. */
export const FIELDS = `
label{display:block;margin-bottom:.375rem;font-weight:600;font-size:.9375rem}
input{display:block;width:100%;min-height:2.875rem;padding:.5rem .75rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:var(--radius)}
input[type=checkbox]{width:1.5rem;min-height:1.5rem}
::placeholder{color:var(--dim);opacity:1}
[aria-invalid]{border-color:var(--bad)}
input:focus-visible{outline-offset:0}`

/** A field for a code of six digits. */
export const CODE = `
.code{--place:min(2.125rem,(100vw - 5rem)/6);width:calc(6*var(--place) + 2rem);max-width:100%;margin:auto;padding:.5rem 0 .5rem calc(1rem + (var(--place) - 1ch)/2);font:600 1.5rem/1.5 ui-monospace,Menlo,Consolas,monospace;letter-spacing:calc(var(--place) - 1ch);background:repeating-linear-gradient(90deg,#0000 0 .25rem,var(--edge) 0 calc(var(--place) - .25rem),#0000 0 var(--place)) 1rem calc(100% - .5rem)/calc(6*var(--place)) 2px no-repeat var(--card)}
.code+p{margin-top:.625rem}`

/** A mark on one of several things. */
export const HERE = `
.here{padding:.0625rem .5rem;border-radius:1rem;background:var(--fill);color:var(--text);font-size:.8125rem;font-weight:600;white-space:nowrap}`
