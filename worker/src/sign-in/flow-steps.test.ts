import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { InvalidCheck } from '../errors.js'
import { adding } from '../features/ways/check-asker.js'
import type { Purpose } from '../http/purpose.js'
import { origin } from '../test-support/browser.js'
import { withDocuments } from '../test-support/documents.js'
import { fails } from '../test-support/faulty.js'
import { findFlow, flowId, type StartedFlow, startFlow } from './flow-cookie.js'
import { beginToUse, useUp, useUpFailed } from './use-up.js'

const { pass } = clock()

/** A service, a flow that was started in a browser, and one of a version before. */
async function started(asked: Partial<Purpose> = {}, documents = {}) {
  const set = await withDocuments(documents)
  const flow: StartedFlow = await startFlow(set.request, { provider: 'one' } as StartedFlow, asked)
  const cookie = set.request.setCookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const { withWay: _, ...older } = flow
  set.calls.length = 0
  const find = async () => {
    const back = set.requestWith(cookie)
    return { back, found: await findFlow(back, 'one', flowId(flow)) }
  }
  return { ...set, flow, older: older as StartedFlow, find }
}

describe('a flow that comes back keeps its needs', () => {
  it.each<[string, Partial<Purpose>]>([
    ['', {}],
    ['', { scope: 'list' }],
    ['', { maxAge: 300 }],
    ['', { acr: '2' }],
    ['/again', { stepUp: { sid: 'one' }, maxAge: 0 }],
  ])('in a service of its own: %j, %j', async (mount, asked) => {
    const { find } = await started(asked)
    const { found } = await find()
    const { stepUp: again, ...others } = { stepUp: undefined, ...asked }
    const sealed = again ? { ...others, again } : others
    // A version before reads the flows of sign-ins alone.
    expect(found).toMatchObject({ ...sealed, issuer: `${origin}/auth${mount}` })
  })

  it('and who asked, if it adds a way', async () => {
    const { find } = await started(adding.with({ sid: 'one' }))
    const { found } = await find()
    expect(found && adding.of(found)).toEqual({ sid: 'one' })
    // A version before takes it for that of another service, and signs nobody in by it.
    expect(found?.issuer).toBe(`${origin}/auth/ways`)
  })

  it('also as a version before has sealed it', async () => {
    const { request, requestWith } = await withDocuments({})
    const flow = await startFlow(request, { provider: 'one', callbackUrl: '/' })
    const former = { ...flow, link: 'one', issuer: `${origin}/auth/ways` }
    const sealed = await request.keys.flow.seal(former, 2 ** 40)
    const [{ name = '' } = {}] = request.setCookies
    const found = await findFlow(requestWith(`${name}=${sealed}`), 'one', flowId(flow))
    expect(found && adding.of(found)).toEqual({ sid: 'one' })
    expect(found).not.toHaveProperty('link')
  })
})

describe('a flow is used once', () => {
  it('in this process for as long as its cookie lives, without a call', async () => {
    const { request, flow, count } = await started()
    await beginToUse(request, flow)
    pass(15 * 60 - 1)
    await beginToUse(request, await startFlow(request, { provider: 'one' } as StartedFlow))
    const second = await beginToUse(request, flow).catch((error: unknown) => error)
    expect(second).toBeInstanceOf(InvalidCheck)
    expect(second).not.toHaveProperty('cause')
    expect(count('consume')).toBe(0)
  })

  it('from an older version: it is used up at once, and its way is only read', async () => {
    const { request, older, count } = await started({}, { 'way\nx': { owner: 'ada' } })
    await beginToUse(request, older)
    expect(count('consume')).toBe(1)
    const { document } = await useUp(request, older, 'x')
    expect(document?.content).toBe('{"owner":"ada"}')
    const failure = new Error('refused')
    expect(await useUpFailed(request, older, failure)).toBe(failure)
    expect([count('enter'), count('isConsumed'), count('consume')]).toEqual([0, 0, 1])
  })

  it('also if its provider refused: a later request gets the reason', async () => {
    const { request, flow } = await started()
    const failure = new Error('refused')
    expect(await useUpFailed(request, flow, failure)).toBe(failure)
    const later = await useUpFailed(request, flow, failure)
    expect(later).toBeInstanceOf(InvalidCheck)
    expect(later).toHaveProperty('cause.err', failure)
  })

  it('while the ledger fails no answer says that it was used before', async () => {
    const { request, flow, faults } = await started()
    faults.set('isConsumed', fails)
    const failure = new Error('refused')
    expect(await useUpFailed(request, flow, failure)).toBe(failure)
  })
})
