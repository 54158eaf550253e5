import { CredentialsSignin } from '@latchkey/sveltekit'
import { fail } from '@sveltejs/kit'
import { signIn } from '../../auth.server.js'

export const actions = {
  async default(event) {
    try {
      return await signIn(event)
    } catch (error) {
      if (error instanceof CredentialsSignin) return fail(400, { code: error.code })
      throw error
    }
  },
}
