import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import type { ProviderTokens } from '../../session/stored-values.js'
import { connected, way } from '../../test-support/connected.js'
import { fails } from '../../test-support/faulty.js'
import { waitedFor } from '../../test-support/time.js'
import {
  type Connection,
  changeConnection,
  openTokens,
  readConnection,
  sealTokens,
} from './connection.js'
import { connectionTokens } from './connection-tokens.js'

const { pass, takeTimers } = clock()

const now = () => Math.floor(Date.now() / 1000)
const fresh: ProviderTokens = { version: 1, access_token: 'fresh', refresh_token: 'rotated' }
const refused: ProviderTokens = { version: 1, ended: true }

/** A connection as the ledger has it, with changes, and its tokens as a request has just read them. */
async function home(changes: Partial<Connection> = {}, of = way) {
  const set = await connected()
  const request = await set.requestNow()
  const read = () => readConnection(request, of)
  const change = async (next: Partial<Connection> | undefined) => {
    const { version, ...known } = await read()
    await changeConnection(request, of, version, next && { ...known, ...next })
  }
  const seal = (tokens: ProviderTokens) => sealTokens(request, of, tokens)
  await change({ ...changes })
  const tokens = connectionTokens(request, of, await read())
  set.calls.length = 0
  const counted = (name: string) => set.calls.filter((call) => call.name === name).length
  const keptNow = async () => openTokens(request, of, (await read()).sealed)
  return { ...set, ...tokens, request, read, change, seal, counted, keptNow }
}

describe('a claim to refresh a connection’s tokens', () => {
  const known = { version: 0 }

  it('is taken while another caller’s lasts, and free when it ends: not a second later', async () => {
    const { claim } = await home({ lease: now() + 30 })
    pass(29)
    expect(await claim(known)).toBe('taken')
    pass(1)
    expect(await claim(known)).toBe('yours')
  })

  it('is taken from a faster caller, which refreshes alone', async () => {
    const { change, claim } = await home()
    await change({ lease: now() + 30 })
    expect(await claim(known)).toBe('taken')
  })

  it('that waited finds newer tokens, reads them once, and refreshes them no second time', async () => {
    const { change, claim, counted, newest, seal } = await home({ lease: now() + 30 })
    await claim(known)
    await change({ sealed: await seal(fresh), lease: 0 })
    const before = counted('document')
    expect(await claim(known)).toBe('newer')
    expect(await newest()).toEqual(fresh)
    expect(counted('document') - before).toBe(1)
  })

  it('that waited while the connection ended is over', async () => {
    const { change, claim } = await home({ lease: now() + 30 })
    await claim(known)
    await change(undefined)
    expect(await claim(known)).toBe('over')
  })
})

it('tokens that no secret opens are ended: no request refreshes tokens that none can read', async () => {
  const { newest, read } = await home({ sealed: 'sealed-with-a-removed-secret' })
  expect(await newest()).toEqual({ version: (await read()).version, ended: true })
})

describe('the result of a refresh', () => {
  it('costs one write, and no read after it', async () => {
    const { counted, keptNow, settle } = await home()
    expect(await settle(fresh)).toEqual(fresh)
    expect([counted('changeDocument'), counted('document')]).toEqual([1, 0])
    expect(await keptNow()).toEqual(fresh)
  })

  it('leaves the spare tokens for a later refusal, which uses them once', async () => {
    const { seal, change, request, read, needed } = await home()
    const spare = { version: 0, access_token: 'spare', refresh_token: 'spare' }
    await change({ spare: await seal(spare) })
    const next = async () => connectionTokens(request, way, await read())
    expect(await (await next()).settle(fresh)).toEqual(fresh)
    expect(await (await next()).settle(refused)).toEqual({ ...spare, version: 1 })
    expect(needed).toEqual([])
    expect(await (await next()).settle(refused)).toEqual(refused)
    expect(needed).toHaveLength(1)
  })

  it('and a ledger that never takes it is asked twenty times, told to the log, and asked again later', async () => {
    takeTimers()
    const { counted, errors, faults, keptNow, settle, settled } = await home()
    faults.set('changeDocument', async () => false)
    expect(await settle(fresh)).toEqual(fresh)
    expect(counted('changeDocument')).toBe(20)
    expect(errors.map(({ message }) => message)).toEqual([
      'A connection changes faster than it can be written.',
    ])
    faults.clear()
    await waitedFor(settled())
    expect(await keptNow()).toEqual(fresh)
  })

  it('is told to the log if the ledger fails', async () => {
    takeTimers()
    const { errors, faults, settle, settled } = await home()
    faults.set('changeDocument', fails)
    await settle(fresh)
    expect(errors).toHaveLength(1)
    faults.clear()
    await waitedFor(settled())
  })
})

describe('the result of a refresh after its connection ended', () => {
  it('is revoked, and no one has it', async () => {
    const { change, isOver, keptNow, server, settle } = await home()
    await change(undefined)
    await settle(fresh)
    expect([await isOver(), await keptNow()]).toEqual([true, undefined])
    expect(server.seen.map(({ form }) => form.token)).toEqual(['rotated'])
  })

  it('is not revoked after a refusal, or at a provider that is no longer configured', async () => {
    const ended = await home()
    await ended.change(undefined)
    await ended.settle(refused)
    const gone = await home({ sealed: 'x' }, { ...way, provider: 'gone' })
    await gone.change(undefined)
    await gone.settle(fresh)
    for (const { errors, server, isOver } of [ended, gone]) {
      expect([errors, server.seen, await isOver()]).toEqual([[], [], true])
    }
  })
})
