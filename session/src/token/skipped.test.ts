import { expect, test } from 'vitest'
import { isSkipped } from './skipped.js'

test.each([
  'unreachable;session_identifier="lk.1"',
  'quota_exceeded;session_identifier="lk.abc-DEF_1.2"',
  'server_error; session_identifier="lk.1"',
  'a-reason-of-next-year;session_identifier="lk.1"',
  // As a browser writes other headers of this kind today.
  'unreachable;session_identifier=lk.1',
  'unreachable;other="x";session_identifier="lk.1"',
  'unreachable;session_identifier="lk.1";other=?1',
  'unreachable;session_identifier="123", quota_exceeded;session_identifier="lk.1"',
  'quota_exceeded;session_identifier="lk.1",unreachable;session_identifier="123"',
  'unreachable;note="a, b; c";session_identifier="lk.1"',
  'unreachable;note="a \\" b";session_identifier="lk.1"',
  'unreachable;session_identifier="123";session_identifier="lk.1"',
])('a session of ours is named: %s', (header) => expect(isSkipped(header)).toBe(true))

test.each([
  null,
  undefined,
  '',
  'unreachable',
  'lk.1',
  '"lk.1"',
  'session_identifier="lk.1"',
  'unreachable, session_identifier="lk.1"',
  '"unreachable;session_identifier=lk.1"',
  'unreachable;session_identifier="123"',
  'unreachable;session_identifier',
  'unreachable;session_identifier=?1',
  'unreachable;session_identifier="1lk.1"',
  'unreachable;session_identifier="LK.1"',
  'unreachable;session_identifier="lk"',
  'unreachable;session_identifiers="lk.1"',
  'unreachable;Session_Identifier="lk.1"',
  'unreachable;other="lk.1"',
  'unreachable;session_identifier="lk.1";session_identifier="123"',
  'unreachable;session_identifier="123;session_identifier=lk.1"',
  'unreachable;note="a, unreachable;session_identifier=lk.1"',
  'unreachable;note="\\", unreachable;session_identifier=lk.1"',
  'unreachable;session_identifier="lk.1',
])('no session of ours is named: %s', (header) => expect(isSkipped(header)).toBe(false))

test('a header that is too long names none, and a long one costs little', () => {
  const ours = 'unreachable;session_identifier="lk.1"'
  expect(isSkipped(ours.padEnd(8_192))).toBe(true)
  expect(isSkipped(ours.padEnd(8_193))).toBe(false)
  const began = performance.now()
  for (const piece of ['"', ';', ',', '\\', ' ', '=', 'lk.']) isSkipped(`lk.${piece.repeat(2_700)}`)
  expect(performance.now() - began).toBeLessThan(500)
})
