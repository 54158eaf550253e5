import { redirect } from '@sveltejs/kit'
import { signInPath } from '../../sign-in-path.ts'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async ({ locals, url }) => {
  const session = await locals.auth()
  if (!session?.user) redirect(303, signInPath(url))
  return { title: 'Members', user: session.user, password: 'swordfish' }
}
