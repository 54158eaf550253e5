import { ComponentKitAuth } from '@latchkey/sveltekit'
import { eventOf } from '@latchkey/sveltekit/test-app'
import { isHttpError } from '@sveltejs/kit'
import { page } from './app.ts'
import { adapterContract } from './contract.ts'

/** As Kit answers what a page or a hook throws. */
const thrown = (error: unknown) => {
  if (isHttpError(error)) return Response.json(error.body, { status: error.status })
  throw error
}

adapterContract('SvelteKit', {
  // The app's own hook is one.
  hasGuard: false,
  start(config) {
    const { handle } = ComponentKitAuth(config)
    return async (request) => {
      const event = eventOf(request)
      const resolve = () => page(request, event.locals.auth).catch(thrown)
      return handle({ event, resolve }).catch(thrown)
    }
  },
})
