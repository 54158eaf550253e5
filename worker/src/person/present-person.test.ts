import { describe, expect, it } from 'vitest'
import { withDocuments } from '../test-support/documents.js'
import { isStillOf } from './present-person.js'

describe('a way that was proved a while ago', () => {
  const list = { ways: [{ way: 'w', provider: 'one', added: 1, used: null }] }

  it.each<[string, string, Record<string, object>, boolean, boolean]>([
    ['free, with an id that names the person', 'ada', {}, false, true],
    ['free, with an address that names the person', 'email:ada', {}, false, true],
    ['free, and given to them by the app', 'w', {}, true, true],
    ['of no person', 'w', {}, false, false],
    ['removed by them', 'w', { 'way\nw': { removed: 'ada' } }, true, false],
    ['theirs', 'w', { 'way\nw': { owner: 'ada' } }, false, true],
    ['of another person', 'w', { 'way\nw': { owner: 'eve' }, 'person\neve': list }, true, false],
    [
      'owned by a person that they are taking in',
      'w',
      {
        'way\nw': { owner: 'eve' },
        'person\neve': { ...list, mergedInto: 'ada' },
        'person\nada': list,
      },
      false,
      true,
    ],
    [
      'owned by a person that they had taken in, but have unlinked again',
      'w',
      { 'way\nw': { owner: 'eve' }, 'person\neve': { ways: [], mergedInto: 'ada' } },
      false,
      false,
    ],
  ])(
    'signs in as them still, or not, if it is %s',
    async (_, way, documents, isGiven, expected) => {
      const { request } = await withDocuments(documents)
      expect(await isStillOf(request, way, 'ada', isGiven)).toBe(expected)
    },
  )
})
