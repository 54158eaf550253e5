/** Asks only when the answer is on its way. */
export const load = ({ locals }) => ({
  later: new Promise((resolve) => setTimeout(resolve, 100))
    .then(() => locals.auth())
    .then((session) => session?.user?.name ?? 'nobody'),
})
