import { describe, expect, it } from 'vitest'
import { DamagedRecord } from '../errors.js'
import { readWay, wayKey, wayOf } from './way-document.js'

const read = (content: string | null) => readWay({ version: 1, content })

it('a way is named by the id that follows from the account, an address by the key of its mails', () => {
  expect(wayOf({ type: 'oidc', userId: 'ada' })).toBe('ada')
  expect(wayOf({ type: 'credentials', userId: 'ada' })).toBe('ada')
  expect(wayOf({ type: 'email', userId: 'ada' })).toBe('email:ada')
  expect(wayKey('email:ada')).toBe('way\nemail:ada')
})

describe('the document of a way', () => {
  it('says whose it is, or who removed it', () => {
    expect(read('{"owner":"ada"}')).toEqual({ owner: 'ada' })
    expect(read('{"owner":"ada","first":true,"more":1}')).toEqual({ owner: 'ada', first: true })
    expect(read('{"removed":"ada"}')).toEqual({ removed: 'ada' })
  })

  it('is none where there is none, or none any more', () => {
    expect(readWay(undefined)).toBeUndefined()
    expect(read(null)).toBeUndefined()
  })

  it.each([
    '',
    'x',
    'null',
    '[]',
    '"ada"',
    '{}',
    '{"owner":""}',
    '{"owner":7}',
    '{"removed":true}',
    '{"owner":"ada","removed":"ada"}',
  ])('that is damaged signs nobody in: %s', (content) => {
    expect(() => read(content)).toThrow(DamagedRecord)
  })
})
