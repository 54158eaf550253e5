import { describe, expect, it } from 'vitest'
import { DamagedRecord } from '../errors.js'
import { wholeRecord } from './whole-record.js'

const record = {
  sub: 'the-sub',
  sid: 'the-sid',
  provider: 'fake',
  created: 1,
  updated: 2,
  expires: 3,
  sealed: 'sealed',
}
const read = (stored: unknown) => wholeRecord(stored, 'the-sub', 'the-sid')

describe('the record of a session, as a store answers it', () => {
  it('is taken without members that no record has', () => {
    expect(read(record)).toEqual(record)
    expect(read({ ...record, isAdmin: true, _id: 7 })).toEqual(record)
  })

  it('may have any time that a date can hold', () => {
    for (const time of [0, -8.64e12, 8.64e12]) {
      const whole = { ...record, created: time, updated: time, expires: time }
      expect(read(whole)).toEqual(whole)
    }
  })
})

describe('a damaged record: its session has to begin again', () => {
  const damaged = new DamagedRecord('A session record is damaged: its session has to begin again.')

  it.each([null, undefined, 'the-sid', 7, true, [], {}])('%j is not a record', (stored) => {
    expect(() => read(stored)).toThrow(damaged)
  })

  it('from another session or another person does not count for this one', () => {
    for (const other of [{ sub: 'other' }, { sid: 'other' }, { sub: undefined }]) {
      expect(() => read({ ...record, ...other })).toThrow(damaged)
    }
  })

  it.each(['provider', 'sealed'])('without a text for %s', (name) => {
    for (const value of [undefined, null, 7, {}]) {
      expect(() => read({ ...record, [name]: value })).toThrow(damaged)
    }
  })

  it.each(['created', 'updated', 'expires'])('without a time for %s', (name) => {
    for (const value of [undefined, null, '1', 1.5, Number.NaN, 8.64e12 + 1, -8.64e12 - 1]) {
      expect(() => read({ ...record, [name]: value })).toThrow(damaged)
    }
  })
})
