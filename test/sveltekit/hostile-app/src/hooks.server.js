import { error, redirect } from '@sveltejs/kit'
import { sequence } from '@sveltejs/kit/hooks'
import { handle as authentication } from './auth.server.js'

/** The example of the README, below the app's own base path. */
async function authorization({ event, resolve }) {
  if (event.url.pathname.startsWith('/app/authenticated')) {
    const session = await event.locals.auth()
    if (!session?.user) redirect(303, '/app/auth/signin')
  }
  return resolve(event)
}

/** Throws an error after a look at the session, so that Kit answers without the app. */
async function failing({ event, resolve }) {
  if (event.request.headers.has('x-fail')) {
    await event.locals.auth()
    error(404, 'Gone by the hook')
  }
  return resolve(event)
}

export const handle = sequence(authentication, authorization, failing)

export async function handleError({ event, kind }) {
  const session = await event.locals.auth?.()
  console.log(`handleError of ${kind} for ${session?.user?.name ?? 'nobody'}`)
}

process.on('unhandledRejection', (fault) => console.log('UNHANDLED', fault))
