import { describe, expect, it } from 'vitest'
import { OAUTH_PRESETS, type OAuthRow, rowVendor } from '../test-support/oauth-presets.js'
import { OPENID_PRESETS, type OpenIdRow, rowSignIn } from '../test-support/openid-presets.js'

// A provider answers with much that only adds to a person. However malformed that is, it refuses nobody.

const MALFORMED = [null, -1, 'a\nb\u0000', {}, [{}], 'x'.repeat(20_000)]

/** Members without which nobody is known, or which say that the vendor refuses. */
const NEEDED = ['access_token', 'token_type', 'ok', 'error', 'resultcode']

/** A copy in which every leaf has another value, except those that are needed. */
function spoiled(answer: unknown, value: unknown, kept: readonly string[]): unknown {
  if (typeof answer !== 'object' || answer === null) return value
  if (answer instanceof Response) return answer
  if (Array.isArray(answer)) return answer.map((one) => spoiled(one, value, []))
  return Object.fromEntries(
    Object.entries(answer).map(([name, member]) => {
      if (NEEDED.includes(name) || (kept[0] === name && kept.length === 1)) return [name, member]
      return [name, spoiled(member, value, kept[0] === name ? kept.slice(1) : [])]
    }),
  )
}

const oauth: readonly [string, OAuthRow][] = Object.entries(OAUTH_PRESETS)
const openid: readonly [string, OpenIdRow][] = Object.entries(OPENID_PRESETS)

describe.each(oauth)('%s', (_, row) => {
  it.each(MALFORMED)('signs in beside members of %j', async (value) => {
    const [at, ...path] = row.id
    const answers = row
      .answers(row.address)
      .map((one, index) => spoiled(one, value, index === at ? path : []))
    const { end, user } = await rowVendor(row, answers).signIn(row.back)
    expect(end).toBe('/inbox')
    expect(user).toBeDefined()
  })
})

describe.each(openid)('%s', (_, row) => {
  it.each(MALFORMED)('signs in beside claims of %j', async (value) => {
    const added = ['name', 'picture', 'locale', 'email', 'email_verified', 'zoneinfo', 'updated_at']
    const given = Object.keys({ ...row.claims, ...row.userinfo, ...row.address })
    const names = [...added, ...given].filter((name) => !VERIFIED.includes(name))
    const address = Object.fromEntries(names.map((name) => [name, value]))
    const { end } = await rowSignIn(row, { address, isTwice: true })
    expect(end).toBe('/inbox')
  })
})

/** Claims that are checked, since they name the owner and the audience of the token. */
const VERIFIED = ['sub', 'iss', 'aud', 'azp', 'tid', 'auth_time', 'user_id']
