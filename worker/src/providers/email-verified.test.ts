import { createSandbox } from '@latchkey/sandbox'
import { describe, expect, it } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { Browser, configWith, errorOf, locationOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import { AS_TEXT, type Described, email, UNVERIFIED } from '../test-support/preset-addresses.js'
import type { OIDCConfig, User } from '../types.js'
import fromHono from './from-hono.js'
import microsoftEntraId from './microsoft-entra-id.js'
import oidc from './oidc.js'
import videoapp from './videoapp.js'

type SignedIn = User | undefined

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret-of-enough-length' }

/** A person's answers by what they are, and how a preset makes its user of one. */
interface Vendor {
  readonly userOf: (answer: Described) => Promise<SignedIn>
  /** Answers that vouch for the address. */
  readonly vouching: readonly Described[]
  /** Answers that do not, in each way that the vendor has or that is easily taken for it. */
  readonly others: readonly Described[]
}

/** An OpenID preset: the ID token has the answer, or, if one is asked for, the user info too. */
function openId(
  preset: (options: object) => OIDCConfig,
  issuer = 'https://issuer.example',
  { at = issuer, own = {} as Described } = {},
): Vendor['userOf'] {
  return async (answer) => {
    const it = await testIssuer(at, { alg: 'ES256' })
    it.claims = { ...own, ...answer }
    // A vendor that describes the person twice says the same twice.
    it.userinfo = { sub: 'ada', ...answer }
    const given = issuer === 'fixed' ? {} : { issuer }
    const provider = preset({ ...client, ...given, [customFetch]: it.fetch })
    const browser = new Browser(configWith({ providers: [provider] }))
    await signInAt(browser, provider.id)
    return (await browser.session())?.user as SignedIn
  }
}

const TENANT = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'
const CLOUD = 'https://login.microsoftonline.com'
const entraOf = (tid: string, issuer?: string) =>
  openId(microsoftEntraId as never, issuer ?? 'fixed', {
    at: issuer ?? `${CLOUD}/{tenantid}/v2.0`,
    own: { tid, iss: `${CLOUD}/${tid}/v2.0` },
  })
const UNVOUCHED_AT_ENTRA: readonly Described[] = [
  ...UNVERIFIED,
  { email, email_verified: true },
  { email, xms_edov: false },
  { email, xms_edov: 0 },
  { email, xms_edov: '0' },
  { email, xms_edov: 'false' },
  { xms_edov: true },
  { preferred_username: email, upn: email, xms_edov: true },
]

// The other presets have their addresses in presets.test.ts.
const VENDORS: Readonly<Record<string, Vendor>> = {
  // The user name, chosen freely, is the `email` of a person.
  videoapp: {
    userOf: async ({ person }) => {
      const sandbox = createSandbox()
      const network: typeof fetch = async (input, init) => sandbox.request(String(input), init)
      const own = { clientId: 'sandbox-client-key', clientSecret: 'sandbox-client-secret' }
      const provider = videoapp({ ...own, [customFetch]: network })
      const browser = new Browser(configWith({ providers: [provider] }))
      const consent = await browser.start('videoapp')
      const body = new URLSearchParams({ person: String(person), decision: 'allow' })
      body.append('scope', 'user.info.profile')
      const answer = await sandbox.request(consent.href, { method: 'POST', body })
      const back = new URL(locationOf(answer))
      expect(errorOf(await browser.get(back.pathname + back.search))).toBe('/inbox')
      return (await browser.session())?.user as SignedIn
    },
    vouching: [],
    others: [{ person: 'vic' }, { person: 'ada' }],
  },
  'microsoft-entra-id': {
    userOf: entraOf(TENANT),
    vouching: [true, 1, '1', 'true'].map((xms_edov) => ({ email, xms_edov })),
    others: UNVOUCHED_AT_ENTRA,
  },
  'microsoft-entra-id, one tenant': {
    userOf: entraOf(TENANT, `${CLOUD}/${TENANT}/v2.0`),
    vouching: [{ email, xms_edov: true }],
    others: UNVOUCHED_AT_ENTRA,
  },
  'microsoft-entra-id, personal accounts': {
    userOf: entraOf(CONSUMERS),
    vouching: [{ email, xms_edov: true }],
    others: UNVOUCHED_AT_ENTRA,
  },
  oidc: {
    userOf: openId(oidc as never),
    vouching: [{ email, email_verified: true }],
    others: [...UNVERIFIED, ...AS_TEXT],
  },
}

describe.each(Object.entries(VENDORS))('%s', (_, { userOf, vouching, others }) => {
  it.each(vouching)('%j is an address that the provider vouches for', async (answer) => {
    const user = await userOf(answer)
    expect(user?.email).toMatch(/^ada@/i)
    expect(user?.emailVerified).toBe(true)
  })

  it.each(others)('%j does not count as verified', async (answer) => {
    const user = await userOf(answer)
    expect(user).toBeDefined()
    expect(user).not.toHaveProperty('emailVerified')
  })
})

describe('fromHono', () => {
  const provider = fromHono({
    id: 'any',
    name: 'Any',
    middleware: () => async () => {},
  })
  const userOf = async (person: Described) => provider.profile?.({ id: '1', ...person }, {})

  it.each<Described>([
    { email, email_verified: true },
    { confirmed_email: email },
    { email: 'ada@gmail.com', verified_email: true },
    { email, verified_email: true, hd: 'example.com' },
  ])('vouches for the address in %j', async (person) => {
    expect(await userOf(person)).toMatchObject({ emailVerified: true })
  })

  it.each<Described>([
    { email },
    { email, verified: true },
    { email, email_verified: 'true' },
    { email, verified_email: true },
    { email: 'ada@gmail.com', verified_email: false },
    { email: null, email_verified: true },
    { mail: email, userPrincipalName: email, email_verified: true },
    { confirmed_email: '' },
  ])('vouches for nothing in %j', async (person) => {
    expect((await userOf(person)) ?? {}).not.toHaveProperty('emailVerified')
  })
})
