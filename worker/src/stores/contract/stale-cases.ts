import type { Ledger } from '../ledger/rules.js'
import { type Cases, equal } from './cases.js'

const WINDOW = 300
const HOUR = 3600

/** The user of a session, and when it began. */
const began = (auth_time: number, sub = 'ada') => ({ sub, auth_time })

/** Claims that are to be renewed. */
export const staleCases: Cases<Ledger> = {
  'a refresh of a person’s claims concerns all their sessions, and one of a session that one':
    async ({ make, now }) => {
      const ledger = await make()
      const { until = 0 } = await ledger.refreshClaims({ sub: 'ada' }, now, WINDOW)
      equal(until >= now, true)
      const untilOf = async (sid: string, sub: string) =>
        (await ledger.standing(sid, began(now - 60, sub))).staleUntil
      equal([await untilOf('one', 'ada'), await untilOf('one', 'grace')], [until, undefined])
      const own = await ledger.refreshClaims({ sub: 'grace', sid: 'two' }, now, WINDOW)
      equal(
        [await untilOf('two', 'grace'), await untilOf('three', 'grace')],
        [own.until, undefined],
      )
      const { stale = [] } = await ledger.revokedSince(now - 60)
      // While the number of objects changes an entry is in several.
      const named = new Set(stale.map(({ sub, sid }) => JSON.stringify({ sub, sid })))
      equal([...named].toSorted(), ['{"sid":"two"}', '{"sub":"ada"}'])
    },

  'a later refresh takes the place of an earlier one, and is later in the same second too': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    const refresh = () => ledger.refreshClaims({ sub: 'ada' }, now, WINDOW)
    const answers = await Promise.all(Array.from({ length: 10 }, refresh))
    const untils = answers.map(({ until = 0 }) => until)
    equal(new Set(untils).size, 10)
    const { stale = [] } = await ledger.revokedSince(now - 60)
    const named = new Set(stale.map(({ sub }) => sub))
    const last = Math.max(...stale.map(({ until }) => until))
    equal([[...named], last], [['ada'], Math.max(...untils)])
  },

  'a refresh stands for its window, and then nothing is stale': async ({ make, now, pass }) => {
    const ledger = await make()
    await ledger.refreshClaims({ sub: 'ada' }, now, WINDOW)
    await pass(WINDOW - 1)
    equal((await ledger.standing('one', began(now))).staleUntil !== undefined, true)
    await pass(2)
    equal(await ledger.standing('one', began(now)), { isOver: false })
    equal((await ledger.revokedSince(now - 60)).stale, undefined)
  },

  'endings win over a refresh, and a session that is over refreshes nothing': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    await ledger.revoke('one', now + HOUR)
    equal(await ledger.refreshClaims({ sub: 'ada', sid: 'one' }, now, WINDOW, began(now)), {
      isOver: true,
    })
    await ledger.refreshClaims({ sub: 'ada' }, now, WINDOW)
    equal((await ledger.standing('one', began(now))).isOver, true)
    await ledger.cutOff({ sub: 'ada', until: now }, now + HOUR)
    equal((await ledger.standing('two', began(now))).isOver, true)
    await ledger.erase({ sub: 'ada', until: now }, ['pid'], now + HOUR)
    equal(JSON.stringify(await ledger.revokedSince(now - 60)).includes('ada'), false)
  },

  'a refresh of an erased person keeps no id of theirs, and counts when they have come back':
    async ({ make, now }) => {
      const ledger = await make()
      await ledger.erase({ sub: 'ada', until: now - 1 }, ['older', 'newer'], now + HOUR)
      const whose = { sub: 'ada', pids: ['newer', 'older'] }
      const { until } = await ledger.refreshClaims(whose, now, WINDOW)
      equal(JSON.stringify(await ledger.revokedSince(now - 60)).includes('ada'), false)
      for (const pid of whose.pids) {
        const standing = await ledger.standing('one', { ...began(now), pid })
        equal(standing, { isOver: false, staleUntil: until })
      }
      // The next one takes the place of this one, and is later.
      const next = await ledger.refreshClaims(whose, now, WINDOW)
      equal(next.until, (until ?? 0) + 1)
    },

  'a document of a person says up to when their tokens are stale': async ({ make, now }) => {
    const ledger = await make()
    const life = { sid: 'grant', also: 'session', owner: began(now) }
    const key = 'grant\nada\none'
    const before = await ledger.liveDocument(key, life, { version: 0, content: 'a' })
    equal(before.staleUntil, undefined)
    const { until } = await ledger.refreshClaims({ sub: 'ada' }, now, WINDOW)
    // While the number of objects changes it is not known.
    equal((await ledger.liveDocument(key, life)).staleUntil ?? until, until)
    const after = await ledger.liveDocument(key, life, { version: 1, content: 'b' })
    equal([after.isChanged, after.staleUntil ?? until], [true, until])
  },
}
