import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { holds } from '../../../../test/support/holds.js'
import { encode, map } from '../../test-support/passkeys/cbor.js'
import {
  assertion,
  base64Url,
  type Changes,
  EXPECTED,
  FLAGS,
  type Genuine,
  registration,
  sha256,
} from '../../test-support/passkeys/forge.js'
import { ALGS, makeGenuine } from '../../test-support/passkeys/genuine.js'
import { type StoredPasskey, verifyAssertion } from './assertion.js'
import { readCredential } from './credential.js'
import { verifyRegistration } from './registration.js'

let genuine: Genuine
beforeAll(async () => {
  ;({ genuine } = await makeGenuine(-7))
})

async function registered(changes: Changes, expected = EXPECTED) {
  const credential = readCredential(registration(genuine, changes))
  return credential ? verifyRegistration(credential, expected) : 'unread'
}

async function asserted(changes: Changes, kept: Partial<StoredPasskey> = {}, expected = EXPECTED) {
  const { id, spki: key, handle } = genuine
  const passkey: StoredPasskey = {
    ...{ id: base64Url(id), key, alg: -7, handle, counter: 6, be: false },
    ...kept,
  }
  const credential = readCredential(assertion(genuine, changes))
  return credential ? verifyAssertion(credential, passkey, expected) : 'unread'
}

const PRESENT = FLAGS.up | FLAGS.uv
const says = (clientData: Record<string, unknown>): Changes => ({ clientData })

/** Unrequested extensions, a few bytes longer than the given number. */
const withExtensions = (bytes: number): Changes => ({
  flags: PRESENT | FLAGS.extensions,
  extensions: encode(map(['x', new Uint8Array(bytes)])),
})

/** Signed by the passkey itself. */
const packed = (statement: NonNullable<Changes['statement']>): Changes => ({
  fmt: 'packed',
  statement,
})

const inBoth: [reason: string, changes: Changes][] = [
  ['challenge', says({ challenge: 'YW5vdGhlcg' })],
  ['origin', says({ origin: 'https://attacker.example' })],
  ['cross-origin', says({ crossOrigin: true })],
  ['top-origin', says({ topOrigin: 'https://app.example.com' })],
  ['rp-id', { rpIdHash: sha256('attacker.example') }],
  ['rp-id', { rpIdHash: sha256('example.com').map((byte, at) => (at < 31 ? byte : byte ^ 1)) }],
  ['unread', says({ type: undefined })],
  ['unread', says({ challenge: 7 })],
  ['unread', says({ origin: null })],
  ['unread', { credential: { type: 'password' } }],
  ['unread', { response: { clientDataJSON: 'bm8gSlNPTg' } }],
]

describe('a registration is refused for the reason', () => {
  test.each<[string, Changes]>([
    ...inBoth,
    ['type', says({ type: 'webauthn.get' })],
    ['attestation-object', { objectBytes: (bytes) => bytes.slice(1) }],
    ['authenticator-data', { authData: (bytes) => bytes.slice(0, -1) }],
    ['authenticator-data', { flags: PRESENT, authData: (bytes) => bytes.slice(0, 37) }],
    ['user-presence', { flags: FLAGS.uv | FLAGS.attested }],
    ['user-verification', { flags: FLAGS.up | FLAGS.attested }],
    ['backup-state', { flags: PRESENT | FLAGS.attested | FLAGS.bs }],
    ['credential-id', { credential: { id: 'AAAA', rawId: 'AAAA' } }],
    ['public-key', { key: map([1, 2], [3, -7]) }],
    ['attestation', { fmt: 'tpm' }],
    ['copy', { response: { publicKey: 'AAAA' } }],
    ['copy', { response: { authenticatorData: 'AAAA' } }],
    ['copy', { response: { publicKeyAlgorithm: -8 } }],
    ['attestation-object', { objectBytes: (bytes) => new Uint8Array([...bytes, 0]) }],
    ['attestation-object', { object: () => map(['fmt', 'none'], ['attStmt', map()]) }],
    ['attestation-object', { object: () => map(['authData', 'text']) }],
    ['attestation', { statement: () => map(['x', 1]) }],
    ['attestation', { statement: () => 'none' }],
    ['attestation', packed(({ signature }) => map(['alg', -8], ['sig', signature]))],
    ['attestation', packed(({ signature }) => map(['sig', signature]))],
    ['attestation', packed(({ signature }) => map(['alg', -7], ['sig', signature], ['x5c', []]))],
    ['attestation', packed(() => map(['alg', -7], ['sig', 'text']))],
    ['attestation', packed(() => 'none')],
  ])('%s', async (reason, changes) => {
    expect(await registered(changes)).toBe(reason)
  })
})

test('a registration that is signed by its own passkey is accepted', async () => {
  const changes = packed(({ signature }) => map(['alg', -7], ['sig', signature]))
  expect(await registered(changes)).toMatchObject({ alg: -7, counter: 7 })
})

describe('a sign-in is refused for the reason', () => {
  test.each<[string, Changes, Partial<StoredPasskey>?]>([
    ...inBoth,
    ['type', says({ type: 'webauthn.create' })],
    ['authenticator-data', { response: { authenticatorData: 'AAAA' } }],
    ['user-presence', { flags: FLAGS.uv }],
    ['user-verification', { flags: FLAGS.up }],
    ['backup-state', { flags: PRESENT | FLAGS.bs }],
    ['backup-eligibility', { flags: PRESENT | FLAGS.be }],
    ['backup-eligibility', {}, { be: true }],
    ['credential-id', {}, { id: 'AAAA' }],
    ['user-handle', { response: { userHandle: undefined } }],
    ['user-handle', {}, { handle: 'c29tZWJvZHkgZWxzZQ' }],
    ['signature', { signature: (signature) => signature.toReversed() }],
    ['signature', {}, { alg: -8 }],
    ['signature', {}, { key: 'AAAA' }],
    ['authenticator-data', withExtensions(8 * 1024)],
  ])('%s', async (reason, changes, kept) => {
    expect(await asserted(changes, kept)).toBe(reason)
  })

  test('user-handle, if a passkey has none at all', async () => {
    const changes = { response: { userHandle: '' } }
    expect(await asserted(changes, { handle: '' })).toBe('user-handle')
  })
})

describe('the kept data of a passkey', () => {
  test('names its authenticator, and says whether it may be copied and has been', async () => {
    const aaguid = new Uint8Array(Buffer.from('ea9b8d664d011d213ce4b6b48cb575d4', 'hex'))
    const flags = PRESENT | FLAGS.attested | FLAGS.be | FLAGS.bs
    expect(await registered({ aaguid, flags, counter: 2 ** 32 - 1 })).toMatchObject({
      aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
      be: true,
      bs: true,
      counter: 2 ** 32 - 1,
    })
  })

  test.each([
    [undefined, undefined],
    ['usb', undefined],
    [[], []],
    [
      ['internal', 'hybrid', 'a-new-kind'],
      ['internal', 'hybrid', 'a-new-kind'],
    ],
    [
      ['usb', 7, null, 'A B', '', 'x'.repeat(33), 'nfc'],
      ['usb', 'nfc'],
    ],
    [Array(100).fill('usb'), Array(8).fill('usb')],
  ])('has of the transports %j', async (transports, kept) => {
    expect(await registered({ response: { transports } })).toMatchObject({ id: expect.any(String) })
    const verdict = await registered({ response: { transports } })
    expect(verdict).toHaveProperty('transports', kept)
  })
})

test('a browser that does not mention frames, and unrequested extensions, sign in', async () => {
  const changes = { ...says({ crossOrigin: undefined }), ...withExtensions(1_024) }
  expect(await asserted(changes)).toMatchObject({ counter: 7 })
})

describe('a counter', () => {
  test.each([
    [0, 0, false],
    [0, 1, false],
    [6, 7, false],
    [6, 6, true],
    [6, 5, true],
    [6, 0, true],
    [2 ** 32 - 1, 0, true],
    [0, 2 ** 32 - 1, false],
  ])('that was %j and is %j goes back: %j', async (last, counter, isRegressed) => {
    const verdict = await asserted({ counter }, { counter: last })
    expect(verdict).toEqual({ counter, bs: false, isRegressed })
  })
})

describe('every posted value gets a verdict', () => {
  const texts = fc.oneof(fc.string(), fc.base64String(), fc.constantFrom('AAAA', 'public-key'))
  const member = fc.oneof(texts, fc.anything())
  const id = fc.oneof(texts, fc.constant('AAAA'))
  const credentials = fc
    .record({
      id,
      type: fc.constantFrom<unknown>('public-key', 7),
      response: fc.record(
        {
          clientDataJSON: fc.oneof(
            member,
            fc.json().map((text) => base64Url(text)),
            fc.record({ type: texts, challenge: texts, origin: texts }).map((data) => {
              return base64Url(JSON.stringify(data))
            }),
          ),
          attestationObject: member,
          authenticatorData: member,
          signature: member,
          userHandle: member,
          transports: fc.anything(),
        },
        { requiredKeys: [] },
      ),
    })
    .map((credential) => ({ ...credential, rawId: credential.id }))

  test('of any shape', async () => {
    await holds(
      1_000,
      fc.property(fc.oneof(fc.anything(), credentials), (value) => {
        const credential = readCredential(value)
        if (credential) expect(typeof credential.clientData.challenge).toBe('string')
      }),
    )
  })

  test('the right client data and any rest', async () => {
    const response = fc.record(
      {
        attestationObject: member,
        authenticatorData: member,
        signature: member,
        userHandle: fc.oneof(member, fc.constant(undefined)),
        publicKey: member,
        publicKeyAlgorithm: member,
        transports: fc.anything(),
      },
      { requiredKeys: [] },
    )
    await holds(
      1_000,
      fc.asyncProperty(response, async (members) => {
        const own = {
          ...members,
          ...('userHandle' in members ? {} : { userHandle: genuine.handle }),
        }
        const base = readCredential(registration(genuine))
        const login = readCredential(assertion(genuine))
        if (!base || !login) throw new Error('The genuine ones are not read.')
        const kept = { id: base.id, key: genuine.spki, alg: -7, counter: 0, be: false } as const
        const verdicts = [
          await verifyRegistration({ ...base, response: own }, EXPECTED),
          await verifyAssertion(
            { ...login, response: own },
            { ...kept, handle: genuine.handle },
            EXPECTED,
          ),
        ]
        for (const verdict of verdicts) expect(typeof verdict).toBe('string')
      }),
    )
  })

  test.each(ALGS)('an invalid key of algorithm %j', async (alg) => {
    const { genuine: own } = await makeGenuine(alg)
    const login = readCredential(assertion(own))
    if (!login) throw new Error('The genuine one is not read.')
    for (const key of ['', 'AAAA', '!', genuine.spki.slice(4), `${genuine.spki}=`]) {
      const kept = { id: login.id, key, alg: alg as -7, counter: 0, be: false, handle: own.handle }
      expect(await verifyAssertion(login, kept, EXPECTED)).toBe('signature')
    }
  })
})
