import { redirect } from '@sveltejs/kit'
import { type Handle, sequence } from '@sveltejs/kit/hooks'
import { building } from '$app/env'
import { handle as authentication } from './auth.server.ts'
import { signInPath } from './sign-in-path.ts'

/** Everything below this path needs a session, its data and its actions included. */
const authorization: Handle = async ({ event, resolve }) => {
  // A build follows the links of prerendered pages, and would keep a redirect as a file.
  if (building) return resolve(event)
  const { pathname } = event.url
  if (pathname === '/authenticated' || pathname.startsWith('/authenticated/')) {
    const session = await event.locals.auth()
    if (!session?.user) redirect(303, signInPath(event.url))
  }
  return resolve(event)
}

export const handle = sequence(authentication, authorization)
