import type { AuthRequest } from './request.js'

/** What browsers and their extensions say where nobody has clicked yet (Fetch, `Sec-Purpose`; older names). */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

/** Is it a prefetch of the browser, and not a click of a person? Such a request must change nothing. */
export function looksAhead({ original }: AuthRequest): boolean {
  const said = PURPOSES.map((name) => original.headers.get(name)).join()
  return /prefetch|prerender|preview/i.test(said)
}
