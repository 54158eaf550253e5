import type { Ledger } from '../ledger/rules.js'
import type { AttemptLimit } from '../ledger/types.js'
import { type Cases, countOf, equal } from './cases.js'
import { keys } from './mail-cases.js'

const HOUR = 3600
const DAY = 86_400
const hourly: AttemptLimit = { name: 'hourly', max: 3, period: HOUR }
const daily: AttemptLimit = { name: 'daily', max: 5, period: DAY }

/** Cases of counted attempts. */
export const attemptCases: Cases<Ledger> = {
  'fifty attempts at once: as many are admitted as the limit says': async ({ make }) => {
    for (const key of keys) {
      const ledger = await make()
      const tries = Array.from({ length: 50 }, () => ledger.admit(key, [hourly]))
      equal(countOf(await Promise.all(tries), 0), 3)
    }
  },

  'the wait is the rest of the period that the first attempt began': async ({ make, pass }) => {
    const ledger = await make()
    await ledger.admit('key', [hourly])
    await pass(1000)
    for (let count = 0; count < 2; count++) equal(await ledger.admit('key', [hourly]), 0)
    equal(await ledger.admit('key', [hourly]), 2600)
    await pass(2599)
    equal(await ledger.admit('key', [hourly]), 1)
    await pass(1)
    for (let count = 0; count < 3; count++) equal(await ledger.admit('key', [hourly]), 0)
    equal(await ledger.admit('key', [hourly]), HOUR)
  },

  'the longest wait of all limits counts, and a refused attempt is counted under none': async ({
    make,
    pass,
  }) => {
    const ledger = await make()
    for (let count = 0; count < 3; count++) await ledger.admit('key', [hourly, daily])
    for (let count = 0; count < 50; count++) {
      equal(await ledger.admit('key', [hourly, daily]), HOUR)
    }
    await pass(HOUR)
    for (let count = 0; count < 2; count++) equal(await ledger.admit('key', [hourly, daily]), 0)
    equal(await ledger.admit('key', [hourly, daily]), DAY - HOUR)
  },

  'attempts are counted for each key and each limit apart': async ({ make }) => {
    const ledger = await make()
    for (let count = 0; count < 4; count++) await ledger.admit('key', [hourly])
    equal((await ledger.admit('key', [hourly])) > 0, true)
    for (const key of ['other', 'key ', 'key hourly', 'ke', '']) {
      equal(await ledger.admit(key, [hourly]), 0)
    }
    equal(await ledger.admit('key', [daily]), 0)
  },

  'attempts that are forgiven are taken off the counts that they were part of': async ({
    make,
    pass,
  }) => {
    const ledger = await make()
    const [own, other] = ['own', 'other'].map((name) => ({ ...hourly, name }))
    if (!own || !other) return
    const all = { ...hourly, name: 'all', max: 5 }
    for (const part of [own, own, other]) equal(await ledger.admit('key', [all, part]), 0)
    await ledger.forgive('key', ['own'], undefined, ['all'])
    // One of three is left, so that four more are admitted.
    for (let count = 0; count < 4; count++) equal(await ledger.admit('key', [all]), 0)
    equal((await ledger.admit('key', [all])) > 0, true)
    // Tries before the period of the whole limit began are not part of it.
    const later = await make()
    for (let count = 0; count < 2; count++) await later.admit('key', [own])
    await pass(1000)
    for (let count = 0; count < 2; count++) await later.admit('key', [hourly])
    await later.admit('key', [hourly, own])
    await later.forgive('key', ['own'], undefined, ['hourly'])
    equal(await later.admit('key', [hourly]), 0)
    equal((await later.admit('key', [hourly])) > 0, true)
  },

  'attempts are forgiven only for the named key and limits': async ({ make }) => {
    const ledger = await make()
    for (const key of ['key', 'other']) {
      for (let count = 0; count < 3; count++) await ledger.admit(key, [hourly])
      for (let count = 0; count < 5; count++) await ledger.admit(key, [daily])
    }
    await ledger.forgive('key', ['hourly', 'unknown'])
    equal(await ledger.admit('key', [hourly]), 0)
    equal((await ledger.admit('key', [daily])) > 0, true)
    equal((await ledger.admit('other', [hourly])) > 0, true)
  },

  'forgetting a key removes all of its counts and its mail, and leaves longer keys alone': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    const mail = { link: 'link', code: 'code', sealed: 'sealed', expires: now + HOUR }
    for (const key of ['key', 'key2', 'other']) {
      for (let count = 0; count < 5; count++) await ledger.admit(key, [hourly, daily])
      await ledger.startVerification(key, mail)
    }
    await ledger.forget('key')
    equal(await ledger.admit('key', [hourly, daily]), 0)
    equal(await ledger.findVerification('key', 'link'), undefined)
    for (const key of ['key2', 'other']) {
      equal((await ledger.admit(key, [hourly])) > 0, true)
      equal(await ledger.findVerification(key, 'link'), 'sealed')
    }
  },

  'attempts under many other keys do not drop a count': async ({ make }) => {
    const ledger = await make()
    for (let count = 0; count < 3; count++) await ledger.admit('key', [hourly])
    for (let count = 0; count < 200; count++) await ledger.admit(`key-${count}`, [hourly])
    equal(await ledger.admit('key', [hourly]), HOUR)
  },
}
