import { describe, expect, it } from 'vitest'
import { inEnglish } from '../test-support/english.js'
import { fill, fillCount, fillList, fillParts } from './fill.js'

describe('a text with parameters', () => {
  it('has the values in their places, as often as they are named', () => {
    expect(fill('{a} and {b}, {a}', { a: 'one', b: 2 })).toBe('one and 2, one')
  })

  it.each(['{host}', '{toString}', '$&', '{{host}}', '{b}'])('keeps a hostile %s as it is', (a) => {
    expect(fill('<{a}> at {host}', { a, host: 'app.example', b: 'never' })).toBe(
      `<${a}> at app.example`,
    )
  })

  it('shows a parameter without a value, and takes none from the prototype', () => {
    expect(fill('{name} {toString}', {})).toBe('{name} {toString}')
  })

  it('comes in parts where a value is no text', () => {
    const value = { is: 'markup' }
    expect(fillParts('by {name}.', { name: value })).toEqual(['by ', value, '.'])
  })

  it('has the form that the number asks for', () => {
    const text = { one: '{count} code of {name}', other: '{count} codes of {name}' }
    const said = [0, 1, 2].map((count) => fillCount(inEnglish, text, count, { name: 'Ada' }))
    expect(said).toEqual(['0 codes of Ada', '1 code of Ada', '2 codes of Ada'])
    const polish = { ...inEnglish, language: 'pl' }
    const forms = { one: 'one', few: 'few', many: 'many', other: 'other' }
    expect([1, 2, 5, 22].map((count) => fillCount(polish, forms, count))).toEqual([
      'one',
      'few',
      'many',
      'few',
    ])
  })

  it('lists one thing, or two', () => {
    expect(fillList(inEnglish, 'Firefox', 'Berlin')).toBe('Firefox, Berlin')
    expect([null, undefined, ''].map((none) => fillList(inEnglish, 'Firefox', none))).toEqual(
      Array(3).fill('Firefox'),
    )
  })
})
