import { redirect } from '@sveltejs/kit'

const signIn = '/app/auth/signin?maxAge=300&callbackUrl=/app/payout'

export async function load({ locals }) {
  const session = await locals.auth({ maxAge: 300 })
  if (!session) redirect(303, signIn)
  return { strong: (await locals.auth({ acr: '2' })) !== null }
}

export const actions = {
  default: async ({ locals }) => {
    if (!(await locals.auth({ maxAge: 300 }))) redirect(303, signIn)
    return { paid: true }
  },
}
