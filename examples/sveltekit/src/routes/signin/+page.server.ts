import { CredentialsSignin } from '@latchkey/sveltekit'
import { fail } from '@sveltejs/kit'
import { signIn } from '../../auth.server.ts'
import { listProviders } from '../../providers.server.ts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = async ({ fetch, url }) => ({
  title: 'Sign in',
  providers: await listProviders(fetch),
  redirectTo: url.searchParams.get('callbackUrl') ?? '/',
  error: url.searchParams.get('error'),
  code: url.searchParams.get('code'),
})

export const actions: Actions = {
  default: async (event) => {
    try {
      await signIn(event)
    } catch (error) {
      // `signIn` also throws Kit's redirects, which Kit must get.
      if (!(error instanceof CredentialsSignin)) throw error
      const { code, retryAfter } = error
      return fail(retryAfter ? 429 : 400, { code, retryAfter })
    }
  },
}
