import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { Browser, location, type Service, service } from './support.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an authenticator app shows for a key. */
function codeOf(key: string, steps = 0): string {
  const bits = [...key].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = (bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
  const mac = createHmac('sha1', Buffer.from(bytes)).update(counter).digest()
  const offset = (mac.at(-1) as number) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

async function entered(of: Service, username: string): Promise<[Browser, Response]> {
  const browser = new Browser(of)
  const fields = { username, password: 'open sesame', callbackUrl: '/inbox' }
  return [browser, await browser.post('/auth/callback/credentials', fields)]
}

/** Sets a factor up for somebody who has signed in. */
async function setUp(browser: Browser) {
  const page = await (await browser.go('/auth/factor/setup')).text()
  const key = (/class="key">([^<]+)</.exec(page)?.[1] ?? '').replaceAll(' ', '')
  // A step ahead, so that the code of now is none that was used: of a step before it.
  const answer = await browser.post('/auth/factor/setup', { code: codeOf(key, -1) })
  const codes = [...(await answer.text()).matchAll(/<li><code>([^<]+)/g)].map(([, code]) => code)
  return { key, codes }
}

test.each([1, 4])(
  'at the real object (%i of them) a second factor is asked for, and each code works once under 200 parallel tries',
  async (ledgerShards) => {
    const unlimited: object = { RATE_LIMIT: { limit: async () => ({ success: true }) } }
    const of = service({ ledgerShards }, unlimited)
    const name = `grace-${ledgerShards}`
    const [grace] = await entered(of, name)
    const { key, codes } = await setUp(grace)
    expect(codes).toHaveLength(10)
    for (const code of [codeOf(key), codes[0] ?? '']) {
      const waiting: { browser: Browser; csrfToken: string }[] = []
      // As many as a person may try in an hour are judged.
      for (let at = 0; at < 20; at++) {
        const [browser, first] = await entered(of, name)
        expect(location(first).pathname).toBe('/auth/factor')
        const { csrfToken } = await (await browser.go('/auth/csrf')).json<{ csrfToken: string }>()
        waiting.push({ browser, csrfToken })
      }
      const tries = Array.from({ length: 200 }, (_, at) => {
        const { browser, csrfToken } = waiting[at % waiting.length] as (typeof waiting)[number]
        const body = new URLSearchParams({ csrfToken, code })
        const headers = { 'cf-connecting-ip': `203.0.113.${at}` }
        return browser.go('/auth/factor', { method: 'POST', body, headers })
      })
      const answers = await Promise.all(tries)
      const begun = answers.filter((answer) =>
        answer.headers.getSetCookie().some((line) => /^auth\.session-token=[^;]/.test(line)),
      )
      expect(begun).toHaveLength(1)
    }
    await of.auth.resetFactors(grace.claims.sub, of.env)
    const [, direct] = await entered(of, name)
    expect(location(direct).pathname).toBe('/inbox')
    await of.auth.deletePerson(grace.claims.sub, of.env)
  },
  60_000,
)
