import type { LayoutServerLoad } from './$types'

/** Who is signed in, for every page. What is protected asks for itself: a layout guards nothing. */
export const load: LayoutServerLoad = async ({ locals }) => {
  return { session: await locals.auth() }
}
