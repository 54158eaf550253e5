import { describe, expect, it } from 'vitest'
import { subjectOf } from './subject.js'

describe('the subject', () => {
  it('is stable: changing this value would give every user another id', async () => {
    expect(await subjectOf('videoapp', 'ada')).toBe('3-QmiHqugI6gPQhTZRhr7g')
  })

  it('is another for every account, also where parts could be joined in two ways', async () => {
    const pairs = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['a","b', 'c'],
      ['a', 'b","c'],
      ['a', 'B'],
      ['A', 'b'],
      ['a', 'b'],
      ['a', 'b '],
      ['a', '__proto__'],
      ['a', '1'],
      ['a', '01'],
      ['a', 'é'],
      ['a', 'e\u0301'],
    ] as const
    const subjects = await Promise.all(pairs.map(([provider, id]) => subjectOf(provider, id)))
    expect(new Set(subjects).size).toBe(pairs.length)
    for (const subject of subjects) expect(subject).toMatch(/^[\w-]{22}$/)
  })

  it('of ids with different lone surrogates is different', async () => {
    expect(await subjectOf('a', '\ud800')).not.toBe(await subjectOf('a', '\ud801'))
  })
})
