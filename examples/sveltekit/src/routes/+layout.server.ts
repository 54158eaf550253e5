import type { LayoutServerLoad } from './$types'

/** The session, for every page. Protected pages check it themselves: a layout guards nothing. */
export const load: LayoutServerLoad = async ({ locals }) => {
  return { session: await locals.auth() }
}
