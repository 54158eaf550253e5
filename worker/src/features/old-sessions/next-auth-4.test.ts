import { describe, expect, test } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { OLD_SECRET } from '../../../../test/support/old-cookies.js'
import { authjs } from '../../migrate.js'
import { until, withOldSessions } from '../../test-support/old-sessions.js'

const { pass } = clock()

const NAME = 'next-auth.session-token'

/** What `encode` of next-auth 4.24.15 made at the time at which these tests begin, with the old secret. */
const TOKENS = {
  session: [
    'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..Q8rT4B_isjr5RgnI.FaMEDH-APt-MpGR9UaH8tV',
    'jVIqtqPcL9qB0RDZgY5ciCPaXpKxqS-RXygzHYY2eLRJ-zjv_t1VYKZz3kY_uMZl8UGtp59dNFEFEObV',
    '_tpAVv7Yy2jrZ6pN5GonVVZTrcjnkDcyTWoTzqN00VbdTcAqyHz69XjhAFUX-rUYvNGbVs9gBsPz5brw',
    'NrPG-j05GT.CpyeEpWEjoJdnj1wtIeEJQ',
  ].join(''),
  /** A started sign-in, as versions before 4.24.5 encrypted it: like a session. */
  state: [
    'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..tcwGig-J7KqKXY1Y.4ASieE4LEp4JHna-yHhG9q',
    'kSrwrM9XRLyR1WZijYFnq_h5YF_Qere-oCdQL8DiFA3QMJKj08Tt6KgwXWkbBg7KN_DEntOLY-YtOMAz',
    'zJExLVGyYS7RUAl6ykASHbdCciuXkHHdMrWJU.p869FfBDqxkFOMRQUv7T4g',
  ].join(''),
  /** The same by a later version, with a key of its own, and with somebody's id. */
  stateOfLater: [
    'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..bF_YrBK-i7MZobVJ.eXgRnJuPAGhBCFSKW2CGSK',
    'PDjxjoOULsKQQr_-634Y2Aj5ZGl9IZTu7FwOoqas6EwrL0jfs475LZQK5gZaBYB4LirxroBis1XmSaw-',
    'n9VjLiwv_dpbz_utWF46Wzgc675I6zkpno.sEJN391TSZnI96MBI9Mi-g',
  ].join(''),
}

const reading = (cookie?: string, secret = OLD_SECRET) =>
  withOldSessions({
    migrateFrom: [authjs({ secret, until, ...(cookie === undefined ? {} : { cookie }) })],
  })

describe('a session of next-auth 4 moves in', () => {
  test.each([
    ['as it is', NAME],
    ['with __Secure-', `__Secure-${NAME}`],
    ['by a name of the app', 'sid'],
  ])('%s', async (_, name) => {
    const service = reading(name)
    const jar = new Map([[name, TOKENS.session]])
    expect(await service.session(jar)).toMatchObject({ user: { id: '7', name: 'Ada' } })
    expect(await service.session(jar), 'once').toBeNull()
  })

  test('in parts', async () => {
    const jar = new Map([
      [`${NAME}.0`, TOKENS.session.slice(0, 100)],
      [`${NAME}.1`, TOKENS.session.slice(100)],
    ])
    expect(await reading(NAME).session(jar)).toMatchObject({ user: { id: '7' } })
  })
})

describe('attack: no user is signed in by', () => {
  test.each([
    ['a session of another secret', TOKENS.session, NAME, 'x'.repeat(40)],
    ['a session under a name that version 4 never used', TOKENS.session, undefined, OLD_SECRET],
    ['the state of a sign-in, CVE-2023-48309 (next-auth)', TOKENS.state, NAME, OLD_SECRET],
    ['the state of a sign-in with a key of its own', TOKENS.stateOfLater, NAME, OLD_SECRET],
    ['a changed session', TOKENS.session.replace('..', '.x.'), NAME, OLD_SECRET],
  ])('%s', async (_, token, cookie, secret) => {
    const jar = new Map([[cookie ?? 'authjs.session-token', token]])
    expect(await reading(cookie, secret).session(jar)).toBeNull()
  })

  test('a session that is over', async () => {
    pass(30 * 86_400 + 61)
    expect(await reading(NAME).session(new Map([[NAME, TOKENS.session]]))).toBeNull()
  })
})
