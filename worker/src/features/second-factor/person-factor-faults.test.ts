import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { AuthRequest } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import type { Person } from '../../person/person.js'
import { personKey, wayKey } from '../../person/way-document.js'
import { composeService } from '../../service/compose-service.js'
import type { SessionWay } from '../../session/session-way.js'
import { claimsIn, origin } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { EVERYTHING } from '../all.js'
import { setUpFactor as giveFactor, removeFactor, renewRecoveryCodes } from './person-factor.js'
import { useCode } from './use-code.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) })

/** A person with a second factor, and a request of their service. */
async function withFactor(account = 'ada') {
  const world = people()
  const ada = await world.signIn('one', account)
  const { app, codes } = await setUpFactor(ada)
  pass(30)
  const { sub } = claimsIn(ada)
  const parts = await composeService(world.config, { env: {}, builtIn: EVERYTHING })
  const request = new AuthRequest(new Request(origin), origin, parts, origin, () => {})
  return { ...world, request, app, codes, sub, read: await readPerson(request, sub) }
}

/** A person with an account alone. */
function settingUp(sub: string) {
  const way: SessionWay = { way: sub, provider: 'one', described: {} }
  return { sub, began: 0, way, isOver: async () => false }
}

describe('a factor', () => {
  it.each([
    ['is being erased', { erasing: true as const }],
    ['is another person now', { mergedInto: 'somebody-else' }],
    ['without one', { factor: undefined }],
  ])('judges no code of a person %s', async (_, change) => {
    const { request, sub, app, read } = await withFactor()
    const { factor, ...rest } = read.person as Person
    const person = 'factor' in change ? rest : { ...rest, factor, ...change }
    expect(await useCode(request, sub, app.code(), { ...read, person } as ReadPerson)).toBe(
      undefined,
    )
    expect(await useCode(request, sub, app.code(), { version: 0, person: undefined })).toBe(
      undefined,
    )
    expect(await useCode(request, sub, app.code(), read)).toMatchObject({ by: 'app' })
  })

  it('from another person, in their document, takes no code of its app; recovery codes go on', async () => {
    const { request, sub, app, codes, read, errors } = await withFactor()
    const bob = await withFactor('bob')
    const foreign = bob.read.person?.factor?.sealed ?? ''
    const { person } = read
    const factor = { ...person?.factor, sealed: foreign }
    const changed = { version: read.version, person: { ...person, factor } } as ReadPerson
    const tried = [bob.app.code(), app.code()]
    for (const code of tried) expect(await useCode(request, sub, code, changed)).toBe(undefined)
    const message = 'A second factor is sealed with a secret that is no longer in use.'
    expect(errors.map((error) => error.message)).toEqual([message, message])
    const used = await useCode(request, sub, codes[0] ?? '', changed)
    expect(used?.by).toBe('recovery')
    expect(used?.document.person?.factor).toMatchObject({ sealed: foreign })
    expect(used?.document.person?.factor?.recovery).toHaveLength(9)
  })

  it('with a person who is changed all the time is judged fifty times, and is an error then', async () => {
    const { request, sub, app, read, faults, calls } = await withFactor()
    faults.set('changeDocument', async () => false)
    calls.length = 0
    const judged = useCode(request, sub, app.code(), read)
    await expect(judged).rejects.toThrow('A second factor changes all the time.')
    expect(calls.filter(({ name }) => name === 'changeDocument')).toHaveLength(50)
  })

  it('comes with its person as they are written, and with the change', async () => {
    const { request, sub, app, read } = await withFactor()
    const used = await useCode(request, sub, ` ${app.code()}\n`, read)
    expect(used).toEqual({ by: 'app', document: await readPerson(request, sub) })
    const [before, after] = [read.person?.factor, used?.document.person?.factor]
    expect(after?.step).toBe((before?.step ?? 0) + 1)
    expect(after?.mark).not.toBe(before?.mark)
    expect(after?.mark).toHaveLength(12)
    expect(after?.recovery).toEqual(before?.recovery)
  })

  it('is removed once, and a person without one gets no recovery codes', async () => {
    const { request, sub } = await withFactor()
    expect(await removeFactor(request, sub)).toEqual((await readPerson(request, sub)).person)
    expect((await readPerson(request, sub)).person).not.toHaveProperty('factor')
    expect(await removeFactor(request, sub)).toBeUndefined()
    expect(await renewRecoveryCodes(request, sub)).toBeUndefined()
    expect(await removeFactor(request, 'nobody')).toBeUndefined()
    expect(await renewRecoveryCodes(request, 'nobody')).toBeUndefined()
  })

  it('is never a second one: a person with one gets none, and keeps theirs', async () => {
    const { request, sub, read } = await withFactor()
    const asked = settingUp(sub)
    expect(await giveFactor(request, asked, new Uint8Array(20), 1)).toBeUndefined()
    expect(await readPerson(request, sub)).toEqual(read)
  })

  it('that is set up while its person signs out everywhere is removed again', async () => {
    const { request, sub } = await withFactor()
    await removeFactor(request, sub)
    const asked = { ...settingUp(sub), isOver: async () => true }
    expect(await giveFactor(request, asked, new Uint8Array(20), 1)).toBeUndefined()
    expect((await readPerson(request, sub)).person).not.toHaveProperty('factor')
  })

  it.each([
    ['erasing', true],
    ['mergedInto', 'somebody-else'],
  ])('is not set up for a person whose document says %s', async (member, value) => {
    const { request, sub } = await withFactor()
    await removeFactor(request, sub)
    const { version, person } = await readPerson(request, sub)
    const changed = JSON.stringify({ ...person, [member]: value })
    await request.stores.ledger.changeDocument(personKey(sub), version, changed)
    const asked = settingUp(sub)
    expect(await giveFactor(request, asked, new Uint8Array(20), 1)).toBeUndefined()
    expect((await readPerson(request, sub)).person).not.toHaveProperty('factor')
  })

  it('is not set up for a person who is erased meanwhile', async () => {
    const { request, sub, faults, inner } = await withFactor()
    await removeFactor(request, sub)
    const asked = settingUp(sub)
    const key = personKey(sub)
    let reads = 0
    faults.set('document', async (...given) => {
      const [asked] = given as [string]
      if (asked === key && ++reads === 2) return undefined
      return inner.ledger.document(asked)
    })
    expect(await giveFactor(request, asked, new Uint8Array(20), 1)).toBeUndefined()
    expect(reads).toBe(2)
  })

  it('is not set up if the document of a way is being changed all the time', async () => {
    const { request, sub, faults, inner } = await withFactor()
    await removeFactor(request, sub)
    const { version } = (await inner.ledger.document(wayKey(sub))) ?? { version: 0 }
    await inner.ledger.changeDocument(wayKey(sub), version, null)
    const asked = settingUp(sub)
    faults.set('changeDocument', async () => false)
    const given = giveFactor(request, asked, new Uint8Array(20), 1)
    await expect(given).rejects.toThrow('A way is being changed all the time.')
    faults.clear()
    expect(await giveFactor(request, asked, new Uint8Array(20), 1)).toMatchObject({
      person: { factor: { step: 1, added: Math.floor(Date.now() / 1000) } },
    })
    const document = await inner.ledger.document(wayKey(sub))
    expect(JSON.parse(document?.content ?? '')).toEqual({ owner: sub, first: true })
  })
})

describe('the ways that follow from an account alone have documents before its factor counts', () => {
  const key = new Uint8Array(20)

  /** A person without a factor, with the list and the own way that a test gives. */
  async function listing(ways: readonly string[], own: object | null) {
    const made = await withFactor()
    const { request, sub, inner } = made
    await removeFactor(request, sub)
    const change = async (at: string, content: object | null) => {
      const { version } = (await inner.ledger.document(at)) ?? { version: 0 }
      const text = content && JSON.stringify(content)
      await inner.ledger.changeDocument(at, version, text)
    }
    const { person } = await readPerson(request, sub)
    const [first] = person?.ways ?? []
    const listed = ways.map((way) => ({ ...first, way: way || sub }))
    await change(personKey(sub), { ...person, ways: listed })
    await change(wayKey(sub), own)
    const ownerOf = async (way: string) =>
      JSON.parse((await inner.ledger.document(wayKey(way)))?.content ?? 'null')
    return { ...made, ownerOf }
  }

  it('also if no list has them', async () => {
    const { request, sub, ownerOf } = await listing(['another-way'], null)
    expect(await giveFactor(request, settingUp(sub), key, 1)).toBeDefined()
    const first = { owner: sub, first: true }
    expect([await ownerOf(sub), await ownerOf(`email:${sub}`)]).toEqual([first, first])
  })

  it('and no others if a list has one', async () => {
    const { request, sub, ownerOf } = await listing([''], null)
    expect(await giveFactor(request, settingUp(sub), key, 1)).toBeDefined()
    expect(await ownerOf(sub)).toEqual({ owner: sub, first: true })
    expect(await ownerOf(`email:${sub}`)).toBeNull()
  })

  it('and their contents stay: the owner, or the removal', async () => {
    for (const own of [{ owner: 'somebody-else' }, { removed: 'somebody-else' }]) {
      const { request, sub, ownerOf } = await listing([''], own)
      expect(await giveFactor(request, settingUp(sub), key, 1)).toBeDefined()
      expect(await ownerOf(sub)).toEqual(own)
    }
  })

  it('also if another request has written one at the same time', async () => {
    const { request, sub, faults, inner } = await listing([''], null)
    faults.set('changeDocument', async (...given) => {
      const [at, version, content] = given as [string, number, string]
      const isDone = await inner.ledger.changeDocument(at, version, content)
      return at !== wayKey(sub) && isDone
    })
    expect(await giveFactor(request, settingUp(sub), key, 1)).toBeDefined()
  })

  it('is given to a person without a list, with their first way, and not to one whose way is another’s', async () => {
    const { request, inner } = await withFactor()
    const [fresh, taken] = ['A'.repeat(22), 'B'.repeat(22)]
    const theirs = JSON.stringify({ owner: 'somebody-else', first: true })
    await inner.ledger.changeDocument(wayKey(taken), 0, theirs)
    const given = await giveFactor(request, settingUp(fresh), key, 1)
    expect(given?.person).toMatchObject({ isAlone: true, ways: [{ way: fresh }] })
    expect(await giveFactor(request, settingUp(taken), key, 1)).toBeUndefined()
    expect((await readPerson(request, taken)).person).toBeUndefined()
  })
})
