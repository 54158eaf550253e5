import { expect, test } from 'vitest'
import { Browser, bindings, type Service, service } from './support.ts'

/** Each number of objects has its own, since KV is one. */
const hostileIds = (objects: number) => [
  `${objects}`,
  `a:b:${objects}`,
  `a/../b?c#d${objects}`,
  `"'<script>%00${objects}`,
  objects > 1 ? 'constructor' : '__proto__',
  `email:${`${objects}`.repeat(22)}`,
  `${objects}`.repeat(255),
  String.fromCodePoint(0x1f600 + objects).repeat(255),
]

async function signedInAs(of: Service, username: string): Promise<Browser> {
  const browser = new Browser(of)
  await browser.post('/auth/callback/credentials', { username, password: 'open sesame' })
  return browser
}

const sessionsOf = async (browser: Browser) =>
  (await (await browser.go('/auth/sessions')).json<{ sessions: readonly object[] }>()).sessions

test.each([1, 4])(
  'an id of any spelling belongs to one person, in KV and at the real object (%i of them)',
  async (ledgerShards) => {
    const ids = hostileIds(ledgerShards)
    const triggers: unknown[] = []
    const of = service({
      ledgerShards,
      subject: ({ user }) => ids[Number(user.id?.split(' ')[0])],
      callbacks: {
        jwt: ({ token, trigger }) => {
          if (trigger) triggers.push(trigger)
          return token
        },
      },
    })
    const { auth, env } = of
    const name = (at: number) => `${at} of ${ledgerShards}`
    for (const [at, sub] of ids.entries()) {
      const [one, other] = [await signedInAs(of, name(at)), await signedInAs(of, name(at))]
      expect([one.claims.sub, (await one.session())?.user.id]).toEqual([sub, sub])
      expect(triggers.splice(0)).toEqual(['signUp', 'signIn'])
      expect(await sessionsOf(one)).toHaveLength(2)
      await one.post('/auth/sessions/revoke', { session: other.claims.sid })
      await one.settle()
      expect(await sessionsOf(one)).toHaveLength(1)
      // Another person’s account stays theirs.
      const stranger = await signedInAs(of, `${name(at)}, a stranger`)
      expect(stranger.cookies.has('auth.session-token')).toBe(false)
      expect(await auth.exportPerson(sub, env)).toMatchObject({ sub, sessions: [{}] })
    }
    for (const { name: key } of (await bindings.SESSIONS.list({ prefix: 'session:' })).keys) {
      expect(new TextEncoder().encode(key).length).toBeLessThan(512)
    }
    const [first = '', second = ''] = ids
    await auth.deletePerson(first, env)
    expect(await auth.exportPerson(first, env)).toBeNull()
    expect(await auth.exportPerson(second, env)).toMatchObject({ sub: second })
    const freed = await signedInAs(of, `${name(0)}, a stranger`)
    expect(freed.claims.sub).toBe(first)
  },
)
