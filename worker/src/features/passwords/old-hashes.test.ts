import type { ImportRow } from '@latchkey/host/shared'
import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf, secret, setsSession } from '../../test-support/browser.js'
import { mailProvider } from '../../test-support/email.js'
import { fails } from '../../test-support/faulty.js'
import { importRequest } from '../../test-support/importing.js'
import { ADA, GOOD, OTHER, withPasswords } from '../../test-support/with-passwords.js'

const { pass } = clock({ waits: true })

const WRONG = '/auth/signin CredentialsSignin credentials'

/** Old passwords, and their hashes as better-auth 1.7 has made them. */
const BETTER_AUTH = {
  old1: '9490e852331405c035f96e4d75abb909:d468ee82c59b88c60687a31e25264c47781ce7b7cea47ce4f3bc9aa73bcd51f8092c3d21f0bd0e996f7bd784356f8894b61af87d3fd39e0c0c8821fbb0561d2e',
  'Gürteltier 🦔 2024':
    '323845b043e83ec89d3ece9bea97a833:19e027bedf76bd34e9bb2ac642de336129247aabbcea7cd30cfc684f8731c07eb4d9b98fe776d7bc59a418b6bdc8207e4e918a6b600f14290e731599f2b2af55',
} as const

/** Each is a hash of "winter sun". */
const FORMATS = {
  'bcrypt with cost 4': '$2b$04$w83TMqWV3WBALCq1VCTiLOAvWj2uwpfiXtmj8kuPTusXfR5N.LDqm',
  'scrypt with 64 MiB':
    '$scrypt$ln=16,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$0gP6VFzNJ/GFvqGlESTEtASo60tW1zVAW1FIf80UuJM',
  'PBKDF2 of Django': 'pbkdf2_sha256$1000$salty$5lHnh5fY35lAqdzGnRGtILGh5jsHJ6PJqyfpgVHF65c=',
} as const

const COSTLY =
  '$scrypt$ln=17,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$jN3o5NVmTEtENamcxPR3gVQCQTVuoawO+zFlBZF8vPE'

type World = ReturnType<typeof withPasswords>

async function send(world: World, ...rows: readonly ImportRow[]): Promise<Response> {
  const AUTH_IMPORT_UNTIL = new Date(Date.now() + 86_400_000).toISOString()
  return createAuth(world.config).fetch(await importRequest(rows), { AUTH_IMPORT_UNTIL })
}

async function bring(world: World, ...rows: readonly ImportRow[]) {
  const answer = await send(world, ...rows)
  expect(answer.status).toBe(200)
  return (await answer.json()) as { added: number; known: number; left: [number, string][] }
}

const row = (sub: string, address: string, hash: string): ImportRow => [
  sub,
  'email',
  address,
  '',
  hash,
]

const kept = async ({ inner }: World, sub: string) =>
  JSON.parse((await inner.ledger.document(`person\n${sub}`))?.content ?? '{}').password as
    | { since: number; sealed: string }
    | undefined

async function subOf(world: World, email: string, text: string): Promise<string | undefined> {
  pass(60)
  const one = world.browser()
  return setsSession(await world.signInBy(one, email, text)) ? claimsIn(one).sub : undefined
}

describe('an old password', () => {
  it.each(Object.entries(BETTER_AUTH))(
    'signs in as the old id, as better-auth hashed it: %s',
    async (text, hash) => {
      const world = withPasswords()
      expect(await bring(world, row('old-ada', ADA, hash))).toEqual({
        added: 1,
        known: 0,
        left: [],
      })
      expect(await subOf(world, ADA, `${text}x`)).toBeUndefined()
      expect(await subOf(world, ADA, text)).toBe('old-ada')
      expect(await subOf(world, ADA, text)).toBe('old-ada')
      const exported = await createAuth(world.config).exportPerson('old-ada', {})
      expect(exported).toMatchObject({ password: { since: expect.stringMatching(/^2026-11-01T/) } })
    },
  )

  it.each(Object.entries(FORMATS))('in %s signs in', async (_, hash) => {
    const world = withPasswords()
    await bring(world, row('old-ada', ADA, hash))
    expect(await subOf(world, ADA, 'winter sum')).toBeUndefined()
    expect(await subOf(world, ADA, 'winter sun')).toBe('old-ada')
  })

  it('is hashed as new ones are at the first sign-in, and not again', async () => {
    const world = withPasswords()
    await bring(world, row('old-ada', ADA, BETTER_AUTH.old1))
    const [old, one] = [await kept(world, 'old-ada'), world.browser()]
    await world.signInBy(one, ADA, 'old1')
    const fresh = await kept(world, 'old-ada')
    expect([fresh?.since, fresh?.sealed === old?.sealed]).toEqual([old?.since, false])
    const csrfToken = await one.csrfToken()
    world.calls.length = 0
    await one.post('/auth/callback/password', { csrfToken, email: ADA, password: 'old1' })
    expect(world.calls.filter(({ name }) => name === 'changeDocument')).toEqual([])
    expect((await kept(world, 'old-ada'))?.sealed).toBe(fresh?.sealed)
  })

  it('is the text as it was typed, and after the first sign-in every spelling of it', async () => {
    const world = withPasswords()
    const { hashPassword } = await import('../../passwords.js')
    const [whole, parts] = ['sommergrün'.normalize('NFC'), 'sommergrün'.normalize('NFD')]
    await bring(world, row('old-ada', ADA, await hashPassword(parts)))
    expect(await subOf(world, ADA, whole)).toBeUndefined()
    expect(await subOf(world, ADA, parts)).toBe('old-ada')
    expect(await subOf(world, ADA, whole)).toBe('old-ada')
  })

  it('is changed by itself as the current one, and a new one has to keep the rules', async () => {
    const world = withPasswords()
    await bring(world, row('old-ada', ADA, BETTER_AUTH.old1))
    const ada = world.browser()
    await world.signInBy(ada, ADA, 'old1')
    pass(600)
    expect(errorOf(await world.set(ada, 'old2', { current: 'old1' }))).toMatch(/password_short$/)
    expect(errorOf(await world.set(ada, GOOD, { current: 'old1' }))).toBe('/auth/account')
    expect([await subOf(world, ADA, 'old1'), await subOf(world, ADA, GOOD)]).toEqual([
      undefined,
      'old-ada',
    ])
  })

  it('signs in if the new hash cannot be written', async () => {
    const world = withPasswords()
    await bring(world, row('old-ada', ADA, BETTER_AUTH.old1))
    world.faults.set('changeDocument', fails)
    expect(await subOf(world, ADA, 'old1')).toBe('old-ada')
    expect(world.errors.map(({ name }) => name)).toContain('StoreUnavailable')
    world.faults.clear()
    expect(await subOf(world, ADA, 'old1')).toBe('old-ada')
  })

  it('costs as many calls as any other, and at the first sign-in one for the new hash and one for the name of an imported way', async () => {
    const world = withPasswords()
    await bring(world, row('old-ada', ADA, BETTER_AUTH.old1))
    const one = world.browser()
    for (const most of [8, 6]) {
      const csrfToken = await one.csrfToken()
      world.calls.length = 0
      await one.post('/auth/callback/password', { csrfToken, email: ADA, password: 'old1' })
      const names = world.calls.map(({ name }) => name)
      const ledger = names.filter((name) => !['put', 'get', 'delete', 'revoke'].includes(name))
      const calls = ledger.filter((name) => name !== 'revokedSince')
      expect([calls.join(' '), calls.length <= most]).toEqual([calls.join(' '), true])
      pass(60)
    }
  })
})

describe('an import', () => {
  it('again changes nothing, and leaves the password that a person has here', async () => {
    const world = withPasswords()
    const first = row('old-ada', ADA, BETTER_AUTH.old1)
    await bring(world, first)
    expect(await bring(world, first, ['old-ada', 'email', ADA])).toEqual({
      added: 0,
      known: 2,
      left: [],
    })
    expect(await subOf(world, ADA, 'old1')).toBe('old-ada')
    expect(await bring(world, first)).toEqual({ added: 0, known: 0, left: [[0, 'has-password']] })
    expect(await subOf(world, ADA, 'old1')).toBe('old-ada')
  })

  it('that brings addresses first, and their passwords afterwards, ends as one that brings both', async () => {
    const world = withPasswords()
    await bring(world, ['old-ada', 'email', ADA])
    expect(await bring(world, row('old-ada', ADA, BETTER_AUTH.old1))).toMatchObject({ added: 1 })
    expect(await subOf(world, ADA, 'old1')).toBe('old-ada')
  })

  it('leaves out hashes that nobody can verify, or that need more than 64 MiB, and takes their address', async () => {
    const world = withPasswords()
    const bad = [
      '',
      'plain text',
      '$1$salt$hash',
      COSTLY,
      '$argon2id$v=19$m=65537,t=3,p=4$c2FsdHNhbHRzYWx0$MDEyMzQ1Njc4OWFiY2RlZg',
    ]
    const rows = bad.map((hash, at) => row(`old-${at}`, `person${at}@mail.example`, hash))
    expect(await bring(world, ...rows)).toEqual({
      added: 0,
      known: 0,
      left: bad.map((_, at) => [at, 'bad-hash']),
    })
    expect(await kept(world, 'old-3')).toBeUndefined()
    const one = await world.signIn('email', 'person3@mail.example')
    expect(claimsIn(one).sub).toBe('old-3')
  })

  it('attack: a hash of another person for an address that belongs to one here', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    const { sub } = claimsIn(ada)
    const told = await bring(
      world,
      row('old-eve', ADA, BETTER_AUTH.old1),
      row(sub, ADA, BETTER_AUTH.old1),
    )
    expect(told.left).toEqual([
      [0, 'taken'],
      [1, 'id-of-ours'],
    ])
    expect(await subOf(world, ADA, 'old1')).toBeUndefined()
    expect(await kept(world, 'old-eve')).toBeUndefined()
    expect(await subOf(world, ADA, GOOD)).toBe(sub)
  })

  it('attack: two people of the old table with one address: the first one’s password counts', async () => {
    const world = withPasswords()
    const told = await bring(
      world,
      row('old-ada', ADA, BETTER_AUTH.old1),
      row('old-eve', ADA, FORMATS['bcrypt with cost 4']),
    )
    expect(told).toEqual({ added: 1, known: 0, left: [[1, 'taken']] })
    expect(await subOf(world, ADA, 'winter sun')).toBeUndefined()
    expect(await subOf(world, ADA, 'old1')).toBe('old-ada')
  })

  it('attack: a hash for an account of another provider, or for a service without password()', async () => {
    const world = withPasswords()
    const hash = BETTER_AUTH.old1
    const other = { ...world, config: { ...world.config, providers: [mailProvider(world.mails)] } }
    for (const [where, one] of [
      [world, ['old-ada', 'one', 'ada', '', hash]],
      [other, row('old-ada', ADA, hash)],
    ] as const) {
      const answer = await send(where, one as ImportRow)
      const told = { error: 'ImportRefused', reason: 'no-passwords' }
      expect([answer.status, await answer.json()]).toEqual([409, told])
    }
    expect(await world.inner.ledger.document('person\nold-ada')).toBeUndefined()
    expect((await send(world, ['a', 'email', ADA, 'issuer', hash] as never)).status).toBe(400)
  })

  it('for a blocked, a merged or an erased person signs nobody in', async () => {
    const world = withPasswords()
    const auth = createAuth(world.config)
    await auth.blockPerson({ sub: 'old-ada' }, {})
    await bring(world, row('old-ada', ADA, BETTER_AUTH.old1))
    expect(errorOf(await world.signInBy(world.browser(), ADA, 'old1'))).toBe(
      '/auth/error AccessDenied blocked',
    )
    for (const more of [{ mergedInto: 'old-eve' }, { erasing: true }]) {
      const sub = Object.keys(more)[0] ?? ''
      const content = JSON.stringify({ ways: [], ...more })
      await world.inner.ledger.changeDocument(`person\n${sub}`, 0, content)
      const told = await bring(world, row(sub, `${sub}@mail.example`, BETTER_AUTH.old1))
      expect(told.left).toEqual([[0, 'gone']])
      expect(await kept(world, sub)).toBeUndefined()
    }
    await auth.unblockPerson('old-ada', {})
    expect(await subOf(world, ADA, 'old1')).toBe('old-ada')
    await auth.deletePerson('old-ada', {})
    expect(await subOf(world, ADA, 'old1')).toBeUndefined()
  })

  it('that breaks off at any call, and is repeated, ends as one that did not', async () => {
    const rows = [
      row('old-ada', ADA, BETTER_AUTH.old1),
      row('old-ben', 'ben@mail.example', BETTER_AUTH.old1),
    ]
    for (let step = 0, isOver = false; !isOver; step++) {
      const world = withPasswords()
      const { ledger } = world.inner
      let calls = 0
      for (const name of ['insertDocuments', 'changeDocument', 'document'] as const) {
        world.faults.set(name, async (...given) => {
          const isLost = calls++ >= step
          if (isLost && step % 2 === 0) return fails()
          const answer = await (ledger[name] as (...given: unknown[]) => Promise<unknown>)(...given)
          return isLost ? fails() : answer
        })
      }
      const { status } = await send(world, ...rows)
      isOver = calls <= step
      expect([step, status]).toEqual([step, isOver ? 200 : 503])
      world.faults.clear()
      const { left, added, known } = await bring(world, ...rows)
      expect([step, left, added + known]).toEqual([step, [], 2])
      expect(await subOf(world, ADA, 'old1')).toBe('old-ada')
    }
  })

  it('puts no hash into the log or the ledger as it is', async () => {
    const world = withPasswords()
    await bring(
      world,
      row('old-ada', ADA, BETTER_AUTH.old1),
      row('x', 'x@mail.example', 'plain text'),
    )
    const [salt = ''] = BETTER_AUTH.old1.split(':')
    const texts = [world.lines, world.errors, world.calls.map(({ args }) => args)].map((one) =>
      JSON.stringify(one),
    )
    for (const text of texts)
      expect([text.includes(salt), text.includes('plain text')]).toEqual([false, false])
  })
})

it('attack: accounts are asked for by a package that is missing: the answer is that of a wrong password', async () => {
  const world = withPasswords()
  await bring(world, row('old-ada', ADA, FORMATS['bcrypt with cost 4']))
  vi.doMock('bcryptjs', () => {
    throw new Error('It is not there.')
  })
  try {
    expect(errorOf(await world.signInBy(world.browser(), ADA, 'winter sun'))).toBe(WRONG)
    expect(world.errors.map(({ message }) => message).join()).toContain('npm install bcryptjs')
  } finally {
    vi.doUnmock('bcryptjs')
  }
})

it('attack: a copy of the ledger: an old hash needs the secret too, and moves to a new one', async () => {
  const world = withPasswords()
  await bring(
    world,
    row('old-ada', ADA, BETTER_AUTH.old1),
    row('old-ben', 'ben@mail.example', BETTER_AUTH.old1),
  )
  const newer = 'another-secret-of-the-tests-0123456789ab'
  const more = { inner: world.inner, mails: world.mails }
  expect(await subOf(withPasswords({}, { secret: [newer, secret] }, more), ADA, 'old1')).toBe(
    'old-ada',
  )
  const retired = withPasswords({}, { secret: newer }, more)
  expect(await subOf(retired, ADA, 'old1')).toBe('old-ada')
  expect(await subOf(retired, 'ben@mail.example', 'old1')).toBeUndefined()
  await retired.signedUp('ben@mail.example', OTHER)
  expect(await subOf(retired, 'ben@mail.example', OTHER)).toBe('old-ben')
})

it('attack: many sign-ins at once take the memory of one old hash', async () => {
  const world = withPasswords()
  const people = ['a', 'b', 'c', 'd']
  await bring(
    world,
    ...people.map((name) =>
      row(`old-${name}`, `${name}@mail.example`, FORMATS['scrypt with 64 MiB']),
    ),
  )
  const crypto = process.getBuiltinModule('node:crypto')
  const { scrypt } = crypto
  let [now, most] = [0, 0]
  crypto.scrypt = ((...args: unknown[]) => {
    const done = args.pop() as (...args: unknown[]) => void
    most = Math.max(most, ++now)
    ;(scrypt as (...args: unknown[]) => void)(...args, (...answer: unknown[]) => {
      now--
      done(...answer)
    })
  }) as never
  try {
    const signedIn = await Promise.all(
      people.map((name) => world.signInBy(world.browser(), `${name}@mail.example`, 'winter sun')),
    )
    expect([signedIn.every(setsSession), most]).toEqual([true, 1])
  } finally {
    crypto.scrypt = scrypt
  }
})
