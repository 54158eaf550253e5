import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  type AuthenticatorOptions,
  type CreationOptions,
  createAuthenticator,
  type RequestOptions,
} from './create-authenticator.js'

const origin = 'https://app.example.com'
const challenge = 'Y2hhbGxlbmdlLW9mLXRoZS10ZXN0cw'
const user = { id: 'aGFuZGxlLW9mLWFkYQ' }
const creation: CreationOptions = {
  challenge,
  rp: { id: 'example.com' },
  user,
  pubKeyCredParams: [{ alg: -7 }, { alg: -8 }, { alg: -257 }],
}
const request: RequestOptions = { challenge, rpId: 'example.com' }

const decode = (text: string) => Buffer.from(text, 'base64url')
const parse = (text: string): unknown => JSON.parse(decode(text).toString())

/** The flags and the counter of the authenticator data. */
function stateOf({ authenticatorData }: { authenticatorData: string }) {
  const data = decode(authenticatorData)
  return { flags: data.readUInt8(32), counter: data.readUInt32BE(33) }
}

async function used(options: Partial<AuthenticatorOptions>) {
  const authenticator = createAuthenticator({ origin, ...options })
  const created = await authenticator.create(creation)
  const asserted = await authenticator.get(request)
  return { created, asserted, states: [created, asserted].map(({ response }) => stateOf(response)) }
}

describe('the software authenticator', () => {
  test('answers as toJSON() does in a browser', async () => {
    const { created, asserted } = await used({})
    const { id } = created
    const credential = { id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform' }
    expect(created).toEqual({
      ...credential,
      clientExtensionResults: { credProps: { rk: true } },
      response: {
        clientDataJSON: expect.any(String),
        attestationObject: expect.any(String),
        authenticatorData: expect.any(String),
        publicKey: expect.any(String),
        publicKeyAlgorithm: -7,
        transports: ['internal'],
      },
    })
    expect(asserted).toEqual({
      ...credential,
      clientExtensionResults: {},
      response: {
        clientDataJSON: expect.any(String),
        authenticatorData: expect.any(String),
        signature: expect.any(String),
        userHandle: user.id,
      },
    })
    expect(parse(created.response.clientDataJSON)).toEqual({
      ...{ type: 'webauthn.create', challenge, origin, crossOrigin: false },
    })
    expect(parse(asserted.response.clientDataJSON)).toMatchObject({ type: 'webauthn.get' })
  })

  test('takes the options of the platform’s own types', () => {
    // For the compiler.
    const ofPlatform = (options: PublicKeyCredentialCreationOptionsJSON): CreationOptions => options
    const toPlatform = (options: PublicKeyCredentialRequestOptionsJSON): RequestOptions => options
    expect([typeof ofPlatform, typeof toPlatform]).toEqual(['function', 'function'])
  })

  test.each([
    [[-7], 'ec'],
    [[-8, -7], 'ed25519'],
    [[-257, -7], 'rsa'],
    [[-39, -36, -8, -257], 'ed25519'],
    [[], 'ec'],
  ])('takes the first algorithm of %j that it has', async (algs, kind) => {
    const authenticator = createAuthenticator({ origin })
    const pubKeyCredParams = algs.map((alg) => ({ alg }))
    const { response } = await authenticator.create({ ...creation, pubKeyCredParams })
    const key = createPublicKey({ key: decode(response.publicKey), format: 'der', type: 'spki' })
    expect(key.asymmetricKeyType).toBe(kind)
  })

  test('makes no passkey of another algorithm', async () => {
    const options = { ...creation, pubKeyCredParams: [{ alg: -35 }] }
    const creating = createAuthenticator({ origin }).create(options)
    await expect(creating).rejects.toMatchObject({ name: 'NotSupportedError' })
  })

  test('makes no second passkey if the options exclude the first', async () => {
    const authenticator = createAuthenticator({ origin })
    const { id } = await authenticator.create(creation)
    const excluding = authenticator.create({ ...creation, excludeCredentials: [{ id }] })
    await expect(excluding).rejects.toMatchObject({ name: 'InvalidStateError' })
    const others = { ...creation, excludeCredentials: [{ id: 'AAAA' }] }
    expect((await authenticator.create(others)).id).not.toBe(id)
  })

  test.each<[string, RequestOptions]>([
    ['for another relying party', { challenge, rpId: 'other.example' }],
    ['for the page’s host under another name', { challenge }],
    ['that are allowed, and are elsewhere', { ...request, allowCredentials: [{ id: 'AAAA' }] }],
  ])('does not sign in with passkeys %s', async (_, options) => {
    const authenticator = createAuthenticator({ origin })
    await authenticator.create(creation)
    await expect(authenticator.get(options)).rejects.toMatchObject({ name: 'NotAllowedError' })
  })

  test('signs in with the passkey that was made last, or one that is allowed', async () => {
    const authenticator = createAuthenticator({ origin })
    const first = await authenticator.create(creation)
    const last = await authenticator.create({ ...creation, user: { id: 'c29tZWJvZHkgZWxzZQ' } })
    expect(await authenticator.get(request)).toMatchObject({ id: last.id })
    expect(await authenticator.get({ ...request, allowCredentials: [] })).toMatchObject({
      id: last.id,
      response: { userHandle: 'c29tZWJvZHkgZWxzZQ' },
    })
    const allowed = { ...request, allowCredentials: [{ id: first.id }] }
    expect(await authenticator.get(allowed)).toMatchObject({ id: first.id })
  })

  test('takes the page’s own host if the options name no relying party', async () => {
    const authenticator = createAuthenticator({ origin })
    const { id } = await authenticator.create({ ...creation, rp: {} })
    expect(await authenticator.get({ challenge })).toMatchObject({ id })
    expect(await authenticator.get({ challenge, rpId: 'app.example.com' })).toMatchObject({ id })
  })

  test.each<[string, Partial<AuthenticatorOptions>, number]>([
    ['verifies', {}, 0x05],
    ['does not verify', { userVerified: false }, 0x01],
    ['copies', { backupEligible: true }, 0x1d],
    ['could copy', { backupEligible: true, backedUp: false }, 0x0d],
    ['lies about copies', { backedUp: true }, 0x15],
  ])('%s', async (_, options, flags) => {
    const { states } = await used(options)
    expect(states.map((state) => state.flags)).toEqual([flags | 0x40, flags])
  })

  test.each<[string, AuthenticatorOptions['counter'], number[]]>([
    ['one by one', undefined, [1, 2]],
    ['not at all', () => 0, [0, 0]],
    ['as one that was cloned', () => 1, [1, 1]],
    ['from a number on', (last) => last + 2 ** 31, [2 ** 31, 0]],
  ])('counts %s', async (_, counter, counters) => {
    const { states } = await used({ counter })
    expect(states.map((state) => state.counter)).toEqual(counters)
  })

  test('says its own kind', async () => {
    const aaguid = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'
    const { created } = await used({ aaguid })
    const data = decode(created.response.authenticatorData)
    expect(data.subarray(37, 53).toString('hex')).toBe(aaguid.replaceAll('-', ''))
  })
})
