import { redirect } from '@sveltejs/kit'

export async function load({ locals }) {
  const session = await locals.auth()
  if (!session?.user) redirect(303, '/app/auth/signin?callbackUrl=/app/members')
  return { session }
}
