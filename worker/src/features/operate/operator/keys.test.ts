import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { badKeysLine, findOperatorKey, readOperatorKeys } from './keys.js'

const newKey = () => `lkop_${randomBytes(32).toString('base64url')}`
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

const key = newKey()
const hash = hashOf(key)

it('reads each well-formed entry, and keeps its order', () => {
  const other = hashOf(newKey())
  expect(readOperatorKeys(` night:read:${hash}, ci-1:manage:${other} ,`)).toEqual({
    keys: [
      { name: 'night', scope: 'read', hash },
      { name: 'ci-1', scope: 'manage', hash: other },
    ],
    bad: [],
  })
})

it('takes two entries with one name, as while a key is replaced', () => {
  const { keys } = readOperatorKeys(`night:read:${hash},night:read:${hashOf(newKey())}`)
  expect(keys.map(({ name }) => name)).toEqual(['night', 'night'])
})

it.each([undefined, '', ' ', ','])('has no key for %o', (text) => {
  expect(readOperatorKeys(text)).toEqual({ keys: [], bad: [] })
})

const malformed = {
  'a key in the clear': key,
  'a key in the place of the hash': `night:read:${key}`,
  'half an entry': 'night:read',
  'a hash alone': hash,
  'no name': `:read:${hash}`,
  'an unknown scope': `night:admin:${hash}`,
  'a scope in capitals': `night:READ:${hash}`,
  'a hash in capitals': `night:read:${hash.toUpperCase()}`,
  'a hash that is cut off': `night:read:${hash.slice(1)}`,
  'a hash that is too long': `night:read:${hash}0`,
  'a name with a capital': `Night:read:${hash}`,
  'a name of 33 characters': `${'n'.repeat(33)}:read:${hash}`,
  'a name with a line break': `ni\nght:read:${hash}`,
  'one member more': `night:read:${hash}:x`,
  'attack: the name that records have for calls of the service': `binding:manage:${hash}`,
}

it.each(Object.entries(malformed))(
  '%s opens nothing, and the other entries do',
  async (_, entry) => {
    const { keys, bad } = readOperatorKeys(`${entry},good:read:${hash}`)
    expect(keys.map(({ name }) => name)).toEqual(['good'])
    expect(bad).toEqual([1])
    expect(badKeysLine(bad)).not.toContain(entry)
  },
)

it('names the places of malformed entries, and no text of them', () => {
  const { bad } = readOperatorKeys(`x,good:read:${hash},${key}`)
  expect(bad).toEqual([1, 3])
  expect(badKeysLine(bad)).toContain('the entries 1, 3 of the list')
  expect(badKeysLine([2])).toContain('entry 2 of the list')
})

it('finds the key of a header by its hash', async () => {
  const manage = newKey()
  const { keys } = readOperatorKeys(`night:read:${hash},day:manage:${hashOf(manage)}`)
  expect(await findOperatorKey(keys, `Bearer ${key}`)).toEqual(keys[0])
  expect(await findOperatorKey(keys, `bearer  ${manage}`)).toEqual(keys[1])
})

const wrong = {
  nothing: '',
  'the scheme alone': 'Bearer ',
  'the key without its scheme': key,
  'another scheme': `Basic ${key}`,
  'another key': `Bearer ${newKey()}`,
  'the key in another case': `Bearer ${key.toUpperCase()}`,
  'a key that is cut off': `Bearer ${key.slice(0, -1)}`,
  'a key with a character more': `Bearer ${key}A`,
  'the hash in the place of the key': `Bearer ${hash}`,
  'the hash behind the prefix': `Bearer lkop_${hash}`,
  'the entry of the configuration': `Bearer night:read:${hash}`,
  'a key and a line break': `Bearer ${key}\n`,
  'two keys': `Bearer ${key} ${key}`,
  'another scheme before it': `Basic x, Bearer ${key}`,
}

it.each(Object.entries(wrong))('finds none for %s', async (_, header) => {
  const { keys } = readOperatorKeys(`night:read:${hash}`)
  expect(await findOperatorKey(keys, header)).toBeUndefined()
  expect(await findOperatorKey([], header)).toBeUndefined()
})

it('attack: a text of another form opens nothing, also if its hash is in the list', async () => {
  for (const text of ['', 'hunter2', `x${key}`, `${key}x`, `lkop_${'a'.repeat(42)}`, 'lkop_']) {
    const { keys } = readOperatorKeys(`night:read:${hashOf(text)}`)
    expect(await findOperatorKey(keys, `Bearer ${text}`)).toBeUndefined()
  }
})

it('hashes a guess once, however many keys there are', async () => {
  const { keys } = readOperatorKeys(
    Array.from({ length: 100 }, () => `night:read:${hashOf(newKey())}`).join(),
  )
  const { subtle } = crypto
  const digest = subtle.digest
  let hashes = 0
  subtle.digest = (...args) => {
    hashes += 1
    return digest.apply(subtle, args)
  }
  try {
    for (let guess = 0; guess < 1_000; guess++) await findOperatorKey(keys, `Bearer ${newKey()}`)
  } finally {
    subtle.digest = digest
  }
  expect(hashes).toBe(1_000)
})
