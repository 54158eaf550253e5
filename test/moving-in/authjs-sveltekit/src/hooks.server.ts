import { type Handle, redirect } from '@sveltejs/kit'
import { sequence } from '@sveltejs/kit/hooks'
import { handle as authentication } from './auth'

const authorization: Handle = async ({ event, resolve }) => {
  if (event.url.pathname.startsWith('/members')) {
    const session = await event.locals.auth()
    if (!session?.user) redirect(303, '/signin')
  }
  return resolve(event)
}

export const handle = sequence(authentication, authorization)
