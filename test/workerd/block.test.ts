import { expect, test } from 'vitest'
import { Browser, location, type Service, service } from './support.ts'

/** Signs in with a password, as a person of that name. @returns the words that the browser got */
async function tell(of: Service, username: string, browser = new Browser(of)): Promise<string> {
  const fields = { username, password: 'open sesame', callbackUrl: '/inbox' }
  const { pathname, searchParams } = location(
    await browser.post('/auth/callback/credentials', fields),
  )
  return [pathname, searchParams.get('error'), searchParams.get('code')].filter(Boolean).join(' ')
}

const later = () => new Promise((resolve) => setTimeout(resolve, 1_100))

test.each([1, 4])(
  'a blocked person signs in by no way, and again after the block, at the real object (%i of them)',
  async (ledgerShards) => {
    const of = service({ ledgerShards })
    const name = `blocked-${ledgerShards}`
    const ada = new Browser(of)
    expect(await tell(of, name, ada)).toBe('/inbox')
    const { sub } = ada.claims
    await of.auth.blockPerson({ sub, reason: 'Spam' }, of.env)
    const online = await ada.go('/auth/session?online=1')
    expect(await online.json()).toBeNull()
    await later()
    expect(await tell(of, name)).toBe('/auth/error AccessDenied blocked')
    expect(await of.auth.getPerson(sub, of.env)).toEqual({
      sub,
      blocked: { since: expect.any(String), reason: 'Spam' },
      sessions: 0,
      ways: 0,
      connections: 0,
      factors: [],
    })
    // An isolate that knows another number of objects finds it as well, while the documents are in both.
    if (ledgerShards === 4) {
      const both = service({ ledgerShards: [4, 8] })
      expect(await tell(both, name)).toBe('/auth/error AccessDenied blocked')
    }
    expect(await tell(of, `${name}-other`)).toBe('/inbox')
    await of.auth.unblockPerson(sub, of.env)
    await later()
    expect(await tell(of, name)).toBe('/inbox')
    expect(of.errors.map(({ message }) => message)).toEqual(
      Array(of.errors.length).fill('The person is blocked.'),
    )
  },
)
