import { expect, it } from 'vitest'
import { DamagedRecord } from '../errors.js'
import { withDocuments } from '../test-support/documents.js'
import { isGivenTo, ownWaysOf, readClaim, writeClaim } from './claim.js'

const ADA = 'subject\nada'
const subject = () => undefined

it('is read as it was written, and has no owner before', async () => {
  const { request, read } = await withDocuments({})
  expect(await readClaim(request, 'ada')).toEqual({ version: 0 })
  expect(await writeClaim(request, 'ada', 0, { way: 'w', unseen: true })).toBe(true)
  expect(await readClaim(request, 'ada')).toEqual({ version: 1, way: 'w', unseen: true })
  expect(await writeClaim(request, 'ada', 0, { way: 'another' })).toBe(false)
  expect(await writeClaim(request, 'ada', 1, { way: 'w' })).toBe(true)
  expect(await readClaim(request, 'ada')).toEqual({ version: 2, way: 'w' })
  expect(await read(ADA)).toEqual({ way: 'w' })
})

it.each([[{}], [{ way: 7 }], [{ way: '' }], [{ way: null, unseen: true }]])(
  'one that is damaged signs no user in: %j',
  async (content) => {
    const { request } = await withDocuments({ [ADA]: content }, { subject })
    const error = new DamagedRecord('The document of a subject cannot be read.')
    await expect(readClaim(request, 'ada')).rejects.toThrow(error)
    await expect(ownWaysOf(request, 'ada')).rejects.toThrow(error)
    await expect(isGivenTo(request, 'w', 'ada')).rejects.toThrow(error)
  },
)

it('only what says so itself is unseen', async () => {
  const { request } = await withDocuments({ [ADA]: { way: 'w', unseen: 'true' } })
  expect(await readClaim(request, 'ada')).toEqual({ version: 1, way: 'w' })
})

it.each([
  ['nobody has claimed', {}, 'ada', ['ada', 'email:ada']],
  ['its own account has claimed', { [ADA]: { way: 'ada' } }, 'ada', ['ada', 'email:ada']],
  ['its own address has claimed', { [ADA]: { way: 'email:ada' } }, 'ada', ['ada', 'email:ada']],
  ['was given to another account', { [ADA]: { way: 'other' } }, 'ada', []],
  ['is spelled as a way', {}, 'email:ada', []],
])('the own ways of a sub that %s are known', async (_, documents, sub, ways) => {
  const { request } = await withDocuments(documents)
  expect(await ownWaysOf(request, sub)).toEqual(ways)
})

it('a sub is given to the way that has claimed it, if the app gives any', async () => {
  const documents = { [ADA]: { way: 'w' } }
  const { request } = await withDocuments(documents, { subject })
  expect(await isGivenTo(request, 'w', 'ada')).toBe(true)
  expect(await isGivenTo(request, 'other', 'ada')).toBe(false)
  const { request: without, count } = await withDocuments(documents)
  expect(await isGivenTo(without, 'w', 'ada')).toBe(false)
  expect(count('document')).toBe(0)
})
