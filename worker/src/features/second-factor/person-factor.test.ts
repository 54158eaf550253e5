import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { AuthRequest } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import { composeService } from '../../service/compose-service.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { sqliteRows } from '../../stores/ledger/sqlite-rows.js'
import { memoryStore } from '../../stores/memory.js'
import { claimsIn, configWith, origin } from '../../test-support/browser.js'
import { ledgerOver } from '../../test-support/ledger-over.js'
import { asStore, ownLedger } from '../../test-support/own-ledger.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { emptyDatabase } from '../../test-support/sqlite.js'
import { EVERYTHING } from '../all.js'
import { useCode } from './use-code.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) })

/** A ledger over rows, with another time for each call. */
function slowLedger(): Ledger {
  const ledger = ledgerOver(sqliteRows(emptyDatabase()), Date.now)
  let calls = 0
  const methods = Object.entries(ledger).map(([name, run]) => [
    name,
    async (...given: unknown[]) => {
      await new Promise((resolve) => setTimeout(resolve, (calls++ * 7) % 5))
      return (run as (...given: unknown[]) => Promise<unknown>)(...given)
    },
  ])
  return ownLedger(Object.fromEntries(methods) as unknown as Ledger)
}

it.each(['of an app', 'for recovery'])(
  'one of 200 parallel judges in isolates of their own finds a code %s right',
  async (kind) => {
    const store = asStore({ sessions: memoryStore().sessions, ledger: slowLedger() })
    const ada = await people({ store }).signIn('one', 'ada')
    const { app, codes } = await setUpFactor(ada)
    const { sub } = claimsIn(ada)
    pass(30)
    const code = kind === 'of an app' ? app.code() : (codes[0] ?? '')
    const requestOf = async () => {
      const parts = await composeService(configWith({ store }), { env: {}, builtIn: EVERYTHING })
      return new AuthRequest(new Request(origin), origin, parts, origin, () => {})
    }
    const isolates = await Promise.all(Array.from({ length: 8 }, requestOf))
    const judged = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const request = isolates[at % 8] as AuthRequest
        return useCode(request, sub, code, await readPerson(request, sub))
      }),
    )
    expect(judged.filter(Boolean)).toHaveLength(1)
  },
)

it('a lost answer makes no code right twice: the written mark shows which write it was', async () => {
  const inner = memoryStore()
  const ada = await people({ store: inner }).signIn('one', 'ada')
  const { codes } = await setUpFactor(ada)
  const { sub } = claimsIn(ada)
  const changeDocument = inner.ledger.changeDocument as NonNullable<Ledger['changeDocument']>
  // The first caller's write takes effect; the second one's never arrives, and its answer is an error.
  let calls = 0
  const ledger: Ledger = {
    ...inner.ledger,
    async changeDocument(...given) {
      if (++calls % 2 === 1) return changeDocument(...given)
      throw new Error('Unknown.')
    },
  }
  const store = asStore({ sessions: inner.sessions, ledger })
  const parts = await composeService(configWith({ store }), { env: {}, builtIn: EVERYTHING })
  const request = new AuthRequest(new Request(origin), origin, parts, origin, () => {})
  const read = await readPerson(request, sub)
  const tries = [0, 1].map(() => useCode(request, sub, codes[0] ?? '', read).catch(() => 'failed'))
  const judged = await Promise.all(tries)
  expect(judged.filter((one) => one !== 'failed' && one !== undefined)).toHaveLength(1)
})
