import { SignJWT } from 'jose'
import { customFetch } from '../lib/symbols.js'
import apple from '../providers/apple.js'
import auth0 from '../providers/auth0.js'
import authentik from '../providers/authentik.js'
import azureADB2C from '../providers/azure-ad-b2c.js'
import cognito from '../providers/cognito.js'
import gitlab from '../providers/gitlab.js'
import google from '../providers/google.js'
import huggingFace from '../providers/hugging-face.js'
import keycloak from '../providers/keycloak.js'
import line from '../providers/line.js'
import okta from '../providers/okta.js'
import salesforce from '../providers/salesforce.js'
import slack from '../providers/slack.js'
import twitch from '../providers/twitch.js'
import zitadel from '../providers/zitadel.js'
import type { Account, Provider } from '../types.js'
import { Browser, configWith, errorOf, signInAt } from './browser.js'
import { type TestIssuer, testIssuer } from './issuer.js'
import { AS_TEXT, type Described, email, UNVERIFIED } from './preset-addresses.js'

/** A preset over OpenID Connect, whose issuer signs as in its documentation. */
export interface OpenIdRow {
  readonly preset: (options: object) => Provider
  /** The signer of the ID tokens. */
  readonly issuer: string
  /** The option `issuer`, if the vendor has no issuer of its own, and the variable for it. */
  readonly ownIssuer?: string
  /** The preset's request, with every parameter of its own. */
  readonly asks: Readonly<Record<string, string>>
  readonly secret: 'post' | 'basic'
  /** ID tokens that the client's secret signs. */
  readonly isSymmetric?: true
  readonly claims: Described
  /** The user info, which then has the address in place of the ID token. */
  readonly userinfo?: Described
  /** The preset asks for user info although the ID token alone may describe the person. */
  readonly asksAnyway?: true
  /** The address as the vendor documents it. */
  readonly address: Described
  /** The user that it signs in. */
  readonly user: { readonly name: string | null; readonly email: string; readonly image?: unknown }
  readonly providerAccountId: string
  /** Addresses that the vendor vouches for. */
  readonly vouching: readonly Described[]
  /**
   * The addresses that it does not vouch for, in each form that it has or that is easily taken for
   * it.
   */
  readonly others: readonly Described[]
}

export const client = {
  clientId: 'the-client-id',
  clientSecret: 'the-client-secret-of-enough-length',
}
const name = 'Ada Lovelace'
const scope = 'openid profile email'
const verified = { email, email_verified: true }
const STANDARD = { address: verified, vouching: [verified], others: UNVERIFIED }
const TEXTUAL = [
  ...UNVERIFIED,
  { email, email_verified: 'false' },
  { email, email_verified: 'TRUE' },
]

export const OPENID_PRESETS = {
  google: {
    preset: google,
    issuer: 'https://accounts.google.com',
    asks: { scope },
    secret: 'post',
    claims: {
      azp: client.clientId,
      sub: '10769150350006150715113082367',
      name,
      given_name: 'Ada',
      family_name: 'Lovelace',
      picture: 'https://lh3.googleusercontent.com/a/photo=s96-c',
    },
    address: { ...verified, hd: 'example.com' },
    user: { name, email, image: 'https://lh3.googleusercontent.com/a/photo=s96-c' },
    providerAccountId: '10769150350006150715113082367',
    vouching: [
      { email, email_verified: true, hd: 'example.com' },
      { email: 'ada@gmail.com', email_verified: true },
      { email: 'Ada@GMAIL.com', email_verified: true },
    ],
    others: [
      ...UNVERIFIED,
      ...AS_TEXT,
      // Google does not run the mailbox: it is verified once, and may have another owner since.
      { email, email_verified: true },
      { email, email_verified: true, hd: '' },
      { email, email_verified: true, hd: ['example.com'] },
      { email: 'ada@gmail.com.evil.example', email_verified: true },
      { email: 'ada@evil-gmail.com', email_verified: true },
      { email: 'ada@gmail.com', email_verified: false },
      { email, email_verified: false, hd: 'example.com' },
      { email: 'ada@gmail.com' },
    ],
  },
  apple: {
    preset: apple,
    issuer: 'https://appleid.apple.com',
    asks: { scope: 'openid name email', response_mode: 'form_post' },
    secret: 'post',
    claims: { sub: '001234.0123456789abcdef0123456789abcdef.1234', nonce_supported: true },
    address: { email: 'dpdcnf87nu@privaterelay.appleid.com', email_verified: 'true' },
    user: { name: null, email: 'dpdcnf87nu@privaterelay.appleid.com', image: null },
    providerAccountId: '001234.0123456789abcdef0123456789abcdef.1234',
    vouching: [verified, ...AS_TEXT],
    others: TEXTUAL,
  },
  slack: {
    preset: slack,
    issuer: 'https://slack.com',
    asks: { scope },
    secret: 'post',
    claims: {
      sub: 'U0R7MFMJM',
      'https://slack.com/team_id': 'T0R7GR52J',
      'https://slack.com/user_id': 'U0R7MFMJM',
      date_email_verified: 1_622_128_723,
      name,
      locale: 'en-US',
    },
    userinfo: { ok: true, name, picture: 'https://secure.gravatar.com/avatar/ada.png' },
    ...STANDARD,
    user: { name, email, image: 'https://secure.gravatar.com/avatar/ada.png' },
    providerAccountId: 'U0R7MFMJM',
  },
  gitlab: {
    preset: gitlab,
    issuer: 'https://gitlab.com',
    asks: { scope },
    secret: 'post',
    // The ID token has less than the user info.
    claims: { sub: '16777216', sub_legacy: 'f6c5c1d8', auth_time: 1_700_000_000 },
    userinfo: {
      name,
      nickname: 'ada',
      preferred_username: 'ada',
      picture: 'https://gitlab.com/uploads/-/system/user/avatar/1/avatar.png',
      groups: ['analysts'],
    },
    ...STANDARD,
    user: { name, email, image: 'https://gitlab.com/uploads/-/system/user/avatar/1/avatar.png' },
    providerAccountId: '16777216',
  },
  twitch: {
    preset: twitch,
    issuer: 'https://id.twitch.tv/oauth2',
    // There are no scopes for claims: each is asked for by its name.
    asks: {
      scope: 'openid user:read:email',
      claims: JSON.stringify({
        id_token: { email: null, email_verified: null, picture: null, preferred_username: null },
      }),
    },
    secret: 'post',
    claims: {
      azp: client.clientId,
      sub: '713936733',
      picture: 'https://static-cdn.jtvnw.net/user-default-pictures/profile-300x300.png',
      preferred_username: 'AdaLovelace',
    },
    ...STANDARD,
    user: {
      name: 'AdaLovelace',
      email,
      image: 'https://static-cdn.jtvnw.net/user-default-pictures/profile-300x300.png',
    },
    providerAccountId: '713936733',
  },
  line: {
    preset: line,
    issuer: 'https://access.line.me',
    asks: { scope: 'openid profile' },
    secret: 'post',
    isSymmetric: true,
    claims: {
      sub: 'U1234567890abcdef1234567890abcdef',
      amr: ['pwd'],
      name: 'Taro Line',
      picture: 'https://sample_line.me/aBcdefg123456',
    },
    address: { email },
    user: { name: 'Taro Line', email, image: 'https://sample_line.me/aBcdefg123456' },
    providerAccountId: 'U1234567890abcdef1234567890abcdef',
    vouching: [],
    others: [{ email }, { email, email_verified: true }, { email, verified: true }],
  },
  'hugging-face': {
    preset: huggingFace,
    issuer: 'https://huggingface.co',
    asks: { scope },
    secret: 'basic',
    claims: { sub: '62f264b9f3c90f4b6514a269' },
    userinfo: {
      name,
      preferred_username: 'ada',
      profile: 'https://huggingface.co/ada',
      picture: 'https://cdn-avatars.huggingface.co/v1/1.png',
      isPro: false,
    },
    ...STANDARD,
    user: { name, email, image: 'https://cdn-avatars.huggingface.co/v1/1.png' },
    providerAccountId: '62f264b9f3c90f4b6514a269',
  },
  auth0: {
    preset: auth0,
    // It writes its name with a slash, however it was given.
    issuer: 'https://example.eu.auth0.com/',
    ownIssuer: 'https://example.eu.auth0.com',
    asks: { scope },
    secret: 'post',
    claims: {
      sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      nickname: 'ada',
      name,
      picture: 'https://s.gravatar.com/avatar/ada.png',
      updated_at: '2026-01-01T00:00:00.000Z',
    },
    ...STANDARD,
    user: { name, email, image: 'https://s.gravatar.com/avatar/ada.png' },
    providerAccountId: 'auth0|5f7c8ec7c33c6c004bbafe82',
  },
  okta: {
    preset: okta,
    issuer: 'https://example.okta.com/oauth2/default',
    ownIssuer: 'https://example.okta.com/oauth2/default',
    asks: { scope },
    secret: 'post',
    // The claims of the scopes are in the user info.
    claims: { sub: '00uid4BxXw6I6TV4m0g3', ver: 1, idp: '00ok1u7AsAkrwdZL3z0g3', amr: ['pwd'] },
    // A login that looks like an address is not an address.
    userinfo: { name, preferred_username: 'ceo@example.com', zoneinfo: 'Europe/London' },
    ...STANDARD,
    user: { name, email, image: null },
    providerAccountId: '00uid4BxXw6I6TV4m0g3',
  },
  keycloak: {
    preset: keycloak,
    asksAnyway: true,
    issuer: 'https://keycloak.example.com/realms/staff',
    ownIssuer: 'https://keycloak.example.com/realms/staff',
    asks: { scope },
    secret: 'post',
    claims: {
      typ: 'ID',
      azp: client.clientId,
      sid: '5fb1c4f4-1a0f-4a35-9a6c-1c7f5a1f8f5e',
      acr: '1',
      sub: 'a1d0ff2c-9a1f-4a53-9b53-9a0b0d9a3f11',
      name,
      preferred_username: 'ada',
    },
    ...STANDARD,
    user: { name, email, image: null },
    providerAccountId: 'a1d0ff2c-9a1f-4a53-9b53-9a0b0d9a3f11',
  },
  cognito: {
    preset: cognito,
    issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a1B2c3D4e',
    ownIssuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a1B2c3D4e',
    asks: { scope },
    secret: 'post',
    claims: {
      sub: '248289761001',
      'cognito:username': 'ada',
      'cognito:groups': ['analysts'],
      token_use: 'id',
    },
    userinfo: { username: 'ada', name },
    // The ID token has a boolean, the user info a text.
    address: { email, email_verified: 'true' },
    user: { name, email, image: null },
    providerAccountId: '248289761001',
    vouching: [verified, ...AS_TEXT],
    others: TEXTUAL,
  },
  salesforce: {
    preset: salesforce,
    issuer: 'https://login.salesforce.com',
    asks: { scope },
    secret: 'post',
    claims: { sub: 'https://login.salesforce.com/id/00Dx0000000BV7zEAG/005x00000012Q9PAAU' },
    userinfo: {
      user_id: '005x00000012Q9PAAU',
      organization_id: '00Dx0000000BV7zEAG',
      preferred_username: 'victim@example.com',
      name,
      picture: 'https://example.file.force.com/profilephoto/005/F',
    },
    ...STANDARD,
    user: { name, email, image: 'https://example.file.force.com/profilephoto/005/F' },
    providerAccountId: '005x00000012Q9PAAU',
  },
  zitadel: {
    preset: zitadel,
    issuer: 'https://example-a1b2c3.zitadel.cloud',
    ownIssuer: 'https://example-a1b2c3.zitadel.cloud',
    asks: { scope },
    secret: 'basic',
    claims: { sub: '259242039378444290', amr: ['pwd'] },
    userinfo: { name, preferred_username: 'ada@example.zitadel.cloud' },
    ...STANDARD,
    user: { name, email, image: null },
    providerAccountId: '259242039378444290',
  },
  authentik: {
    preset: authentik,
    issuer: 'https://authentik.example.com/application/o/shop/',
    ownIssuer: 'https://authentik.example.com/application/o/shop/',
    asks: { scope },
    secret: 'basic',
    claims: {
      sub: 'f9c5b2c1a8e94d0c9b5b6c6f7e8d9a0b',
      acr: 'goauthentik.io/providers/oauth2/default',
    },
    userinfo: { name, preferred_username: 'ada', nickname: 'ada', groups: ['staff'] },
    ...STANDARD,
    user: { name, email, image: null },
    providerAccountId: 'f9c5b2c1a8e94d0c9b5b6c6f7e8d9a0b',
  },
  'azure-ad-b2c': {
    preset: azureADB2C,
    issuer: 'https://contoso.b2clogin.com/775527ff-9a37-4307-8b3d-cc311f58d925/v2.0/',
    ownIssuer:
      'https://contoso.b2clogin.com/775527ff-9a37-4307-8b3d-cc311f58d925/B2C_1_signin/v2.0',
    asks: { scope },
    secret: 'post',
    claims: {
      sub: '884408e1-2918-4cz0-b12d-3aa027d7563b',
      tfp: 'B2C_1_signin',
      name,
      ver: '1.0',
    },
    address: { emails: [email, 'lovelace@example.com'] },
    user: { name, email, image: null },
    providerAccountId: '884408e1-2918-4cz0-b12d-3aa027d7563b',
    vouching: [],
    others: [{ email }, { emails: [email], email_verified: true }],
  },
} satisfies Readonly<Record<string, OpenIdRow>>

/** The members of the row that a sign-in changes. */
interface Changes {
  readonly address?: Described
  /** Is the address in the ID token and in the user info? Else it is where the vendor has it. */
  readonly isTwice?: boolean
  readonly claims?: Described
  /** The options of the preset. */
  readonly options?: object
  readonly prepare?: (issuer: TestIssuer) => unknown
}

/** A preset at an issuer that answers as its row says. */
export async function rowIssuer(row: OpenIdRow, changes: Changes = {}) {
  const { address = row.address, isTwice = false } = changes
  const isRecorded = Object.keys(changes).length === 0 && !row.isSymmetric
  // Vendors sign by RSA, and its keys take long to make.
  const issuer = await testIssuer(row.issuer, { alg: isRecorded ? 'RS256' : 'ES256' })
  const inToken = isTwice || !row.userinfo ? address : {}
  issuer.claims = { ...row.claims, ...inToken, ...changes.claims }
  const described = { sub: row.claims.sub, ...row.userinfo, ...address }
  if (row.userinfo || isTwice) issuer.userinfo = described
  if (row.isSymmetric) {
    const key = new TextEncoder().encode(client.clientSecret)
    issuer.sign = (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key)
  }
  changes.prepare?.(issuer)
  const options = row.ownIssuer === undefined ? {} : { issuer: row.ownIssuer }
  const provider = row.preset({
    ...client,
    ...options,
    [customFetch]: issuer.fetch,
    ...changes.options,
  })
  const accounts: Account[] = []
  const signIn = ({ account }: { account: Account }) => accounts.push(account) > 0
  const browser = new Browser(configWith({ providers: [provider], callbacks: { signIn } }))
  return { issuer, provider, browser, accounts }
}

/** A sign-in there, after a consent. */
export async function rowSignIn(row: OpenIdRow, changes: Changes = {}) {
  const { issuer, provider, browser, accounts } = await rowIssuer(row, changes)
  const end = errorOf(await signInAt(browser, provider.id))
  return { issuer, end, account: accounts[0], user: (await browser.session())?.user }
}
