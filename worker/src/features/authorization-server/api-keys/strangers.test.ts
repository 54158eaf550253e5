import { parseApiKey } from '@latchkey/session/issue'
import { expect, it } from 'vitest'
import { createAuth } from '../../../core.js'
import { toHex } from '../../../lib/hex.js'
import { memoryStore } from '../../../stores/memory.js'
import { Browser, claimsIn, configWith } from '../../../test-support/browser.js'
import { fails, faulty } from '../../../test-support/faulty.js'
import { issuer, resource } from '../../../test-support/oauth.js'
import { accountsAt } from '../../../test-support/people.js'
import { account } from '../../account/index.js'
import { people } from '../../people/index.js'
import { authorizationServer } from '../index.js'
import { homeOf } from './key-text.js'

const DAY = 24 * 60 * 60

const server = authorizationServer({
  resources: { [resource]: { name: 'Notes API', scopes: { 'notes:read': 'Read your notes' } } },
  keys: { prefix: 'acme' },
})

/** A service, and the browser of `ada`. */
async function service() {
  const made = faulty(memoryStore())
  const config = configWith({
    store: made.store,
    providers: [accountsAt('one')],
    features: [account, people, server],
    logger: { error: () => {}, warn: () => {} },
  })
  const auth = createAuth(config)
  const ada = new Browser(config, { answer: (request) => auth.fetch(request) })
  await ada.signIn('one', 'ada')
  const { sub } = claimsIn(ada)
  const ledger = made.inner.ledger as Required<typeof made.inner.ledger>
  return {
    ...made,
    ...{ auth, ada, sub, ledger },
    create: () =>
      ada.submit(
        '/auth/keys/create',
        { name: 'CI', scope: 'notes:read' },
        { 'x-auth-return-redirect': '1' },
      ),
    async key() {
      return ((await (await this.create()).json()) as { key: string }).key
    },
    async error(key: string) {
      const body = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: key,
        subject_token_type: 'urn:latchkey:params:oauth:token-type:api-key',
      })
      const answer = await auth.fetch(
        new Request(`${issuer}/oauth/token`, { method: 'POST', body }),
      )
      return ((await answer.json()) as { error?: string }).error
    },
    /** Keys of strangers in a home, which begin and end the list of it. */
    async crowd(home: string, count = 1_500) {
      const now = Math.floor(Date.now() / 1000)
      const expires = now + DAY
      const facts = { v: 1, sub: 'stranger', start: 'acme_xxxx', resource, scope: 'notes:read' }
      const line = JSON.stringify({ ...facts, created: now, expires, sealed: '' })
      for (let at = 0; at < count; at++) {
        const id = `${at % 2 === 0 ? '-' : 'z'}${String(at).padStart(21, '0')}`
        const life = { sid: id, owner: { sub: id, auth_time: expires } }
        const change = { version: 0, content: `${line}\n{"used":null}`, expires }
        await ledger.liveDocument(`key\n${home}\n${id}`, life, change)
      }
    },
    /** From now on keys are made where the version before put them. */
    async asBefore() {
      const content = JSON.stringify({ home: await homeOf(sub) })
      await ledger.changeDocument(`subject\n${sub}\nkeys`, 0, content)
    },
    async asNow() {
      await ledger.changeDocument(`subject\n${sub}\nkeys`, 1, null)
    },
  }
}

const homeIn = (key: string) => toHex((parseApiKey(key)?.bytes ?? new Uint8Array()).slice(-4))

it('attack: strangers fill the home of a person’s keys: the limit holds, and a block and an erasure end all of them', async () => {
  for (const end of ['blockPerson', 'deletePerson'] as const) {
    const one = await service()
    const first = await one.key()
    await one.crowd(await homeOf(one.sub))
    await one.crowd(homeIn(first))
    const keys = [first]
    for (let at = 1; at < 52; at++) {
      const answer = await one.create()
      if (answer.status === 200) keys.push(((await answer.json()) as { key: string }).key)
    }
    expect(keys).toHaveLength(50)
    expect(await one.auth.listKeys(one.sub)).toHaveLength(50)
    if (end === 'blockPerson') await one.auth.blockPerson({ sub: one.sub })
    else await one.auth.deletePerson(one.sub)
    expect(await one.auth.listKeys(one.sub)).toEqual([])
    expect(new Set(await Promise.all(keys.map(one.error)))).toEqual(new Set(['invalid_grant']))
  }
})

it('attack: two people have the same home by the digest of the version before: a new key has neither it nor that of another', async () => {
  const one = await service()
  const home = homeIn(await one.key())
  expect(homeIn(await one.key())).toBe(home)
  expect(home).not.toBe(await homeOf(one.sub))
  await one.ada.signIn('one', 'grace')
  expect(homeIn(await one.key())).not.toBe(home)
})

it.each(['blockPerson', 'deletePerson', 'endKey', 'remove'] as const)(
  'attack: keys that an earlier version has made, beside those of strangers: they work, count, are listed, and end by %s',
  async (how) => {
    const one = await service()
    await one.asBefore()
    const old = [await one.key(), await one.key()]
    await one.crowd(await homeOf(one.sub))
    await one.asNow()
    const keys = [...old, await one.key()]
    expect(new Set(keys.map(homeIn)).size).toBe(2)
    const listed = await one.auth.listKeys(one.sub)
    expect(listed).toHaveLength(3)
    expect(await Promise.all(keys.map(one.error))).toEqual([undefined, undefined, undefined])
    for (let at = 3; at < 50; at++) expect((await one.create()).status).toBe(200)
    expect(await (await one.create()).json()).toMatchObject({ code: 'too_many_keys' })
    if (how === 'blockPerson') await one.auth.blockPerson({ sub: one.sub })
    else if (how === 'deletePerson') await one.auth.deletePerson(one.sub)
    else if (how === 'endKey') await one.auth.endKey(one.sub)
    else for (const { id } of listed) await one.ada.submit('/auth/keys/remove', { key: id })
    for (const key of keys) expect(await one.error(key)).toBe('invalid_grant')
    const left = await one.ledger.documentsOf(await homeOf(one.sub), ['key'])
    expect(left.every(({ content }) => content?.includes('"stranger"'))).toBe(true)
  },
)

it.each([
  ['a block', 'blockPerson'],
  ['an erasure', 'deletePerson'],
] as const)(
  'attack: %s whose ledger fails before it has ended a key: no API takes the key',
  async (_, how) => {
    const one = await service()
    const key = await one.key()
    for (const isKnown of [true, false]) {
      if (isKnown) expect(await one.error(key)).toBeUndefined()
      one.faults.set('endAll', fails)
      one.faults.set('forget', fails)
      const ending =
        how === 'blockPerson'
          ? one.auth.blockPerson({ sub: one.sub })
          : one.auth.deletePerson(one.sub)
      await expect(ending).rejects.toThrow()
      expect(await one.error(key)).toBe('invalid_grant')
    }
    one.faults.clear()
    if (how === 'blockPerson') {
      await one.auth.blockPerson({ sub: one.sub })
      await one.auth.unblockPerson(one.sub)
    } else await one.auth.deletePerson(one.sub)
    expect(await one.error(key)).toBe('invalid_grant')
  },
)

it('attack: a key that an erasure has not seen is refused after it', async () => {
  const one = await service()
  const key = await one.key()
  const [kept] = await one.ledger.documentsOf(homeIn(key), ['key'])
  await one.auth.deletePerson(one.sub)
  const { version = 0 } = (await one.ledger.document(kept?.key ?? '')) ?? {}
  await one.ledger.changeDocument(kept?.key ?? '', version, kept?.content ?? '')
  expect(await one.error(key)).toBe('invalid_grant')
})

it('an erased person leaves no home of keys, and one that is erased while a key is made has none', async () => {
  const one = await service()
  await one.key()
  await one.auth.deletePerson(one.sub)
  expect(await one.ledger.document(`subject\n${one.sub}\nkeys`)).toBeUndefined()
  await one.ada.signIn('one', 'ada')
  for (const at of [1, 2]) {
    let calls = 0
    one.faults.set('liveDocument', async (...args) => {
      if (++calls === at) await one.auth.deletePerson(one.sub)
      return one.ledger.liveDocument(...(args as Parameters<typeof one.ledger.liveDocument>))
    })
    expect((await one.create()).status).toBe(401)
    one.faults.clear()
    expect(await one.auth.listKeys(one.sub)).toEqual([])
    expect(await one.ledger.document(`subject\n${one.sub}\nkeys`)).toBeUndefined()
    await one.ada.signIn('one', 'ada')
  }
})

it('attack: the operator makes a key while the person is erased: there is none that nobody can end', async () => {
  for (const at of [1, 2]) {
    const one = await service()
    await one.key()
    let calls = 0
    one.faults.set('liveDocument', async (...args) => {
      const answer = await one.ledger.liveDocument(
        ...(args as Parameters<typeof one.ledger.liveDocument>),
      )
      if (++calls === at) await one.auth.deletePerson(one.sub)
      return answer
    })
    const asked = { name: 'CI', scopes: ['notes:read'] }
    await expect(one.auth.createKey(one.sub, asked)).rejects.toThrow()
    one.faults.clear()
    expect(await one.auth.listKeys(one.sub)).toEqual([])
  }
})
