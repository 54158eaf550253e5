import { beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { assertionWorld } from '../../../test-support/assertion-world.js'
import { fails, faulty } from '../../../test-support/faulty.js'
import { claimsOf } from '../../../test-support/oauth.js'

// The one grant of a person, an app and a resource, and the note of its end.

const { pass } = clock()
const now = () => Math.floor(Date.now() / 1000)
const DAY = 24 * 60 * 60

let made: Awaited<ReturnType<typeof assertionWorld>>
beforeAll(async () => {
  made = await assertionWorld()
})

/** An app has brought an assertion about a person. */
async function brought() {
  const watched = faulty()
  const one = made.world({ store: watched.store as never })
  const send = async (claims: Record<string, unknown> = {}) =>
    made.send(one, await made.assertion(claims))
  /** The handle of the grant, or the error. */
  const bring = async (claims: Record<string, unknown> = {}) => {
    const answer = await send(claims)
    return answer.error ?? String(claimsOf(answer.accessToken).grant)
  }
  const first = await send()
  const { sub, grant } = claimsOf(first.accessToken) as { sub: string; grant: string }
  const { ledger } = watched.inner
  const documents = async (kind: string) => ledger.documentsOf(sub, [kind])
  return {
    ...watched,
    ...{ one, send, bring, sub, grant, ledger, documents },
    key: `grant\n${sub}\n${grant}`,
    end: () => one.auth.endApp(sub, 'agent', one.env, one.context),
    apps: () => one.auth.listApps(sub, one.env, one.context),
    /** The content of the note of its end. */
    note: async () => JSON.parse((await documents('ended'))[0]?.content ?? 'null'),
  }
}

describe('each ending', () => {
  it('is noted, and the next grant has another handle', async () => {
    const { bring, end, grant, note, documents } = await brought()
    const handles = new Set([grant])
    for (let times = 1; times <= 6; times++) {
      pass(2)
      await end()
      expect(await note()).toEqual({ ended: now(), next: times })
      pass(2)
      handles.add(await bring())
      expect(handles.size).toBe(times + 1)
      expect(await documents('grant')).toHaveLength(1)
    }
  })

  it('refuses an assertion of the same second, and not one of the next', async () => {
    const { bring, end, grant } = await brought()
    pass(2)
    await end()
    expect(await bring()).toBe('invalid_grant')
    pass(1)
    expect([grant, 'invalid_grant']).not.toContain(await bring())
  })

  it('without a note is found: five handles in a row, and no more', async () => {
    const { bring, ledger, grant, sub } = await brought()
    const handles = [grant]
    for (let times = 1; times <= 5; times++) {
      const [handle = ''] = handles.slice(-1)
      await ledger.endAll([handle], now() + DAY, [`grant\n${sub}\n${handle}`])
      pass(1)
      handles.push(await bring())
    }
    expect(new Set(handles).size).toBe(6)
    expect(handles.indexOf('invalid_grant')).toBe(5)
  })

  it('counts while the grant’s document is there, if everything of the person has ended', async () => {
    const { bring, ledger, grant, sub } = await brought()
    const before = now()
    pass(2)
    await ledger.cutOff({ sub, until: now() }, now() + DAY)
    expect(await bring({ iat: before })).toBe('invalid_grant')
    pass(1)
    expect(await bring()).toBe(grant)
  })

  it('is remembered for two days', async () => {
    const { end, documents } = await brought()
    pass(2)
    await end()
    pass(2 * DAY - 5)
    expect(await documents('ended')).toHaveLength(1)
    pass(10)
    expect(await documents('ended')).toHaveLength(0)
  })

  it('has the number of a handle, a thousand at most', async () => {
    const { end, documents, ledger, note, bring } = await brought()
    pass(2)
    await end()
    const [document] = await documents('ended')
    const content = JSON.stringify({ ended: now(), next: 999 })
    await ledger.changeDocument(document?.key ?? '', document?.version ?? 0, content)
    pass(2)
    await bring()
    await end()
    expect((await note()).next).toBe(1_000)
    pass(2)
    await bring()
    await end()
    expect((await note()).next).toBe(1_000)
  })

  it.each(['{', '[]', '7', '{"ended":"x","next":1}', '{"ended":5}', '{"next":1}'])(
    'is known by its handle if the note is damaged: %s',
    async (content) => {
      const { bring, end, documents, ledger, grant } = await brought()
      pass(2)
      await end()
      const [document] = await documents('ended')
      await ledger.changeDocument(document?.key ?? '', document?.version ?? 0, content)
      pass(2)
      expect([grant, 'invalid_grant']).not.toContain(await bring())
    },
  )

  it('has no note if the grant rests on a session', async () => {
    const { documents, end, ledger, sub, key } = await brought()
    const [document] = await documents('grant')
    const [first = '', ...rest] = document?.content?.split('\n') ?? []
    const { asserted: _, ...facts } = JSON.parse(first)
    const content = [JSON.stringify(facts), ...rest].join('\n')
    await ledger.changeDocument(key, document?.version ?? 0, content)
    pass(2)
    await end()
    expect(await ledger.documentsOf(sub, ['grant', 'ended'])).toEqual([])
  })

  it('that others note too is tried five times, and nothing ends without it', async () => {
    const { calls, end, faults, inner, documents } = await brought()
    pass(2)
    let tries = 0
    faults.set('liveDocument', async (...args) => {
      if (!String(args[0]).startsWith('ended\n'))
        return (inner.ledger.liveDocument as (...all: unknown[]) => Promise<unknown>)(...args)
      tries++
      return { isOver: false, isChanged: false }
    })
    await expect(end()).rejects.toThrow('The end of a grant cannot be noted.')
    expect(tries).toBe(5)
    expect(await documents('grant')).toHaveLength(1)
    expect(calls.some(({ name }) => name === 'endAll')).toBe(false)
    tries = 0
    faults.set('liveDocument', async (...args) => {
      const isFirst = String(args[0]).startsWith('ended\n') && tries++ === 0
      if (isFirst) return { isOver: false, isChanged: false }
      return (inner.ledger.liveDocument as (...all: unknown[]) => Promise<unknown>)(...args)
    })
    await end()
    expect(await documents('grant')).toHaveLength(0)
    expect(await documents('ended')).toHaveLength(1)
  })
})

it('one that was deleted, and has not ended, begins again under its handle', async () => {
  const { bring, documents, grant, key, ledger } = await brought()
  const { version = 0 } = (await ledger.document(key)) ?? {}
  await ledger.changeDocument(key, version, null)
  expect(await documents('grant')).toHaveLength(0)
  expect(await bring()).toBe(grant)
  expect(await documents('grant')).toHaveLength(1)
})

it('a person sees all scopes that the app was given, and since when', async () => {
  const { apps, bring, key, ledger, one, faults, send } = await brought()
  const [before] = await apps()
  expect(before?.scopes).toEqual(['notes:read'])
  pass(60)
  await bring({ scope: 'notes:write' })
  const [after] = await apps()
  expect(after?.scopes.toSorted()).toEqual(['notes:read', 'notes:write'])
  expect(after?.added).toBe(before?.added)
  const { version } = (await ledger.document(key)) ?? {}
  for (const scope of ['notes:read', 'notes:write', 'notes:read notes:write'])
    await bring({ scope })
  expect((await ledger.document(key))?.version).toBe(version)
  const other = await brought()
  other.faults.set('changeDocument', fails)
  const answer = await other.send({ scope: 'notes:read notes:write' })
  expect([answer.status, other.one.errors.length]).toEqual([200, 1])
  expect([one.errors, faults.size, (await send()).status]).toEqual([[], 0, 200])
})

it('costs two calls of the ledger once it is there, and one for its person', async () => {
  const { calls, bring } = await brought()
  await bring()
  const before = calls.length
  await bring()
  expect(calls.slice(before).map(({ name }) => name)).toEqual(['enter', 'liveDocument'])
})
