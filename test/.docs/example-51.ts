// src/routes/payout/+page.server.ts
import { type Actions, redirect, type ServerLoad } from '@sveltejs/kit'

export const load: ServerLoad = async ({ locals, url }) => {
  const session = await locals.auth({ maxAge: 300 })
  const page = encodeURIComponent(url.pathname + url.search)
  if (!session?.user) redirect(303, `/auth/signin?maxAge=300&callbackUrl=${page}`)
  return { name: session.user.name }
}

export const actions: Actions = {
  default: async ({ locals }) => {
    const session = await locals.auth({ maxAge: 300 })
    // The form is not sent again: the user comes back to its page.
    if (!session?.user) redirect(303, '/auth/signin?maxAge=300&callbackUrl=/payout')
    return { paid: true }
  },
}
