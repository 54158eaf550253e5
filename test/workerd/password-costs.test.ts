import type { VerificationRequest } from '@latchkey/worker'
import { passwords } from '@latchkey/worker/features/passwords'
import email from '@latchkey/worker/providers/email'
import password from '@latchkey/worker/providers/password'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { countingLedger, countRows } from './counted-ledger.ts'
import { Browser, countingKv, service } from './support.ts'

// What passwords cost in real objects and the real KV, with the module that workerd hashes with.

const { pass } = clock({ start: 'now' })

let count: Awaited<ReturnType<typeof countRows>>
beforeAll(async () => {
  count = await countRows()
})
afterAll(() => count.restore())

const GOOD = 'a long enough phrase'
const OTHER = 'another long phrase'
let people = 0

/** An isolate whose calls are counted, and a new person in front of it. */
function world(objects: number, withPasswords = true) {
  const { ledger, calls } = countingLedger()
  const { kv, calls: ofKv } = countingKv()
  const mails: VerificationRequest[] = []
  const mail = email({
    from: 'sign-in@mail.example',
    sendVerificationRequest: (one) => void (one.purpose !== 'notice' && mails.push(one)),
  })
  const of = service(
    {
      ledgerShards: objects,
      features: withPasswords ? [passwords] : [],
      providers: withPasswords ? [mail, password()] : [mail],
    },
    { LEDGER: ledger, SESSIONS: kv },
  )
  const address = `ada-${++people}@mail.example`
  const post = async (one: Browser, path: string, fields: Record<string, string>) => {
    const answer = await one.post(path, fields)
    await one.settle()
    return answer
  }
  /** Ledger calls, rows with their index entries, and what KV wrote. */
  const costOf = async (run: () => Promise<unknown>) => {
    // Counts by network are of a minute, and what each isolate knows is a few seconds old.
    pass(61)
    const before = [calls.length, count.written, ofKv.length] as const
    await run()
    const writes = ofKv.slice(before[2]).filter((name) => name === 'put' || name === 'delete')
    return [calls.slice(before[0]), count.written - before[1], writes] as const
  }
  const open = async (one: Browser, asked: Promise<Response>) => {
    await asked
    const link = new URL(mails.at(-1)?.url ?? '')
    return one.go(link.pathname + link.search)
  }
  return {
    costOf,
    open,
    browser: () => new Browser(of),
    address,
    byMail: (one: Browser, to = address) =>
      open(one, post(one, '/auth/signin/email', { email: to })),
    set: (one: Browser, fields: Record<string, string>) => post(one, '/auth/password/set', fields),
    post,
    signIn: (one: Browser, text: string, to = address) =>
      post(one, '/auth/callback/password', { email: to, password: text }),
  }
}

type World = ReturnType<typeof world>

/** Is something within its row of the table in docs/passwords.md? */
async function expectCost(
  of: World,
  run: () => Promise<Response>,
  { calls, rows, writes, ends }: { calls: number; rows: number; writes: number; ends: RegExp },
) {
  let answer = new Response()
  const cost = await of.costOf(async () => {
    answer = await run()
  })
  const [names, written, ofKv] = cost
  expect([
    answer.headers.get('location'),
    names.length <= calls || names,
    written <= rows || written,
    ofKv.length <= writes || ofKv,
  ]).toEqual([expect.stringMatching(ends), true, true, true])
}

const RIGHT = { calls: 6, rows: 16, writes: 1, ends: /:8787\/$/ }
const WRONG = { calls: 4, rows: 10, writes: 0, ends: /code=credentials$/ }
const CHANGE = { calls: 6, rows: 4, writes: 0, ends: /auth\/account$/ }

test('a password costs what docs/passwords.md says, with the first address and with an added one', async () => {
  const of = world(1)
  const ada = of.browser()
  await of.byMail(ada)
  await expectCost(of, () => of.set(ada, { password: GOOD }), CHANGE)
  for (const address of [of.address, `also-${of.address}`]) {
    if (address !== of.address) {
      await of.byMail(ada)
      await of.open(ada, of.post(ada, '/auth/ways/add', { provider: 'email', email: address }))
      // The first sign-in of a day writes when an added way was used, whatever it is.
      await of.byMail(of.browser(), address)
    }
    // The person of an added address is found by one call more.
    const more = address === of.address ? 0 : 1
    const known = of.browser()
    for (const one of [known, known]) {
      one.cookies.delete('auth.session-token')
      await expectCost(of, () => of.signIn(one, GOOD, address), {
        ...RIGHT,
        calls: RIGHT.calls + more,
      })
    }
    for (const one of [of.browser(), known]) {
      await expectCost(of, () => of.signIn(one, OTHER, address), {
        ...WRONG,
        calls: WRONG.calls + more,
      })
    }
  }
  await expectCost(of, () => of.signIn(of.browser(), OTHER, 'nobody@mail.example'), WRONG)
  await expectCost(of, () => of.signIn(of.browser(), OTHER, 'no address'), WRONG)
})

test('a change and a removal cost what docs/passwords.md says', async () => {
  const of = world(1)
  const ada = of.browser()
  await of.byMail(ada)
  await of.set(ada, { password: GOOD })
  const by = of.browser()
  await of.signIn(by, GOOD)
  // The end of the other sessions costs as much by itself.
  const ends = () => of.post(by, '/auth/sessions/revoke', { session: 'others' })
  const [, ofEnds] = await of.costOf(ends)
  let [fresh, current] = [OTHER, GOOD]
  // The counts of the current password are rows too.
  for (const [how, rows] of [
    ['by mail', 4],
    ['in a known browser', 6],
    ['in another browser', 12],
  ] as const) {
    // The sessions of this second have ended.
    pass(2)
    await of.byMail(ada)
    await of.signIn(by, current)
    if (how === 'by mail') await of.byMail(by)
    if (how === 'in another browser') by.cookies.delete('auth.device')
    const change = () => of.set(by, { password: fresh, current })
    const [names, written] = await of.costOf(change)
    // The end begins with a question for the session that asks.
    const own = names.slice(0, names.indexOf('cutOff') - 1)
    const isWithin = [own.length <= 6 || own, written - ofEnds <= rows || written - ofEnds]
    expect([how, ...isWithin]).toEqual([how, true, true])
    ;[fresh, current] = [current, fresh]
  }
  const removal = { calls: 6, rows: 10, writes: 0, ends: /auth\/account$/ }
  await expectCost(of, () => of.post(by, '/auth/password/remove', { current }), removal)
})

test('a person without a password costs no call, row or write more', async () => {
  const costs = async (withPasswords: boolean) => {
    const of = world(1, withPasswords)
    const ada = of.browser()
    const found = [
      await of.costOf(() => of.byMail(ada)),
      await of.costOf(() => ada.session()),
      await of.costOf(() => ada.go('/auth/ways')),
      await of.costOf(() => ada.go('/auth/account')),
      await of.costOf(() => of.byMail(ada)),
      await of.costOf(() => of.post(ada, '/auth/signout', {})),
    ]
    return found
  }
  expect(await costs(true)).toEqual(await costs(false))
})
