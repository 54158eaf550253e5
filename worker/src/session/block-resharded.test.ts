import { expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import { Browser, claimsIn, configWith, errorOf, secret } from '../test-support/browser.js'
import { mailProvider } from '../test-support/email.js'
import { FakeKv } from '../test-support/kv.js'
import { accountsAt } from '../test-support/people.js'
import { Objects } from '../test-support/resharding.js'
import type { VerificationRequest } from '../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const BLOCKED = '/auth/error AccessDenied blocked'

/** A Worker whose ledger has objects that hand over, at isolates that know these numbers of objects. */
function worker() {
  const objects = new Objects()
  const mails: VerificationRequest[] = []
  const { store: _, ...config } = configWith({
    providers: [accountsAt('one'), mailProvider(mails)],
  })
  const env = {
    AUTH_SECRET: secret,
    SESSIONS: new FakeKv().at('here'),
    LEDGER: objects.binding(),
  }
  return {
    objects,
    isolate(...ledgerShards: number[]) {
      const auth = createAuth({ ...config, ledgerShards })
      const isolateEnv = { ...env }
      const answer = (request: Request) => auth.fetch(request, isolateEnv)
      return {
        auth,
        env: isolateEnv,
        async tell(provider: string, account: string) {
          pass(1)
          const one = new Browser(config, { answer })
          if (provider === 'one') return { one, told: errorOf(await one.signIn('one', account)) }
          await one.submit('/auth/signin/email', { email: account, callbackUrl: '/inbox' })
          const { pathname, search } = new URL(mails.at(-1)?.url ?? '')
          return { one, told: errorOf(await one.get(pathname + search)) }
        },
      }
    },
  }
}

const PEOPLE: readonly (readonly [provider: string, account: string])[] = [
  ['one', 'ada'],
  ['email', 'grace@people.example'],
]

it.each([
  [1, 4],
  [4, 1],
  [4, 8],
])(
  'attack: while %i objects become %i, and afterwards, a blocked person signs in at isolates of each kind',
  async (from, to) => {
    const { objects, isolate } = worker()
    const old = isolate(from)
    const subs = await Promise.all(
      PEOPLE.map(async (way) => claimsIn((await old.tell(...way)).one).sub),
    )
    for (const [at, sub] of subs.entries()) {
      // One is blocked by the old isolates, and one while both numbers are known.
      const by = at === 0 ? old : isolate(from, to)
      await by.auth.blockPerson({ sub }, by.env)
    }
    for (const shards of [[from], [from, to]]) {
      for (const way of PEOPLE) expect((await isolate(...shards).tell(...way)).told).toBe(BLOCKED)
    }
    await objects.reshard(from, to)
    await objects.settle()
    for (const shards of [[from, to], [to]]) {
      for (const way of PEOPLE) expect((await isolate(...shards).tell(...way)).told).toBe(BLOCKED)
    }
    const last = isolate(to)
    for (const sub of subs) await last.auth.unblockPerson(sub, last.env)
    for (const way of PEOPLE) expect((await last.tell(...way)).told).toBe('/inbox')
  },
)
