import { answered } from './answered.js'

/** Asks only when the answer is on its way. */
export const load = ({ locals }) => ({
  later: answered()
    .then(() => locals.auth())
    .then((session) => session?.user?.name ?? 'nobody'),
})
