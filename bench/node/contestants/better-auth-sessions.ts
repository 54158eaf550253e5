import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { cookieHeader, forEach, ORIGIN, type Person, SECRET } from '../contestant.ts'

/** A session lasts as long as any here; its copy in a cookie too, so that none is refreshed. */
const HOUR = 60 * 60
const WEEK = 7 * 24 * HOUR

const options = { method: 'POST', metadata: { $Infer: { body: {} as Person } } } as const

/** Sets the cookies that signing in sets, without a password that takes its time to check. */
const signInAs = {
  id: 'sign-in-as',
  endpoints: {
    signInAs: createAuthEndpoint('/sign-in-as', options, async (ctx) => {
      const person = ctx.body
      const now = new Date()
      const dates = { createdAt: now, updatedAt: now }
      const expiresAt = new Date(now.getTime() + WEEK * 1000)
      const ids = { id: crypto.randomUUID(), userId: person.id }
      const agent = { ipAddress: '127.0.0.1', userAgent: 'bench' }
      const session = { ...ids, ...dates, ...agent, expiresAt, token: crypto.randomUUID() }
      await setSessionCookie(ctx, { session, user: { ...person, ...dates, emailVerified: true } })
      return ctx.json({})
    }),
  },
}

/** better-auth with its cookie cache, so that a read needs no database. */
export const auth = betterAuth({
  baseURL: ORIGIN,
  secret: SECRET,
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  session: { expiresIn: WEEK, cookieCache: { enabled: true, maxAge: HOUR } },
  plugins: [signInAs],
})

export function signIn(people: readonly Person[]): Promise<string[]> {
  return forEach(people, async (body) => {
    const { headers } = await auth.api.signInAs({ body, returnHeaders: true })
    const cookies = headers.getSetCookie().map((line) => {
      const pair = line.split(';', 1)[0] ?? ''
      const at = pair.indexOf('=')
      return { name: pair.slice(0, at), value: pair.slice(at + 1) }
    })
    return cookieHeader(...cookies)
  })
}
