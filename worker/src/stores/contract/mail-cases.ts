import type { Ledger } from '../ledger/rules.js'
import { MAX_WRONG_CODES, type MailedProof } from '../ledger/types.js'
import { type Cases, countOf, equal } from './cases.js'

/** Keys that are spread over several objects. */
export const keys = [
  'email:ada',
  'email:grace',
  'email:bob',
  'email:eve',
  'email:mallory',
  '',
  '__proto__',
]

/** The link and the code of a mail. */
const mailed = (expires: number, name = '1'): MailedProof => ({
  link: `link-${name}`,
  code: `code-${name}`,
  sealed: `sealed-${name}`,
  expires,
})
const redeemed = (name = '1') => ({ state: 'redeemed', sealed: `sealed-${name}` })
const over = { state: 'over' }
const wrong = { state: 'wrong' }
const spent = { state: 'spent' }

/** Mails to an address, each with a link and a code. */
export const mailCases: Cases<Ledger> = {
  'one of fifty redemptions at once, by link and by code, succeeds': async ({ make, now }) => {
    for (const key of keys) {
      const ledger = await make()
      await ledger.startVerification(key, mailed(now + 600))
      const tries = Array.from({ length: 50 }, (_, at) =>
        ledger.redeemVerification(key, at % 2 ? { link: 'link-1' } : { code: 'code-1' }),
      )
      const states = (await Promise.all(tries)).map(({ state }) => state)
      equal([countOf(states, 'redeemed'), countOf(states, 'over')], [1, 49])
    }
  },

  'a mail returns its own sealed contents, and no other mail’s': async ({ make, now }) => {
    const ledger = await make()
    for (const key of keys) await ledger.startVerification(key, mailed(now + 600, key))
    for (const key of keys) {
      const expected = key === '' ? redeemed('') : wrong
      equal(await ledger.redeemVerification(key, { code: 'code-' }), expected)
    }
    for (const key of keys.filter(Boolean)) {
      equal(await ledger.findVerification(key, `link-${key}`), `sealed-${key}`)
      equal(await ledger.redeemVerification(key, { link: `link-${key}` }), redeemed(key))
    }
  },

  'a mail may be found any number of times': async ({ make, now }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600))
    for (let count = 0; count < 20; count++) {
      equal(await ledger.findVerification('key', 'link-1'), 'sealed-1')
      equal(await ledger.findVerification('key', 'another'), undefined)
      equal(await ledger.findVerification('other', 'link-1'), undefined)
    }
    equal(await ledger.redeemVerification('key', { link: 'link-1' }), redeemed())
    equal(await ledger.findVerification('key', 'link-1'), undefined)
  },

  'a code is not a link, and a link is not a code': async ({ make, now }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600))
    equal(await ledger.redeemVerification('key', { link: 'code-1' }), over)
    equal(await ledger.redeemVerification('key', { code: 'link-1' }), wrong)
    equal(await ledger.findVerification('key', 'code-1'), undefined)
  },

  'a mail ends at its end, to the second': async ({ make, now, pass }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600))
    await pass(599)
    equal(await ledger.findVerification('key', 'link-1'), 'sealed-1')
    await pass(1)
    equal(await ledger.findVerification('key', 'link-1'), undefined)
    equal(await ledger.redeemVerification('key', { link: 'link-1' }), over)
    equal(await ledger.redeemVerification('key', { code: 'code-1' }), over)
  },

  'a new mail ends the older ones, whatever their ends': async ({ make, now, pass }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 6000, '1'))
    await ledger.startVerification('key', mailed(now + 60, '2'))
    equal(await ledger.findVerification('key', 'link-1'), undefined)
    equal(await ledger.redeemVerification('key', { link: 'link-1' }), over)
    equal(await ledger.redeemVerification('key', { code: 'code-1' }), wrong)
    await pass(60)
    equal(await ledger.redeemVerification('key', { link: 'link-1' }), over)
    equal(await ledger.redeemVerification('key', { link: 'link-2' }), over)
  },

  'too many wrong codes end the code, also the right one, and never the link': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600))
    for (let count = 1; count < MAX_WRONG_CODES; count++) {
      equal(await ledger.redeemVerification('key', { code: 'x' }), wrong)
    }
    // The wrong code that uses up the last try is answered `spent` itself, not only the next one.
    equal(await ledger.redeemVerification('key', { code: 'x' }), spent)
    equal(await ledger.redeemVerification('key', { code: 'code-1' }), spent)
    equal(await ledger.findVerification('key', 'link-1'), 'sealed-1')
    equal(await ledger.redeemVerification('key', { link: 'link-1' }), redeemed())
  },

  'parallel guesses get no more tries than sequential ones': async ({ make, now }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600))
    // The right code comes after the guesses are used up.
    const guesses = Array.from({ length: 100 }, (_, at) =>
      ledger.redeemVerification('key', { code: at === MAX_WRONG_CODES ? 'code-1' : `guess-${at}` }),
    )
    const states = (await Promise.all(guesses)).map(({ state }) => state)
    equal(
      [countOf(states, 'wrong'), countOf(states, 'spent')],
      [MAX_WRONG_CODES - 1, 101 - MAX_WRONG_CODES],
    )
  },

  'the right code in the last try signs in': async ({ make, now }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600))
    for (let count = 1; count < MAX_WRONG_CODES; count++) {
      await ledger.redeemVerification('key', { code: 'x' })
    }
    equal(await ledger.redeemVerification('key', { code: 'code-1' }), redeemed())
  },

  'wrong links are not counted: a stranger does not use up the owner’s code': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600))
    for (let count = 0; count < 50; count++) {
      equal(await ledger.redeemVerification('key', { link: 'x' }), over)
    }
    equal(await ledger.redeemVerification('key', { code: 'code-1' }), redeemed())
  },

  'wrong codes for one address do not count for another, nor for a new mail': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    await ledger.startVerification('one', mailed(now + 600, '1'))
    await ledger.startVerification('two', mailed(now + 600, '2'))
    for (let count = 0; count < 9; count++) await ledger.redeemVerification('one', { code: 'x' })
    equal(await ledger.redeemVerification('two', { code: 'code-2' }), redeemed('2'))
    await ledger.startVerification('one', mailed(now + 600, '3'))
    equal(await ledger.redeemVerification('one', { code: 'code-3' }), redeemed('3'))
  },

  'a mail that could not be sent is withdrawn, and no later one': async ({ make, now }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600, '1'))
    await ledger.startVerification('key', mailed(now + 600, '2'))
    await ledger.withdrawVerification('key', 'link-1')
    await ledger.withdrawVerification('other', 'link-2')
    equal(await ledger.findVerification('key', 'link-2'), 'sealed-2')
    await ledger.withdrawVerification('key', 'link-2')
    equal(await ledger.findVerification('key', 'link-2'), undefined)
    equal(await ledger.redeemVerification('key', { code: 'code-2' }), over)
  },

  'any mail is withdrawn if no link is given': async ({ make, now }) => {
    const ledger = await make()
    await ledger.startVerification('key', mailed(now + 600))
    await ledger.withdrawVerification('key')
    await ledger.withdrawVerification('key')
    equal(await ledger.findVerification('key', 'link-1'), undefined)
    equal(await ledger.redeemVerification('key', { link: 'link-1' }), over)
  },
}
