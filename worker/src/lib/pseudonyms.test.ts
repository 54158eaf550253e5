import type { UserCutoff } from '@latchkey/session/issue'
import { describe, expect, it, vi } from 'vitest'
import { createPseudonyms, erasedName } from './pseudonyms.js'

const [older, newer] = [
  'older-secret-0123456789abcdef-012345',
  'newer-secret-0123456789abcdef-012345',
]

describe('names of users in tokens and feed', () => {
  it('are those of the documented formula, calculated by other means', async () => {
    const { of } = await createPseudonyms(['known-answer-secret-0123456789abcdef'])
    // hmac(sha256, hkdf(sha256, secret, '', 'latchkey/pid/hmac-sha256/v1', 32), 'user-1'), in Python.
    expect(await of('user-1')).toBe('vnRoWuVXl7Hl')
  })

  it('differ by user and by secret, of which the first one names in tokens', async () => {
    const [both, one] = [await createPseudonyms([newer, older]), await createPseudonyms([newer])]
    expect([both.count, one.count]).toEqual([2, 1])
    expect(await both.of('ada')).toBe(await one.of('ada'))
    expect(await both.of('ada')).not.toBe(await both.of('ad'))
    const listed = await both.nameless({ sub: 'ada', until: 100 })
    expect(listed).toEqual([
      { pid: await one.of('ada'), until: 100 },
      { pid: await (await createPseudonyms([older])).of('ada'), until: 100 },
    ])
  })

  it('stand in the feed with the time and the handle alone, whatever else a store says', async () => {
    const { nameless } = await createPseudonyms([newer])
    const cutoff = { sub: 'ada', until: 100, except: 'sid', expires: 900, email: 'ada@example.com' }
    const [listed] = await nameless(cutoff)
    expect(Object.keys(listed ?? {})).toEqual(['pid', 'until', 'except'])
    const [all] = await nameless({ sub: 'ada', until: 100 })
    expect(Object.keys(all ?? {})).toEqual(['pid', 'until'])
  })

  it('include the names that a ledger kept of an erased person, whose id it does not know', async () => {
    const { all, nameless } = await createPseudonyms([newer, older])
    const pids = await all('ada')
    const kept = await Promise.all(
      pids.map((pid) => nameless({ sub: erasedName(pid), until: 100 })),
    )
    expect(kept).toEqual(pids.map((pid) => [{ pid, until: 100 }]))
    expect(new Set(pids).size).toBe(2)
  })

  it('are made once for each cut-off that is listed', async () => {
    const { nameless } = await createPseudonyms([newer, older])
    const sign = vi.spyOn(crypto.subtle, 'sign')
    const cutoff: UserCutoff = { sub: 'ada', until: 100 }
    for (let count = 0; count < 5; count++) await nameless(cutoff)
    expect(sign).toHaveBeenCalledTimes(2)
    sign.mockRestore()
  })
})

describe('the cut-offs that an app asks about, by the beginnings of names', () => {
  const asked = async (secrets: string[], names: string[], cutoffs: UserCutoff[]) => {
    const { of, among } = await createPseudonyms(secrets)
    const beginnings = await Promise.all(names.map(async (sub) => (await of(sub)).slice(0, 8)))
    return among(beginnings, cutoffs)
  }
  const pidOf = async (sub: string, secret = newer) => (await createPseudonyms([secret])).of(sub)
  const ofLatest = { sub: 'latest', until: 900 }

  it('include the cut-offs of the named users, and the latest of all, since a token without a name may belong to anyone', async () => {
    const cutoffs = [{ sub: 'ada', until: 100 }, { sub: 'eve', until: 200 }, ofLatest]
    const [ada, latest] = [await pidOf('ada'), await pidOf('latest')]
    expect(await asked([newer], ['ada', 'nobody'], cutoffs)).toEqual([
      { pid: latest, until: 900 },
      { pid: ada, until: 100 },
    ])
    expect(await asked([newer], [], cutoffs.toReversed())).toEqual([{ pid: latest, until: 900 }])
    expect(await asked([newer], ['latest', 'latest'], cutoffs)).toHaveLength(1)
  })

  it('are empty if no user’s sessions were ended', async () => {
    expect(await asked([newer], ['ada'], [])).toEqual([])
  })

  it('are under the name of every secret, since a token may be from before a rotation', async () => {
    const { among } = await createPseudonyms([newer, older])
    const pid = await pidOf('ada', older)
    const found = await among([pid.slice(0, 8)], [{ sub: 'ada', until: 100 }, ofLatest])
    expect(found).toContainEqual({ pid, until: 100 })
  })

  it('are the last one of a user who signs out everywhere several times, in any order', async () => {
    const pid = await pidOf('ada')
    const times = [300, 100, 500, 200, 400]
    const cutoffs = times.map((until) => ({ sub: 'ada', until, except: `sid-${until}` }))
    for (const order of [
      cutoffs,
      cutoffs.toReversed(),
      cutoffs.toSorted((a, b) => a.until - b.until),
    ]) {
      const found = await asked([newer], ['ada'], [...order, ofLatest])
      expect(found.filter((one) => one.pid === pid)).toEqual([
        { pid, until: 500, except: 'sid-500' },
      ])
    }
  })

  it('are both of one second, each of which ends the session that the other one spares', async () => {
    const pid = await pidOf('ada')
    const cutoffs = ['one', 'other'].map((except) => ({ sub: 'ada', until: 500, except }))
    const found = await asked([newer], ['ada'], [...cutoffs, ofLatest])
    expect(found.filter((one) => one.pid === pid)).toEqual([
      { pid, until: 500, except: 'one' },
      { pid, until: 500, except: 'other' },
    ])
  })

  it('are those of all people with the same beginning of their names', async () => {
    const names = ['ada', 'eve']
    const sign = vi.spyOn(crypto.subtle, 'sign').mockImplementation(async (...given) => {
      const sub = new TextDecoder().decode(given[2] as Uint8Array)
      const bytes = new Uint8Array(32).fill(names.includes(sub) ? 7 : 8)
      bytes[8] = names.indexOf(sub)
      return bytes.buffer
    })
    const cutoffs = [
      { sub: 'ada', until: 300 },
      { sub: 'eve', until: 200 },
      { sub: 'ada', until: 100 },
      { sub: 'eve', until: 400 },
      { sub: 'ada', until: 200 },
      ofLatest,
    ]
    for (const order of [cutoffs, cutoffs.toReversed()]) {
      const found = await asked([newer], ['ada'], order)
      expect(found.map(({ until }) => until).toSorted()).toEqual([300, 400, 900])
      expect(new Set(found.map(({ pid }) => pid)).size).toBe(3)
    }
    sign.mockRestore()
  })

  it('are put in order once for each look at the ledger, however many apps ask', async () => {
    const { of, among } = await createPseudonyms([newer])
    const cutoffs = [{ sub: 'ada', until: 100 }, ofLatest]
    const name = (await of('ada')).slice(0, 8)
    const map = vi.spyOn(cutoffs, 'map')
    for (let count = 0; count < 5; count++) await among([name], cutoffs)
    expect(map).toHaveBeenCalledOnce()
  })
})
