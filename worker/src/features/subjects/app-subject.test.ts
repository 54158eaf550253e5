import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { OAuthAccountNotLinked, StoreUnavailable } from '../../errors.js'
import { subjectOf } from '../../person/subject.js'
import { isOfItself } from '../../session/of-itself.js'
import { withDocuments } from '../../test-support/documents.js'
import { holderBySubject, subjectFor } from './app-subject.js'

clock()

/** As long as the ids that accounts have of their own. */
const OWN = await subjectOf('one', 'ada')
const VICTIM = await subjectOf('one', 'victim')
const TAKEN = new OAuthAccountNotLinked('subject() returned an id that is another account’s.')

/** An account whose `sub` the app says, and what the ledger knows. */
async function given(
  sub: string | undefined,
  documents: Readonly<Record<string, object>> = {},
  changes = {},
) {
  const world = await withDocuments(documents, { subject: () => sub, ...changes })
  const account = { provider: 'one', type: 'oauth', providerAccountId: 'ada', userId: OWN } as const
  const proved = { user: { id: OWN, name: 'Ada' }, account }
  return {
    ...world,
    find: () => subjectFor(world.request, proved as never, OWN),
    holder: () => holderBySubject(world.request, proved as never, OWN),
  }
}

const shared = { sharedSubjects: true }
const claimedBy = (sub: string, way: string) => ({ [`subject\n${sub}`]: { way } })
const list = (sub: string) => ({ [`person\n${sub}`]: { ways: [] } })

describe('an id of the app’s', () => {
  it.each([
    ['no person has', {}, {}],
    [
      'is the account’s by its claim, with any person in its list',
      { ...claimedBy('p:7', OWN), ...list('p:7') },
      {},
    ],
    ['is another account’s, if ids are shared', claimedBy('p:7', 'other'), shared],
    ['has an earlier person, if ids are shared', list('p:7'), shared],
  ])('is given if it %s', async (_, documents, changes) => {
    const { find } = await given('p:7', documents, changes)
    expect(await find()).toMatchObject({ sub: 'p:7' })
  })

  it.each<[string, string, Record<string, object>, object]>([
    ['another account’s', 'p:7', claimedBy('p:7', 'other'), {}],
    ['an earlier person’s, without a claim', 'p:7', list('p:7'), {}],
    ['a listed victim’s own', VICTIM, list(VICTIM), shared],
    [
      'a victim’s own, whose account is known',
      VICTIM,
      { [`way\n${VICTIM}`]: { owner: 'x' } },
      shared,
    ],
    [
      'a victim’s own, whose address is known',
      VICTIM,
      { [`way\nemail:${VICTIM}`]: { owner: 'x' } },
      {},
    ],
    ['a victim’s own, with their claim', VICTIM, claimedBy(VICTIM, VICTIM), shared],
    [
      'a victim’s own, whose address has claimed it',
      VICTIM,
      claimedBy(VICTIM, `email:${VICTIM}`),
      shared,
    ],
  ])('account takeover: is not given if it is %s', async (_, sub, documents, changes) => {
    const { find, holder, events } = await given(sub, documents, changes)
    await expect(find()).rejects.toThrow(TAKEN)
    expect(events()).toEqual([])
    if (!('sharedSubjects' in changes)) expect(await holder()).toBeUndefined()
  })

  it('from a person who is deleted is free again', async () => {
    const { find, write } = await given('p:7', list('p:7'))
    await write('person\np:7', null)
    expect(await find()).toMatchObject({ sub: 'p:7' })
  })

  it('is claimed for the account, with whether its person’s first sign-in was announced', async () => {
    for (const isUnseen of [true, false]) {
      const { find, read } = await given('p:7')
      const claimed = { way: OWN, ...(isUnseen ? { unseen: true } : {}) }
      expect(await (await find()).claim(isUnseen)).toEqual({ version: 1, ...claimed })
      expect(await read('subject\np:7')).toEqual(claimed)
    }
  })

  it('race: the first to claim it keeps it', async () => {
    for (const way of ['other', OWN]) {
      const { find, write, read } = await given('p:7')
      const { claim } = await find()
      await write('subject\np:7', { way })
      if (way === OWN) expect(await claim(true)).toMatchObject({ way })
      else await expect(claim(true)).rejects.toThrow(TAKEN)
      expect(await read('subject\np:7')).toEqual({ way })
    }
  })

  it('that cannot be claimed is tried five times, and signs no user in', async () => {
    const { find, faults, count } = await given('p:7')
    const { claim } = await find()
    faults.set('changeDocument', async () => false)
    await expect(claim(false)).rejects.toThrow(
      new StoreUnavailable('A subject is being changed all the time.'),
    )
    expect(count('changeDocument')).toBe(5)
  })
})

describe('a victim’s own id leaves a trace', () => {
  it('in the sessions that their account or address began, and in no others', async () => {
    const { request, signIn, subOf, work } = await given(undefined)
    const [ada, mail] = [await signIn('one', 'ada'), await signIn('email', 'ada@mail.example')]
    await Promise.all(work)
    expect(await isOfItself(request, subOf(ada))).toBe(true)
    expect(await isOfItself(request, subOf(mail))).toBe(true)
    expect(await isOfItself(request, VICTIM)).toBe(false)
    const other = await given(VICTIM)
    expect(other.subOf(await other.signIn('two', 'eve'))).toBe(VICTIM)
    expect(await isOfItself(other.request, VICTIM)).toBe(false)
  })

  it('also beside records that cannot be opened any more', async () => {
    const { request, inner, signIn, subOf } = await given(undefined)
    const ada = await signIn('one', 'ada')
    const sub = subOf(ada)
    const [record] = await inner.sessions.list(sub)
    if (!record) throw new Error('There is no record.')
    const retired = { ...record, sid: 'another-sid', sealed: 'sealed with an earlier secret' }
    await inner.sessions.put(retired as never)
    expect(await isOfItself(request, sub)).toBe(true)
    await inner.sessions.delete(sub, record.sid)
    await inner.ledger.forget(sub, true)
    expect(await isOfItself(request, sub)).toBe(false)
  })

  it('in the claim that their sign-in has left, also when their sessions are over', async () => {
    const { request, signIn, subOf } = await given(undefined)
    const ada = await signIn('one', 'ada')
    const sub = subOf(ada)
    await ada.submit('/auth/signout')
    expect(await isOfItself(request, sub)).toBe(true)
  })
})

describe('the holder of the id that the app gives a way', () => {
  it.each<[string, string | undefined, Record<string, object>, object, string | undefined]>([
    ['no person, if the app gives none', undefined, claimedBy(OWN, OWN), {}, undefined],
    ['no person, if it is the way’s own', OWN, claimedBy(OWN, OWN), {}, undefined],
    ['no person, if none has claimed it', 'p:7', {}, {}, undefined],
    ['no person, if none has claimed it and ids are shared', 'p:7', {}, shared, undefined],
    ['no person that counts, if another way has', 'p:7', claimedBy('p:7', 'other'), {}, undefined],
    ['its person, if the way has', 'p:7', claimedBy('p:7', OWN), {}, 'p:7'],
    ['its person, if another way shares it', 'p:7', claimedBy('p:7', 'other'), shared, 'p:7'],
  ])('%s', async (_, sub, documents, changes, expected) => {
    const { holder, count } = await given(sub, documents, changes)
    expect(await holder()).toBe(expected)
    expect(count('document')).toBe(sub === 'p:7' ? 1 : 0)
  })
})
