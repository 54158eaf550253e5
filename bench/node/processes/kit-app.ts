import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { signInWithAuthJs } from '../auth-js-sessions.ts'
import { ORIGIN, people, SECRET } from '../contestant.ts'
import { signInWithTokens } from '../tokens.ts'
import type { Greeting, Mode } from './app.ts'

// A SvelteKit app as adapter-node builds it, in a process of its own, with pages that read the
// session or do not.

const [, sessions = '', library = '', folder = ''] = process.argv.slice(2)
const isAuthJs = library === '@auth/sveltekit'
// Auth.js reads ORIGIN, and without it would warn at every request.
const settings = { ORIGIN, AUTH_SECRET: SECRET, ...(isAuthJs ? {} : { AUTH_URL: ORIGIN }) }
Object.assign(process.env, settings)
const signIn = isAuthJs ? signInWithAuthJs : signInWithTokens
const headers = await signIn(people(Number(sessions)))

const built = pathToFileURL(join(folder, 'build/handler.js')).href
const { handler }: { handler: RequestListener } = await import(built)
const server = createServer(handler).listen(0, '127.0.0.1')
// The connections are idle while other apps are measured.
server.keepAliveTimeout = 0
await once(server, 'listening')
process.on('message', (mode: Mode) => {
  Object.assign(globalThis, { isWithoutSession: mode === 'without' })
  process.send?.(0)
})
// The app ends with the bench, also when that fails.
process.once('disconnect', () => process.exit())
const { port } = server.address() as AddressInfo
process.send?.({ port, headers } satisfies Greeting)
