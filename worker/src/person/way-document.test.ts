import { describe, expect, it } from 'vitest'
import { DamagedRecord } from '../errors.js'
import { ownerIn, personKey, readWay, subjectKey, wayKey, wayOf } from './way-document.js'

const NO_DOCUMENT = 'A document of the ledger cannot be read.'
const NO_WAY = 'A document of a way to sign in cannot be read.'

const read = (content: string | null) => readWay({ version: 1, content })

it('a way is named by the id that follows from the account, an address by the key of its mails', () => {
  expect(wayOf({ type: 'oidc', userId: 'ada' })).toBe('ada')
  expect(wayOf({ type: 'credentials', userId: 'ada' })).toBe('ada')
  expect(wayOf({ type: 'email', userId: 'ada' })).toBe('email:ada')
  expect(wayOf({ type: 'webauthn', userId: 'ada' })).toBe('passkey:ada')
  expect(wayKey('email:ada')).toBe('way\nemail:ada')
  expect([personKey('ada'), subjectKey('ada')]).toEqual(['person\nada', 'subject\nada'])
})

describe('the document of a way', () => {
  it('names its owner, or the person who removed it', () => {
    expect(read('{"owner":"ada"}')).toEqual({ owner: 'ada' })
    expect(read('{"owner":"ada","first":true,"more":1}')).toEqual({ owner: 'ada', first: true })
    expect(read('{"removed":"ada"}')).toEqual({ removed: 'ada' })
  })

  it('is missing without a document, or after its deletion', () => {
    expect(readWay(undefined)).toBeUndefined()
    expect(read(null)).toBeUndefined()
  })

  it('names the person that the way signs in, unless it was removed or there is none', () => {
    expect(ownerIn({ owner: 'ada' })).toBe('ada')
    expect(ownerIn({ removed: 'ada' })).toBeUndefined()
    expect(ownerIn(undefined)).toBeUndefined()
  })

  it.each([
    ['', NO_DOCUMENT],
    ['x', NO_DOCUMENT],
    ['null', NO_DOCUMENT],
    ['[]', NO_DOCUMENT],
    ['"ada"', NO_DOCUMENT],
    ['{}', NO_WAY],
    ['{"owner":""}', NO_WAY],
    ['{"owner":7}', NO_WAY],
    ['{"removed":true}', NO_WAY],
    ['{"owner":"ada","removed":"ada"}', NO_WAY],
  ])('that is damaged signs no user in, and the log says so: %s', (content, reason) => {
    expect(() => read(content)).toThrow(new DamagedRecord(reason))
  })
})
