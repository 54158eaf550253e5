import type { APIRoute } from 'astro'

/** For scripts. `handle` answers with the refusal that is thrown here: 401 and JSON. */
export const GET: APIRoute = async ({ locals }) => {
  const { user } = await locals.auth.requireSession({ redirectTo: '/auth/signin' })
  return Response.json(user)
}
