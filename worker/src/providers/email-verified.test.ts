import { createSandbox } from '@latchkey/sandbox'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { PRESETS } from '../config/preset-table.js'
import { customFetch } from '../lib/symbols.js'
import {
  Browser,
  configWith,
  errorOf,
  locationOf,
  recorded,
  signInAt,
} from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import type { OAuthConfig, OIDCConfig, User } from '../types.js'
import apple from './apple.js'
import atlassian from './atlassian.js'
import auth0 from './auth0.js'
import authentik from './authentik.js'
import azureADB2C from './azure-ad-b2c.js'
import bitbucket from './bitbucket.js'
import cognito from './cognito.js'
import discord from './discord.js'
import dropbox from './dropbox.js'
import facebook from './facebook.js'
import figma from './figma.js'
import fromHono from './from-hono.js'
import github from './github.js'
import gitlab from './gitlab.js'
import google from './google.js'
import hubspot from './hubspot.js'
import huggingFace from './hugging-face.js'
import kakao from './kakao.js'
import keycloak from './keycloak.js'
import line from './line.js'
import linkedin from './linkedin.js'
import microsoftEntraId from './microsoft-entra-id.js'
import naver from './naver.js'
import notion from './notion.js'
import oidc from './oidc.js'
import okta from './okta.js'
import patreon from './patreon.js'
import paypal from './paypal.js'
import reddit from './reddit.js'
import salesforce from './salesforce.js'
import slack from './slack.js'
import spotify from './spotify.js'
import strava from './strava.js'
import twitch from './twitch.js'
import videoapp from './videoapp.js'
import vk from './vk.js'
import workos from './workos.js'
import x from './x.js'
import yandex from './yandex.js'
import zitadel from './zitadel.js'
import zoom from './zoom.js'

type SignedIn = User | undefined
type Described = Readonly<Record<string, unknown>>

const email = 'ada@example.com'
const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret-of-enough-length' }

/** A person's answers by what they are, and how a preset makes its user of one. */
interface Vendor {
  readonly userOf: (answer: Described) => Promise<SignedIn>
  /** Answers that vouch for the address. */
  readonly vouching: readonly Described[]
  /** Answers that do not, in each way that the vendor has or that is easily taken for it. */
  readonly others: readonly Described[]
}

/** What does not verify an address by the claims of OpenID Connect Core, 5.1, or ends the sign-in. */
const UNVERIFIED: readonly Described[] = [
  { email },
  { email, email_verified: false },
  { email, email_verified: null },
  { email, email_verified: 'yes' },
  { email, email_verified: 1 },
  { email, verified: true },
  { email, emailVerified: true },
  { email_verified: true },
  { email: null, email_verified: true },
  { email: [email], email_verified: true },
  { preferred_username: email, email_verified: true },
]

/** An OpenID preset: the ID token has the answer, or, where one is asked for, the user info too. */
function openId(
  preset: (options: object) => OIDCConfig,
  issuer = 'https://issuer.example',
  { at = issuer, own = {} as Described, isSymmetric = false } = {},
): Vendor['userOf'] {
  return async (answer) => {
    const it = await testIssuer(at, { alg: 'ES256' })
    it.claims = { ...own, ...answer }
    if (isSymmetric) {
      const key = new TextEncoder().encode(client.clientSecret)
      it.sign = (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key)
    }
    // Who describes the person twice says the same twice.
    it.userinfo = { sub: 'ada', ...answer }
    const given = issuer === 'fixed' ? {} : { issuer }
    const provider = preset({ ...client, ...given, [customFetch]: it.fetch })
    const browser = new Browser(configWith({ providers: [provider] }))
    await signInAt(browser, provider.id)
    return (await browser.session())?.user as SignedIn
  }
}

/** An OAuth preset, whose vendor answers as documented; `person` is what tells one from another. */
function oAuth<ProviderProfile>(
  preset: (options: object) => OAuthConfig<ProviderProfile>,
  answersOf: (person: Described) => Described,
  changes: Record<string, string> = {},
): Vendor['userOf'] {
  return async (person) => {
    const answers = answersOf(person)
    return (await recorded(preset, answers).signIn(changes)).user as SignedIn
  }
}

const tokens = { access_token: 'the-access-token', token_type: 'bearer' }
const standard = { vouching: [{ email, email_verified: true }], others: UNVERIFIED }

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

/** The claims as text, which only vendors that write them so may send. */
const asText: readonly Described[] = [{ email, email_verified: 'true' }]

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
  google: {
    userOf: openId(google as never, 'fixed', { at: 'https://accounts.google.com' }),
    vouching: [
      { email, email_verified: true, hd: 'example.com' },
      { email: 'ada@gmail.com', email_verified: true },
      { email: 'Ada@GMAIL.com', email_verified: true },
    ],
    others: [
      ...UNVERIFIED,
      ...asText,
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
  github: {
    userOf: oAuth(github as never, ({ emails, ...person }) => ({
      'github.com/login/oauth/access_token': { ...tokens, scope: 'read:user,user:email' },
      'api.github.com/user': { id: 583231, login: 'octocat', name: null, ...person },
      'api.github.com/user/emails': emails,
    })),
    vouching: [{ emails: [{ email, primary: true, verified: true }] }],
    others: [
      { email, emails: [] },
      { email, email_verified: true, emailVerified: true, emails: [] },
      { email, emails: new Response('', { status: 404 }) },
      { email, email_verified: true, emails: new Response('', { status: 403 }) },
      { emails: [{ email, primary: true, verified: false }] },
      { emails: [{ email, primary: true, verified: 'true' }] },
      { emails: [{ email, primary: false, verified: true }] },
      { email_verified: true, emails: [{ email, primary: true }] },
    ],
  },
  apple: {
    userOf: openId(apple as never, 'fixed', { at: 'https://appleid.apple.com' }),
    vouching: [{ email, email_verified: true }, ...asText],
    others: [...UNVERIFIED, { email, email_verified: 'false' }, { email, email_verified: 'TRUE' }],
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
  facebook: {
    userOf: oAuth(facebook as never, (person) => ({
      'graph.facebook.com/v24.0/oauth/access_token': tokens,
      'graph.facebook.com/v24.0/me': { id: '10158', name: 'Ada', ...person },
    })),
    vouching: [],
    others: [{ email }, { email, verified: true }, { email, email_verified: true }],
  },
  x: {
    userOf: oAuth(x as never, (person) => ({
      'api.x.com/2/oauth2/token': tokens,
      'api.x.com/2/users/me': {
        data: { id: '2244994945', name: 'Ada', username: 'ada', ...person },
      },
    })),
    vouching: [{ confirmed_email: email }],
    others: [{ email, verified: true }, { confirmed_email: '' }, { confirmed_email: [email] }, {}],
  },
  linkedin: {
    userOf: oAuth(linkedin as never, (person) => ({
      'www.linkedin.com/oauth/v2/accessToken': tokens,
      'api.linkedin.com/v2/userinfo': { sub: '782bbtaQ', name: 'Ada', ...person },
    })),
    ...standard,
  },
  discord: {
    userOf: oAuth(
      discord as never,
      (person) => ({
        'discord.com/api/oauth2/token': tokens,
        'discord.com/api/users/@me': { id: '80351110', username: 'nelly', avatar: null, ...person },
      }),
      { iss: 'https://discord.com' },
    ),
    vouching: [{ email, verified: true }],
    others: [
      { email },
      { email, verified: false },
      { email, verified: 'true' },
      { email, verified: 1 },
      { email, email_verified: true },
      { email: null, verified: true },
    ],
  },
  slack: { userOf: openId(slack as never, 'fixed', { at: 'https://slack.com' }), ...standard },
  gitlab: { userOf: openId(gitlab as never, 'https://gitlab.com'), ...standard },
  twitch: {
    userOf: openId(twitch as never, 'fixed', { at: 'https://id.twitch.tv/oauth2' }),
    ...standard,
  },
  spotify: {
    userOf: oAuth(spotify as never, (person) => ({
      'accounts.spotify.com/api/token': tokens,
      'api.spotify.com/v1/me': { id: 'ada', display_name: 'Ada', ...person },
    })),
    vouching: [],
    others: [{ email }, { email, email_verified: true }],
  },
  reddit: {
    userOf: oAuth(reddit as never, (person) => ({
      'www.reddit.com/api/v1/access_token': tokens,
      'oauth.reddit.com/api/v1/me': { id: '1w72', name: 'spez', ...person },
    })),
    vouching: [],
    others: [{ has_verified_email: true }, { email, has_verified_email: true }],
  },
  notion: {
    userOf: oAuth(notion as never, (person) => ({
      'api.notion.com/v1/oauth/token': {
        ...tokens,
        owner: { type: 'user', user: { object: 'user', id: 'd40e767c', name: 'Ada', ...person } },
      },
    })),
    vouching: [],
    others: [{ person: { email } }, { person: { email, email_verified: true }, email }],
  },
  auth0: { userOf: openId(auth0 as never), ...standard },
  okta: { userOf: openId(okta as never), ...standard },
  keycloak: { userOf: openId(keycloak as never), ...standard },
  cognito: {
    userOf: openId(cognito as never),
    vouching: [{ email, email_verified: true }, ...asText],
    others: [...UNVERIFIED, { email, email_verified: 'false' }, { email, email_verified: 'TRUE' }],
  },
  kakao: {
    userOf: oAuth(kakao as never, (person) => ({
      'kauth.kakao.com/oauth/token': tokens,
      'kapi.kakao.com/v2/user/me': {
        id: 1,
        kakao_account: { profile: { nickname: 'Ada' }, ...person },
      },
    })),
    vouching: [{ email, is_email_valid: true, is_email_verified: true }],
    others: [
      { email },
      { email, is_email_verified: true },
      { email, is_email_valid: true },
      { email, is_email_valid: false, is_email_verified: true },
      { email, is_email_valid: 'true', is_email_verified: 'true' },
      { is_email_valid: true, is_email_verified: true },
    ],
  },
  naver: {
    userOf: oAuth(naver as never, (person) => ({
      'nid.naver.com/oauth2.0/token': tokens,
      'openapi.naver.com/v1/nid/me': {
        resultcode: '00',
        response: { id: '1', name: 'Ada', ...person },
      },
    })),
    vouching: [],
    others: [{ email }, { email, verified: true }, { email, email_verified: true }],
  },
  zoom: {
    userOf: oAuth(zoom as never, (person) => ({
      'zoom.us/oauth/token': tokens,
      'api.zoom.us/v2/users/me': { id: '1', display_name: 'Ada', ...person },
    })),
    vouching: [{ email, verified: 1 }],
    others: [
      { email },
      { email, verified: 0 },
      { email, verified: '1' },
      { email, verified: true },
      { verified: 1 },
    ],
  },
  strava: {
    userOf: oAuth(strava as never, (person) => ({
      'www.strava.com/api/v3/oauth/token': tokens,
      'www.strava.com/api/v3/athlete': { id: 1, firstname: 'Ada', ...person },
    })),
    vouching: [],
    others: [{ email }, { email, verified: true }, { email, email_verified: true }],
  },
  bitbucket: {
    userOf: oAuth(bitbucket as never, (person) => ({
      'bitbucket.org/site/oauth2/access_token': tokens,
      'api.bitbucket.org/2.0/user': {
        account_id: '1',
        display_name: 'Ada',
        email,
        email_verified: true,
      },
      'api.bitbucket.org/2.0/user/emails': { values: [person] },
    })),
    vouching: [{ email, is_primary: true, is_confirmed: true }],
    others: [
      { email },
      { email, is_primary: true },
      { email, is_confirmed: true },
      { email, is_primary: true, is_confirmed: 'true' },
      { is_primary: true, is_confirmed: true },
    ],
  },
  figma: {
    userOf: oAuth(figma as never, (person) => ({
      'api.figma.com/v1/oauth/token': tokens,
      'api.figma.com/v1/me': { id: '1', handle: 'Ada', ...person },
    })),
    vouching: [],
    others: [{ email }, { email, verified: true }, { email, email_verified: true }],
  },
  patreon: {
    userOf: oAuth(patreon as never, (person) => ({
      'www.patreon.com/api/oauth2/token': tokens,
      'www.patreon.com/api/oauth2/v2/identity': {
        data: { id: '1', attributes: { full_name: 'Ada', ...person } },
      },
    })),
    vouching: [{ email, is_email_verified: true }],
    others: [
      { email },
      { email, is_email_verified: false },
      { email, is_email_verified: 'true' },
      { is_email_verified: true },
    ],
  },
  yandex: {
    userOf: oAuth(yandex as never, (person) => ({
      'oauth.yandex.com/token': tokens,
      'login.yandex.ru/info': { id: '1', login: 'ada', ...person },
    })),
    vouching: [],
    others: [
      { default_email: email },
      { default_email: email, email_verified: true, emails: [email] },
    ],
  },
  atlassian: {
    userOf: oAuth(atlassian as never, (person) => ({
      'auth.atlassian.com/oauth/token': tokens,
      'api.atlassian.com/me': { account_id: '1', name: 'Ada', ...person },
    })),
    vouching: [],
    others: [{ email }, { email, verified: true }, { email, email_verified: true }],
  },
  line: {
    userOf: openId(line as never, 'fixed', { at: 'https://access.line.me', isSymmetric: true }),
    vouching: [],
    others: [{ email }, { email, email_verified: true }, { email, verified: true }],
  },
  'hugging-face': {
    userOf: openId(huggingFace as never, 'fixed', { at: 'https://huggingface.co' }),
    ...standard,
  },
  salesforce: { userOf: openId(salesforce as never, 'https://login.salesforce.com'), ...standard },
  zitadel: { userOf: openId(zitadel as never), ...standard },
  authentik: { userOf: openId(authentik as never), ...standard },
  dropbox: {
    userOf: oAuth(dropbox as never, (person) => ({
      'api.dropboxapi.com/oauth2/token': tokens,
      'api.dropboxapi.com/2/users/get_current_account': { account_id: '1', ...person },
    })),
    vouching: [{ email, email_verified: true }],
    others: [
      { email },
      { email, email_verified: false },
      { email, email_verified: 'true' },
      { email, email_verified: 1 },
      { email_verified: true },
    ],
  },
  paypal: {
    userOf: oAuth(paypal as never, (person) => ({
      'api-m.paypal.com/v1/oauth2/token': tokens,
      'api-m.paypal.com/v1/identity/openidconnect/userinfo': {
        user_id: '1',
        name: 'Ada',
        ...person,
      },
    })),
    vouching: [{ email, email_verified: true }],
    others: [
      { email },
      { email, email_verified: false },
      { email, email_verified: 'true' },
      { email, email_verified: 1 },
      { email_verified: true },
    ],
  },
  hubspot: {
    userOf: oAuth(hubspot as never, (person) => ({
      'api.hubapi.com/oauth/v1/token': tokens,
      'api.hubapi.com/oauth/v1/access-tokens/the-access-token': {
        user_id: 1,
        user: email,
        ...person,
      },
    })),
    vouching: [],
    others: [{ email }, { email, verified: true }, { email, email_verified: true }],
  },
  vk: {
    userOf: oAuth(vk as never, (person) => ({
      'id.vk.com/oauth2/auth': tokens,
      'id.vk.com/oauth2/user_info': { user: { user_id: 1, first_name: 'Ada', ...person } },
    })),
    vouching: [],
    others: [{ email }, { email, verified: true }, { email, email_verified: true }],
  },
  workos: {
    userOf: oAuth(workos as never, (person) => ({
      'api.workos.com/sso/token': tokens,
      'api.workos.com/sso/profile': { id: '1', first_name: 'Ada', ...person },
    })),
    vouching: [],
    others: [{ email }, { email, verified: true }, { email, email_verified: true }],
  },
  'azure-ad-b2c': {
    userOf: openId(azureADB2C as never, 'https://contoso.b2clogin.com/775527ff/v2.0/'),
    vouching: [],
    others: [{ email }, { emails: [email], email_verified: true }],
  },
  oidc: {
    userOf: openId(oidc as never),
    vouching: standard.vouching,
    others: [...UNVERIFIED, ...asText],
  },
}

describe.each(Object.entries(VENDORS))('%s', (_, { userOf, vouching, others }) => {
  it.each(vouching)('%j is an address that the provider vouches for', async (answer) => {
    const user = await userOf(answer)
    expect(user?.email).toMatch(/^ada@/i)
    expect(user?.emailVerified).toBe(true)
  })

  it.each(others)('%j is none that it vouches for', async (answer) => {
    const user = await userOf(answer)
    // Some answers are refused, and nobody is signed in.
    if (vouching.length === 0) expect(user).toBeDefined()
    expect(user ?? {}).not.toHaveProperty('emailVerified')
  })
})

it('every preset has its answers here', () => {
  const ids = PRESETS.map(([, preset]) => preset().id)
  expect(ids.filter((id) => !(id in VENDORS))).toEqual([])
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
