import { expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { withDocuments } from '../test-support/documents.js'
import { fails } from '../test-support/faulty.js'
import { deleteRecord, isRevoked, ownerOf, revokeSession } from './revoke.js'

clock()

const NOW = Date.UTC(2026, 10, 1) / 1_000
const session = { sub: 'ada', sid: 'the-sid', auth_time: NOW, sexp: NOW + 60 }

it('a known end is remembered, and not asked for again', async () => {
  const { request, inner, count } = await withDocuments({})
  expect(await isRevoked(request, session)).toBe(false)
  expect(await isRevoked(request, session)).toBe(false)
  expect(count('isRevoked')).toBe(2)
  await inner.ledger.revoke('the-sid', NOW + 60)
  expect(await isRevoked(request, session)).toBe(true)
  expect(await isRevoked(request, session)).toBe(true)
  expect(count('isRevoked')).toBe(3)
})

it('an end of one’s own is remembered too', async () => {
  const { request, count } = await withDocuments({})
  await revokeSession(request, session)
  expect(await isRevoked(request, session)).toBe(true)
  expect(count('isRevoked')).toBe(0)
})

it('a proof that came since brings no session back: the ledger gets the time when it began', async () => {
  const began = NOW - 500
  expect(ownerOf(session)).toBe(session)
  expect(ownerOf({ ...session, began })).toEqual({ ...session, began, auth_time: began })
  const { request, inner } = await withDocuments({})
  await inner.ledger.cutOff({ sub: 'ada', until: NOW - 100 }, NOW + 60)
  expect(await isRevoked(request, session)).toBe(false)
  expect(await isRevoked(request, { ...session, began })).toBe(true)
})

it('if a record cannot be deleted, the log says so, and the session is over', async () => {
  const { request, faults, errors, work } = await withDocuments({})
  faults.set('delete', fails)
  await revokeSession(request, session)
  deleteRecord(request, session)
  await Promise.all(work)
  expect(errors.map(({ message }) => message)).toEqual(
    Array(2).fill('Could not delete a session record.'),
  )
})
