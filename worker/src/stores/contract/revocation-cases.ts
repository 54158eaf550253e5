import type { UserCutoff } from '@latchkey/session/issue'
import type { Ledger } from '../ledger/rules.js'
import { type Cases, equal } from './cases.js'

const HOUR = 3600

/** The user of a session, and when it began. */
const began = (auth_time: number, sub = 'ada') => ({ sub, auth_time })

/** Consumed names, ended sessions and cut-offs. */
export const revocationCases: Cases<Ledger> = {
  'a name is consumed once, under any parallelism': async ({ make, now }) => {
    const ledger = await make()
    const attempts = Array.from({ length: 50 }, () => ledger.consume('once', now + HOUR))
    equal((await Promise.all(attempts)).filter(Boolean).length, 1)
    equal(await ledger.consume('another', now + HOUR), true)
    equal(await ledger.consume('once', now + HOUR), false)
  },

  'a name that is given back is consumed once more, under any parallelism': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    const attempts = () => Array.from({ length: 20 }, () => ledger.consume('once', now + HOUR))
    equal((await Promise.all(attempts())).filter(Boolean).length, 1)
    await ledger.giveBack('another')
    equal(await ledger.consume('once', now + HOUR), false)
    await ledger.giveBack('once')
    equal((await Promise.all(attempts())).filter(Boolean).length, 1)
    const entered = () => ledger.enter('flow', now + HOUR, 'way\nada')
    equal((await entered()).isFirst, true)
    await ledger.giveBack('flow', 'way\nada')
    equal((await entered()).isFirst, true)
    equal((await entered()).isFirst, false)
  },

  'a revoked session stays revoked until its end, also among many, and no other becomes so':
    async ({ make, now, pass }) => {
      const ledger = await make()
      await ledger.revoke('sid', now + HOUR)
      for (let count = 0; count < 100; count++) await ledger.revoke(`sid-${count}`, now + HOUR)
      await pass(HOUR - 1)
      await ledger.revoke('late', now + 2 * HOUR)
      equal(await ledger.isRevoked('sid'), true)
      equal(await ledger.isRevoked('other', began(now)), false)
    },

  'an erased person has no earlier session, and nothing names them': async ({
    make,
    now,
    pass,
  }) => {
    const ledger = await make()
    const named = (auth_time: number, pid: string) => ({ ...began(auth_time), pid })
    await ledger.cutOff({ sub: 'ada', until: now - 10 }, now + HOUR)
    await ledger.erase({ sub: 'ada', until: now }, ['pid-1', 'pid-2'], now + HOUR)
    for (const pid of ['pid-1', 'pid-2']) {
      equal(await ledger.isRevoked('sid', named(now, pid)), true)
      equal(await ledger.isRevoked('sid', named(now + 1, pid)), false)
    }
    equal(await ledger.isRevoked('sid', named(now, 'of-somebody-else')), false)
    const { users } = await ledger.revokedSince(now - 60)
    const names = new Set(users.map(({ sub }) => sub))
    equal([names.size, [...names].join().includes('ada')], [2, false])
    await pass(10)
    await ledger.erase({ sub: 'ada', until: now }, ['pid-1'], now + 60)
    await pass(HOUR - 20)
    equal(await ledger.isRevoked('sid', named(now, 'pid-1')), true)
  },

  'a second revocation with an earlier end shortens nothing': async ({ make, now, pass }) => {
    const ledger = await make()
    await ledger.revoke('sid', now + HOUR)
    await ledger.revoke('sid', now + 60)
    await pass(120)
    for (let count = 0; count < 20; count++) await ledger.revoke(`sid-${count}`, now + HOUR)
    equal(await ledger.isRevoked('sid'), true)
  },

  'a cut-off ends that user’s sessions which began by then, and no later ones': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    equal(await ledger.cutOff({ sub: 'ada', until: now }, now + HOUR), true)
    equal(await ledger.isRevoked('old', began(now - HOUR)), true)
    equal(await ledger.isRevoked('same second', began(now)), true)
    equal(await ledger.isRevoked('next second', began(now + 1)), false)
    equal(await ledger.isRevoked('old', began(now - HOUR, 'grace')), false)
    equal(await ledger.isRevoked('old', began(now - HOUR, 'ad')), false)
  },

  'a cut-off may spare one session, and the next one another': async ({ make, now }) => {
    const ledger = await make()
    await ledger.cutOff({ sub: 'ada', until: now, except: 'one' }, now + HOUR, now - 60)
    equal(await ledger.isRevoked('one', began(now - 60)), false)
    equal(await ledger.isRevoked('two', began(now - 60)), true)
    const later = { sub: 'ada', until: now + 10, except: 'three' }
    equal(await ledger.cutOff(later, now + HOUR, now + 5), true)
    equal(await ledger.isRevoked('one', began(now - 60)), true)
    equal(await ledger.isRevoked('two', began(now - 60)), true)
    equal(await ledger.isRevoked('three', began(now + 5)), false)
  },

  'lists the revocations since a time, and the start of the next query': async ({
    make,
    now,
    pass,
  }) => {
    const ledger = await make()
    await ledger.revoke('early', now + HOUR)
    await ledger.cutOff({ sub: 'early', until: now }, now + HOUR)
    await pass(100)
    await ledger.revoke('late', now + HOUR)
    await ledger.cutOff({ sub: 'late', until: now + 100, except: 'kept' }, now + HOUR)
    const since = async (time: number) => {
      const { sessions, users } = await ledger.revokedSince(time)
      // Several objects may report the same ending.
      const names = [...sessions.map(({ sid }) => sid), ...users.map(({ sub }) => `of ${sub}`)]
      return [...new Set(names)].sort()
    }
    equal(await since(now), ['early', 'late', 'of early', 'of late'])
    equal(await since(now + 50), ['late', 'of late'])
    const { next, sessions, users, hasMore } = await ledger.revokedSince(now + 50)
    equal(sessions[0], { sid: 'late', at: now + 100 })
    equal(users[0], { sub: 'late', until: now + 100, except: 'kept' })
    equal(hasMore, false)
    await ledger.revoke('same second', now + HOUR)
    equal((await since(next)).includes('same second'), true)
    await pass(100)
    equal(await since(next + 100), [])
  },

  'a series of queries misses no revocation, however many there are': async ({
    make,
    now,
    pass,
  }) => {
    const ledger = await make()
    const sids = Array.from({ length: 300 }, (_, at) => `sid-${at}`)
    for (const [at, sid] of sids.entries()) {
      await ledger.revoke(sid, now + HOUR)
      await ledger.cutOff({ sub: sid, until: now }, now + HOUR)
      if (at % 10 === 0) await pass(1)
    }
    const [sessions, users] = [new Set<string>(), new Set<string>()]
    for (let since = now - 60, hasMore = true, asked = 0; hasMore && asked < 600; asked++) {
      const revocations = await ledger.revokedSince(since)
      for (const { sid } of revocations.sessions) sessions.add(sid)
      for (const { sub } of revocations.users) users.add(sub)
      ;({ next: since, hasMore } = revocations)
    }
    equal([...sessions].sort(), sids.sort())
    equal([...users].sort(), sids)
  },

  'names such as members of every object, and SQL, are ordinary names': async ({ make, now }) => {
    const ledger = await make()
    for (const name of ['__proto__', 'constructor', '', "'; DROP TABLE consumed; --"]) {
      equal(await ledger.isRevoked(name, began(now, name)), false)
      equal(await ledger.consume(name, now + HOUR), true)
      await ledger.revoke(name, now + HOUR)
      equal(await ledger.isRevoked(name), true)
    }
  },

  'a session that was ended does not spare itself': async ({ make, now }) => {
    const ledger = await make()
    await ledger.cutOff({ sub: 'ada', until: now }, now + HOUR)
    const sparing = { sub: 'ada', until: now + 9, except: 'thief' }
    equal(await ledger.cutOff(sparing, now + HOUR, now - 60), false)
    equal(await ledger.isRevoked('thief', began(now - 60)), true)
    equal(await ledger.isRevoked('owner', began(now + 5)), false)
  },

  'a later cut-off by a clock that lags makes no session good again': async ({ make, now }) => {
    const ledger = await make()
    await ledger.cutOff({ sub: 'ada', until: now }, now + HOUR)
    await ledger.cutOff({ sub: 'ada', until: now - 30 }, now + HOUR - 100)
    const sparing = { sub: 'ada', until: now - 20, except: 'new' }
    await ledger.cutOff(sparing, now + HOUR, now + 5)
    equal(await ledger.isRevoked('old', began(now - 10)), true)
    equal(await ledger.isRevoked('new', began(now + 5)), false)
  },

  'exactly one of several sessions that end each other at the same time goes on': async ({
    make,
    now,
  }) => {
    for (let round = 0; round < 20; round++) {
      const ledger = await make()
      const names = [`a-${round}`, `b-${round}`, `c-${round}`]
      const isDone = await Promise.all(
        names.map((except) =>
          ledger.cutOff({ sub: 'ada', until: now, except }, now + HOUR, now - 60),
        ),
      )
      const over = await Promise.all(names.map((name) => ledger.isRevoked(name, began(now - 60))))
      equal(isDone.filter(Boolean).length, 1)
      equal(
        over,
        isDone.map((done) => !done),
      )
    }
  },

  'a cut-off of all sessions ends one that another cut-off spares, in any order': async ({
    make,
    now,
  }) => {
    const all: UserCutoff = { sub: 'ada', until: now }
    const sparing = { ...all, except: 'one' }
    for (const cutoffs of [
      [all, sparing],
      [sparing, all],
    ]) {
      const ledger = await make()
      await Promise.all(cutoffs.map((cutoff) => ledger.cutOff(cutoff, now + HOUR, now - 60)))
      equal(await ledger.isRevoked('one', began(now - 60)), true)
      const { users } = await ledger.revokedSince(0)
      equal(
        users.every(({ until, except }) => until >= now && except !== 'one'),
        true,
      )
    }
  },
}
