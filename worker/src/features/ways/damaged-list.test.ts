import { expect, it } from 'vitest'
import { DamagedRecord } from '../../errors.js'
import { changePerson, readPerson } from '../../person/documents.js'
import { withDocuments } from '../../test-support/documents.js'

const kept = { way: 'w', provider: 'one', added: 1, used: null }

it.each([
  [{}],
  [{ ways: 'rubbish' }],
  [{ ways: [null] }],
  [{ ways: [kept, 'w'] }],
  [{ ways: [[]] }],
])('an unreadable list of ways is not used, and no change is made to it: %j', async (content) => {
  const { request, read } = await withDocuments({ 'person\nada': content })
  const error = new DamagedRecord('The document of a person cannot be read.')
  await expect(readPerson(request, 'ada')).rejects.toThrow(error)
  const change = changePerson(request, 'ada', () => ({ ways: [] }))
  await expect(change).rejects.toThrow(error)
  expect(await read('person\nada')).toEqual(content)
})
