import atlassian from '../providers/atlassian.js'
import bitbucket from '../providers/bitbucket.js'
import discord from '../providers/discord.js'
import dropbox from '../providers/dropbox.js'
import facebook from '../providers/facebook.js'
import figma from '../providers/figma.js'
import github from '../providers/github.js'
import hubspot from '../providers/hubspot.js'
import kakao from '../providers/kakao.js'
import linkedin from '../providers/linkedin.js'
import naver from '../providers/naver.js'
import notion from '../providers/notion.js'
import patreon from '../providers/patreon.js'
import paypal from '../providers/paypal.js'
import reddit from '../providers/reddit.js'
import spotify from '../providers/spotify.js'
import strava from '../providers/strava.js'
import vk from '../providers/vk.js'
import workos from '../providers/workos.js'
import x from '../providers/x.js'
import yandex from '../providers/yandex.js'
import zoom from '../providers/zoom.js'
import type { Provider } from '../types.js'
import { recorded } from './browser.js'
import { AS_TEXT, type Described, email, UNVERIFIED } from './preset-addresses.js'

/** A preset over OAuth 2.0, whose vendor answers as in its documentation. */
export interface OAuthRow {
  readonly preset: (options: object) => Provider
  /** The page on which a person consents, with every parameter of this preset alone. */
  readonly consent: string
  /** The parameters that come back beside code and state. */
  readonly back?: Readonly<Record<string, string>>
  /**
   * How the client shows its secret: `plain basic` without the encoding that some vendors do not undo, `none` if
   * the proof of the code stands for it.
   */
  readonly secret: 'post' | 'basic' | 'plain basic' | 'none'
  /** A vendor that takes no proof of the code (RFC 7636). */
  readonly isUnproved?: true
  /** The requests after a consent, in their order; the token endpoint is asked first. */
  readonly requests: readonly string[]
  /** Headers of each of them. */
  readonly headers?: Readonly<Record<string, string>>
  /** The vendor's answers about a person with this address. */
  readonly answers: (address: Described) => readonly unknown[]
  /** The place of the person's id in the answers. */
  readonly id: readonly [answer: number, ...path: string[]]
  /** The address as the vendor documents it. */
  readonly address: Described
  /** The user that it signs in. */
  readonly user: { readonly name: string; readonly email: string | null; readonly image?: unknown }
  readonly account: Described
  /** Addresses that the vendor vouches for. */
  readonly vouching: readonly Described[]
  /**
   * The addresses that it does not vouch for, in each form that it has or that is easily taken for
   * it.
   */
  readonly others: readonly Described[]
  /** Answers that sign no user in, besides those that every preset refuses. */
  readonly refused?: Readonly<Record<string, (answers: readonly unknown[]) => readonly unknown[]>>
  /** The separator of scopes, if it is not a space. */
  readonly scopeSeparator?: ','
  /** The address to which a sign-out sends a token, and the token. */
  readonly revokes?: readonly [url: string, token: 'access_token' | 'refresh_token']
}

const tokens = {
  access_token: 'the-access-token',
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: 'the-refresh-token',
}
const refresh_token = tokens.refresh_token

/** Words that other vendors have for a verified address, and this one does not. */
const FOREIGN_WORDS = [{ email }, { email, verified: true }, { email, email_verified: true }]

/** The values of the claim `email_verified` of a vendor without OpenID that are not a plain yes. */
const UNSAID = [
  { email },
  { email, email_verified: false },
  { email, email_verified: 'true' },
  { email, email_verified: 1 },
  { email_verified: true },
]

export const OAUTH_PRESETS = {
  github: {
    preset: github,
    consent: 'https://github.com/login/oauth/authorize?scope=read:user+user:email',
    secret: 'post',
    requests: [
      'POST https://github.com/login/oauth/access_token',
      'GET https://api.github.com/user',
      'GET https://api.github.com/user/emails',
    ],
    answers: ({ emails, ...person }) => [
      {
        access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
        scope: 'read:user,user:email',
        token_type: 'bearer',
      },
      {
        login: 'octocat',
        id: 583231,
        node_id: 'MDQ6VXNlcjU4MzIzMQ==',
        avatar_url: 'https://avatars.githubusercontent.com/u/583231?v=4',
        type: 'User',
        site_admin: false,
        name: 'The Octocat',
        email: 'public@example.com',
        ...person,
      },
      emails,
    ],
    id: [1, 'id'],
    address: {
      emails: [
        { email: 'other@example.com', primary: false, verified: true, visibility: null },
        { email: 'octocat@example.com', primary: true, verified: true, visibility: 'private' },
      ],
    },
    user: {
      name: 'The Octocat',
      email: 'octocat@example.com',
      image: 'https://avatars.githubusercontent.com/u/583231?v=4',
    },
    account: { providerAccountId: '583231', token_type: 'bearer' },
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
    refused: {
      'a person with status 500': ([token, person, emails]) => [
        token,
        Response.json(person, { status: 500 }),
        emails,
      ],
      'addresses that fail': ([token, person]) => [
        token,
        person,
        new Response('', { status: 500 }),
      ],
      'addresses that are not a list': ([token, person]) => [token, person, { message: 'odd' }],
    },
  },
  facebook: {
    preset: facebook,
    consent: 'https://www.facebook.com/v24.0/dialog/oauth?scope=public_profile+email',
    secret: 'post',
    requests: [
      'POST https://graph.facebook.com/v24.0/oauth/access_token',
      'GET https://graph.facebook.com/v24.0/me?fields=id%2Cname%2Cemail%2Cpicture',
    ],
    answers: (address) => [
      { access_token: 'EAAGNsolZBqcB', token_type: 'bearer', expires_in: 5183944 },
      {
        id: '10158953374521738',
        name: 'Ada Example',
        ...address,
        picture: {
          data: {
            height: 50,
            is_silhouette: false,
            url: 'https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=1&hash=Ae',
            width: 50,
          },
        },
      },
    ],
    id: [1, 'id'],
    address: { email },
    user: {
      name: 'Ada Example',
      email: null,
      image: 'https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=1&hash=Ae',
    },
    account: { providerAccountId: '10158953374521738', expires_in: 5183944 },
    vouching: [],
    others: FOREIGN_WORDS,
    refused: {
      'an error in place of the person': ([token]) => [
        token,
        { error: { message: 'Invalid OAuth access token.', type: 'OAuthException', code: 190 } },
      ],
      'an error with status 400': ([token]) => [
        token,
        Response.json({ error: { code: 190 } }, { status: 400 }),
      ],
      'an error in place of a token': ([, person]) => [
        { error: { message: 'Invalid OAuth access token.', type: 'OAuthException', code: 190 } },
        person,
      ],
    },
  },
  x: {
    preset: x,
    consent: 'https://x.com/i/oauth2/authorize?scope=users.read+tweet.read+users.email',
    secret: 'plain basic',
    requests: [
      'POST https://api.x.com/2/oauth2/token',
      'GET https://api.x.com/2/users/me?user.fields=confirmed_email%2Cprofile_image_url',
    ],
    answers: (address) => [
      {
        token_type: 'bearer',
        expires_in: 7200,
        access_token: 'Q0Mzb0VhZ0V5dmNfSTEyNER2MFNfVW50RzdXdTN6STFxQlVk',
        scope: 'users.email users.read tweet.read',
      },
      {
        data: {
          id: '2244994945',
          name: 'Developers',
          username: 'XDevelopers',
          profile_image_url: 'https://pbs.twimg.com/profile_images/1683/adf_normal.jpg',
          ...address,
        },
      },
    ],
    id: [1, 'data', 'id'],
    address: { confirmed_email: email },
    user: {
      name: 'Developers',
      email,
      image: 'https://pbs.twimg.com/profile_images/1683/adf_normal.jpg',
    },
    account: { providerAccountId: '2244994945' },
    vouching: [{ confirmed_email: email }],
    others: [{ email, verified: true }, { confirmed_email: '' }, { confirmed_email: [email] }, {}],
    refused: {
      'errors with status 200': ([token]) => [
        token,
        { errors: [{ title: 'Forbidden', detail: 'suspended', type: 'about:blank' }] },
      ],
      'a person outside of data': ([token, person]) => [token, (person as { data: object }).data],
      'an error in place of a token': ([, person]) => [{ error: 'x' }, person],
    },
    revokes: ['https://api.x.com/2/oauth2/revoke', 'access_token'],
  },
  linkedin: {
    preset: linkedin,
    consent: 'https://www.linkedin.com/oauth/v2/authorization?scope=openid+profile+email',
    secret: 'post',
    isUnproved: true,
    requests: [
      'POST https://www.linkedin.com/oauth/v2/accessToken',
      'GET https://api.linkedin.com/v2/userinfo',
    ],
    answers: (address) => [
      {
        access_token: 'AQXdSP_W41_UPs5ioT_t8HESyODB4FqbkJ8LrV_5mff4gPODzOYR',
        expires_in: 5183999,
        scope: 'email,openid,profile',
        token_type: 'Bearer',
        id_token: 'eyJhbGciOiJSUzI1NiJ9.not-looked-at.c2ln',
      },
      {
        sub: '782bbtaQ',
        name: 'John Doe',
        given_name: 'John',
        family_name: 'Doe',
        picture: 'https://media.licdn.com/dms/image/C5F03AQHqK8v7tB1HCQ/profile-displayphoto/0/',
        locale: { country: 'US', language: 'en' },
        ...address,
      },
    ],
    id: [1, 'sub'],
    address: { email, email_verified: true },
    user: {
      name: 'John Doe',
      email,
      image: 'https://media.licdn.com/dms/image/C5F03AQHqK8v7tB1HCQ/profile-displayphoto/0/',
    },
    account: { providerAccountId: '782bbtaQ' },
    vouching: [{ email, email_verified: true }],
    others: UNVERIFIED,
    refused: {
      'a revoked token': ([token]) => [
        token,
        Response.json({ status: 401, message: 'x' }, { status: 401 }),
      ],
    },
  },
  discord: {
    preset: discord,
    consent: 'https://discord.com/oauth2/authorize?scope=identify+email',
    back: { iss: 'https://discord.com' },
    secret: 'post',
    requests: [
      'POST https://discord.com/api/oauth2/token',
      'GET https://discord.com/api/users/@me',
    ],
    answers: (address) => [
      {
        access_token: '6qrZcUqja7812RVdnEKjpzOL4CvHBFG',
        token_type: 'Bearer',
        expires_in: 604800,
        refresh_token,
        scope: 'identify email',
      },
      {
        id: '80351110224678912',
        username: 'nelly',
        discriminator: '1337',
        avatar: '8342729096ea3675442027381ff50dfe',
        global_name: 'Nelly',
        flags: 64,
        banner: null,
        accent_color: 16711680,
        premium_type: 1,
        public_flags: 64,
        ...address,
      },
    ],
    id: [1, 'id'],
    address: { email, verified: true },
    user: {
      name: 'Nelly',
      email,
      image:
        'https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png',
    },
    account: { providerAccountId: '80351110224678912', expires_in: 604800 },
    vouching: [{ email, verified: true }],
    others: [
      { email },
      { email, verified: false },
      { email, verified: 'true' },
      { email, verified: 1 },
      { email, email_verified: true },
      { email: null, verified: true },
    ],
    revokes: ['https://discord.com/api/oauth2/token/revoke', 'refresh_token'],
  },
  spotify: {
    preset: spotify,
    consent: 'https://accounts.spotify.com/authorize?scope=user-read-email',
    secret: 'basic',
    requests: ['POST https://accounts.spotify.com/api/token', 'GET https://api.spotify.com/v1/me'],
    answers: (address) => [
      { ...tokens, token_type: 'Bearer', scope: 'user-read-email' },
      {
        display_name: 'JM Wizzler',
        external_urls: { spotify: 'https://open.spotify.com/user/wizzler' },
        followers: { href: null, total: 3829 },
        href: 'https://api.spotify.com/v1/users/wizzler',
        id: 'wizzler',
        images: [{ height: 300, url: 'https://i.scdn.co/image/ab6775700000ee85', width: 300 }],
        type: 'user',
        uri: 'spotify:user:wizzler',
        ...address,
      },
    ],
    id: [1, 'id'],
    address: { email },
    user: {
      name: 'JM Wizzler',
      email: null,
      image: 'https://i.scdn.co/image/ab6775700000ee85',
    },
    account: { providerAccountId: 'wizzler', refresh_token },
    vouching: [],
    others: FOREIGN_WORDS,
  },
  reddit: {
    preset: reddit,
    consent: 'https://www.reddit.com/api/v1/authorize?scope=identity',
    secret: 'plain basic',
    requests: [
      'POST https://www.reddit.com/api/v1/access_token',
      'GET https://oauth.reddit.com/api/v1/me?raw_json=1',
    ],
    headers: { 'user-agent': 'Latchkey' },
    answers: (address) => [
      {
        access_token: 'J1qK1c18UUGJFAzz9xnH56584l4',
        token_type: 'bearer',
        expires_in: 3600,
        scope: 'identity',
      },
      {
        id: '1w72',
        name: 'spez',
        icon_img:
          'https://styles.redditmedia.com/t5_3k30p/styles/profileIcon.jpg?width=256&height=256',
        oauth_client_id: 'the-client_id',
        created_utc: 1118030400,
        ...address,
      },
    ],
    id: [1, 'id'],
    address: { has_verified_email: true },
    user: {
      name: 'spez',
      email: null,
      image: 'https://styles.redditmedia.com/t5_3k30p/styles/profileIcon.jpg?width=256&height=256',
    },
    account: { providerAccountId: '1w72' },
    vouching: [],
    others: [{ has_verified_email: true }, { email, has_verified_email: true }],
    refused: { 'an error in place of a token': ([, me]) => [{ error: 'invalid_grant' }, me] },
    revokes: ['https://www.reddit.com/api/v1/revoke_token', 'access_token'],
  },
  notion: {
    preset: notion,
    // It has no scopes.
    consent: 'https://api.notion.com/v1/oauth/authorize?owner=user',
    secret: 'plain basic',
    // The token's answer describes the person.
    requests: ['POST https://api.notion.com/v1/oauth/token'],
    headers: { 'notion-version': '2025-09-03' },
    answers: (address) => [
      {
        access_token: 'ntn_e202e8c9099040af855ff8f872b1ec6c',
        token_type: 'bearer',
        bot_id: 'b3414d65-2224-5ff7-96ff-cc9d8773d9a1',
        workspace_id: 'b565f4d7-2882-41bf-a64a-c9d9cc36f9f4',
        workspace_name: 'Avo’s Notion',
        workspace_icon: null,
        duplicated_template_id: null,
        owner: {
          type: 'user',
          user: {
            object: 'user',
            id: 'd40e767c-d7af-4b18-a86d-55c61f1e39a4',
            name: 'Avo Cado',
            avatar_url: 'https://secure.notion-static.com/e6a352a8.jpg',
            type: 'person',
            ...address,
          },
        },
        refresh_token: null,
        request_id: '1c5d3a4e-8d6a-4f6c-9d0a-3f2f0f0c9b7e',
      },
    ],
    id: [0, 'owner', 'user', 'id'],
    address: { person: { email } },
    user: {
      name: 'Avo Cado',
      email: null,
      image: 'https://secure.notion-static.com/e6a352a8.jpg',
    },
    account: {
      providerAccountId: 'd40e767c-d7af-4b18-a86d-55c61f1e39a4',
      bot_id: 'b3414d65-2224-5ff7-96ff-cc9d8773d9a1',
      refresh_token: undefined,
    },
    vouching: [],
    others: [{ person: { email } }, { person: { email, email_verified: true }, email }],
    refused: {
      'a workspace in place of a person': ([token]) => [
        { ...(token as object), owner: { type: 'workspace', workspace: true } },
      ],
      'no owner': ([token]) => [{ ...(token as object), owner: undefined }],
      'an answer without end': ([token]) => [
        { ...(token as object), filler: 'x'.repeat(1024 * 1024) },
      ],
    },
    revokes: ['https://api.notion.com/v1/oauth/revoke', 'access_token'],
  },
  kakao: {
    preset: kakao,
    consent: 'https://kauth.kakao.com/oauth/authorize',
    scopeSeparator: ',',
    secret: 'post',
    requests: [
      'POST https://kauth.kakao.com/oauth/token',
      'GET https://kapi.kakao.com/v2/user/me?secure_resource=true',
    ],
    answers: (address) => [
      tokens,
      {
        id: 123456789,
        connected_at: '2026-04-11T01:45:28Z',
        kakao_account: {
          profile_needs_agreement: false,
          profile: {
            nickname: '홍길동',
            profile_image_url: 'https://k.kakaocdn.net/dn/x/img_640x640.jpg',
            is_default_image: false,
          },
          email_needs_agreement: false,
          ...address,
        },
      },
    ],
    id: [1, 'id'],
    address: { email, is_email_valid: true, is_email_verified: true },
    user: { name: '홍길동', email, image: 'https://k.kakaocdn.net/dn/x/img_640x640.jpg' },
    account: { providerAccountId: '123456789', refresh_token },
    vouching: [{ email, is_email_valid: true, is_email_verified: true }],
    others: [
      { email },
      { email, is_email_verified: true },
      { email, is_email_valid: true },
      { email, is_email_valid: false, is_email_verified: true },
      { email, is_email_valid: 'true', is_email_verified: 'true' },
      { is_email_valid: true, is_email_verified: true },
    ],
    refused: {
      'an id that is too large to be one': ([token, person]) => [
        token,
        { ...(person as object), id: 2 ** 60 },
      ],
    },
  },
  naver: {
    preset: naver,
    consent: 'https://nid.naver.com/oauth2.0/authorize',
    secret: 'post',
    requests: [
      'POST https://nid.naver.com/oauth2.0/token',
      'GET https://openapi.naver.com/v1/nid/me',
    ],
    answers: (address) => [
      { ...tokens, expires_in: '3600' },
      {
        resultcode: '00',
        message: 'success',
        response: {
          id: '32742776',
          nickname: 'OpenAPI',
          name: '오픈 API',
          gender: 'F',
          age: '40-49',
          birthday: '10-01',
          profile_image: 'https://ssl.pstatic.net/static/pwe/address/nodata_33x33.gif',
          ...address,
        },
      },
    ],
    id: [1, 'response', 'id'],
    address: { email: 'openapi@naver.com' },
    user: {
      name: '오픈 API',
      email: null,
      image: 'https://ssl.pstatic.net/static/pwe/address/nodata_33x33.gif',
    },
    account: { providerAccountId: '32742776', refresh_token },
    vouching: [],
    others: FOREIGN_WORDS,
    refused: {
      'a failure with status 200': ([token]) => [
        token,
        { resultcode: '024', message: 'Authentication failed' },
      ],
    },
  },
  zoom: {
    preset: zoom,
    consent: 'https://zoom.us/oauth/authorize',
    secret: 'basic',
    requests: ['POST https://zoom.us/oauth/token', 'GET https://api.zoom.us/v2/users/me'],
    revokes: ['https://zoom.us/oauth/revoke', 'access_token'],
    answers: (address) => [
      tokens,
      {
        id: 'KDcuGIm1QgePTO8WbOqwIQ',
        first_name: 'Jill',
        last_name: 'Chill',
        display_name: 'Jill Chill',
        type: 2,
        pic_url: 'https://example.zoom.us/p/v2/1.jpg',
        account_id: 'q6gBJVO5TzexKYTb_I2rpg',
        status: 'active',
        ...address,
      },
    ],
    id: [1, 'id'],
    address: { email, verified: 1 },
    user: { name: 'Jill Chill', email, image: 'https://example.zoom.us/p/v2/1.jpg' },
    account: { providerAccountId: 'KDcuGIm1QgePTO8WbOqwIQ', refresh_token },
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
    preset: strava,
    consent: 'https://www.strava.com/oauth/authorize?scope=read&approval_prompt=auto',
    scopeSeparator: ',',
    secret: 'post',
    requests: [
      'POST https://www.strava.com/api/v3/oauth/token',
      'GET https://www.strava.com/api/v3/athlete',
    ],
    answers: (address) => [
      { ...tokens, token_type: 'Bearer', expires_at: 1568775134, athlete: { id: 1 } },
      {
        id: 1234567890987654,
        username: 'marianne_v',
        resource_state: 3,
        firstname: 'Marianne',
        lastname: 'V.',
        city: 'San Francisco',
        profile: 'https://xxxxxx.cloudfront.net/pictures/athletes/1/large.jpg',
        ...address,
      },
    ],
    id: [1, 'id'],
    address: {},
    user: {
      name: 'Marianne V.',
      email: null,
      image: 'https://xxxxxx.cloudfront.net/pictures/athletes/1/large.jpg',
    },
    account: { providerAccountId: '1234567890987654', refresh_token },
    vouching: [],
    others: FOREIGN_WORDS,
  },
  bitbucket: {
    preset: bitbucket,
    consent: 'https://bitbucket.org/site/oauth2/authorize',
    secret: 'basic',
    requests: [
      'POST https://bitbucket.org/site/oauth2/access_token',
      'GET https://api.bitbucket.org/2.0/user',
      'GET https://api.bitbucket.org/2.0/user/emails',
    ],
    answers: ({ emails, ...address }) => [
      tokens,
      {
        type: 'user',
        uuid: '{a54f16da-24e9-4d7f-a3a7-b1ba2cd98aa3}',
        account_id: '557058:3a8d3a3b-1d0f-4e33-9a3f-2f0f6c0a1c5d',
        display_name: 'Ada Lovelace',
        links: { avatar: { href: 'https://bitbucket.org/account/ada/avatar/' } },
        // Not if the vendor has them.
        email: 'victim@example.com',
        email_verified: true,
      },
      emails ?? { values: [address] },
    ],
    id: [1, 'account_id'],
    address: { type: 'email', email, is_primary: true, is_confirmed: true },
    user: {
      name: 'Ada Lovelace',
      email,
      image: 'https://bitbucket.org/account/ada/avatar/',
    },
    account: {
      providerAccountId: '557058:3a8d3a3b-1d0f-4e33-9a3f-2f0f6c0a1c5d',
      refresh_token,
    },
    vouching: [{ email, is_primary: true, is_confirmed: true }],
    others: [
      { email },
      { email, is_primary: true },
      { email, is_confirmed: true },
      { email, is_primary: true, is_confirmed: 'true' },
      { email, is_primary: true, is_confirmed: false },
      { email, is_primary: false, is_confirmed: true },
      { is_primary: true, is_confirmed: true },
      { emails: { values: { email, is_primary: true, is_confirmed: true } } },
      { emails: Response.json({ type: 'error' }, { status: 403 }) },
    ],
    refused: {
      'a token that is not taken': ([token, , emails]) => [
        token,
        Response.json({ type: 'error' }, { status: 401 }),
        emails,
      ],
    },
  },
  figma: {
    preset: figma,
    consent: 'https://www.figma.com/oauth?scope=current_user:read',
    secret: 'basic',
    requests: ['POST https://api.figma.com/v1/oauth/token', 'GET https://api.figma.com/v1/me'],
    answers: (address) => [
      { ...tokens, user_id_string: '812346', expires_in: 7776000 },
      {
        id: '812346',
        handle: 'Ada Lovelace',
        img_url: 'https://s3-alpha.figma.com/profile/1',
        ...address,
      },
    ],
    id: [1, 'id'],
    address: { email },
    user: { name: 'Ada Lovelace', email: null, image: 'https://s3-alpha.figma.com/profile/1' },
    account: { providerAccountId: '812346', refresh_token },
    vouching: [],
    others: FOREIGN_WORDS,
  },
  patreon: {
    preset: patreon,
    consent: 'https://www.patreon.com/oauth2/authorize?scope=identity+identity[email]',
    secret: 'post',
    requests: [
      'POST https://www.patreon.com/api/oauth2/token',
      'GET https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=email%2Cfull_name%2Cimage_url%2Cis_email_verified',
    ],
    answers: (address) => [
      tokens,
      {
        data: {
          id: '12345689',
          type: 'user',
          attributes: {
            full_name: 'Platform Team',
            image_url: 'https://c10.patreonusercontent.com/1',
            ...address,
          },
        },
        links: { self: 'https://www.patreon.com/api/oauth2/v2/user/12345689' },
      },
    ],
    id: [1, 'data', 'id'],
    address: { email, is_email_verified: true },
    user: { name: 'Platform Team', email, image: 'https://c10.patreonusercontent.com/1' },
    account: { providerAccountId: '12345689', refresh_token },
    vouching: [{ email, is_email_verified: true }],
    others: [
      { email },
      { email, is_email_verified: false },
      { email, is_email_verified: 'true' },
      { is_email_verified: true },
    ],
    refused: { 'no person': ([token]) => [token, {}] },
  },
  yandex: {
    preset: yandex,
    consent: 'https://oauth.yandex.com/authorize?scope=login:info+login:email+login:avatar',
    secret: 'basic',
    requests: [
      'POST https://oauth.yandex.com/token',
      'GET https://login.yandex.ru/info?format=json',
    ],
    answers: (address) => [
      tokens,
      {
        login: 'ivan',
        id: '1000034426',
        client_id: '4760187d81bc4b7799476b42b5103713',
        display_name: 'ivan',
        real_name: 'Ivan Ivanov',
        is_avatar_empty: false,
        default_avatar_id: '131652443',
        psuid: '1.AAceCw.tbHgw5DtJ9_zeqPrk-Ba2w.qPWSRC5v2t2IaksPJgnge',
        ...address,
      },
    ],
    id: [1, 'id'],
    address: { default_email: email },
    user: {
      name: 'Ivan Ivanov',
      email: null,
      image: 'https://avatars.yandex.net/get-yapic/131652443/islands-200',
    },
    account: { providerAccountId: '1000034426', refresh_token },
    vouching: [],
    others: [
      { default_email: email },
      { default_email: email, email_verified: true, emails: [email] },
    ],
  },
  atlassian: {
    preset: atlassian,
    consent:
      'https://auth.atlassian.com/authorize?audience=api.atlassian.com&scope=read:me&prompt=consent',
    secret: 'post',
    requests: ['POST https://auth.atlassian.com/oauth/token', 'GET https://api.atlassian.com/me'],
    answers: (address) => [
      tokens,
      {
        account_type: 'atlassian',
        account_id: '112233aa-bb11-cc22-33dd-445566abcabc',
        name: 'Mia Krystof',
        picture: 'https://avatar-management--avatars.us-west-2.prod.public.atl-paas.net/1',
        account_status: 'active',
        ...address,
      },
    ],
    id: [1, 'account_id'],
    address: { email },
    user: {
      name: 'Mia Krystof',
      email: null,
      image: 'https://avatar-management--avatars.us-west-2.prod.public.atl-paas.net/1',
    },
    account: { providerAccountId: '112233aa-bb11-cc22-33dd-445566abcabc', refresh_token },
    vouching: [],
    others: FOREIGN_WORDS,
  },
  dropbox: {
    preset: dropbox,
    consent: 'https://www.dropbox.com/oauth2/authorize?scope=account_info.read',
    secret: 'basic',
    requests: [
      'POST https://api.dropboxapi.com/oauth2/token',
      'POST https://api.dropboxapi.com/2/users/get_current_account',
    ],
    answers: (address) => [
      tokens,
      {
        account_id: 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc',
        name: {
          given_name: 'Franz',
          surname: 'Ferdinand',
          display_name: 'Franz Ferdinand (Personal)',
        },
        disabled: false,
        profile_photo_url: 'https://dl-web.dropbox.com/account_photo/get/dbaphid',
        ...address,
      },
    ],
    id: [1, 'account_id'],
    address: { email, email_verified: true },
    user: {
      name: 'Franz Ferdinand (Personal)',
      email,
      image: 'https://dl-web.dropbox.com/account_photo/get/dbaphid',
    },
    account: { providerAccountId: 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc', refresh_token },
    vouching: [{ email, email_verified: true }],
    others: UNSAID,
  },
  paypal: {
    preset: paypal,
    consent: 'https://www.paypal.com/signin/authorize?scope=openid+profile+email&flowEntry=static',
    secret: 'basic',
    requests: [
      'POST https://api-m.paypal.com/v1/oauth2/token',
      'GET https://api-m.paypal.com/v1/identity/openidconnect/userinfo?schema=openid',
    ],
    answers: (address) => [
      tokens,
      {
        user_id: 'https://www.paypal.com/webapps/auth/identity/user/mWq6_1sU85v5EG9yHdPxJRrhGHrnMJ',
        name: 'Identity Test',
        ...address,
      },
    ],
    id: [1, 'user_id'],
    address: { email, email_verified: true },
    user: { name: 'Identity Test', email },
    account: {
      providerAccountId:
        'https://www.paypal.com/webapps/auth/identity/user/mWq6_1sU85v5EG9yHdPxJRrhGHrnMJ',
      refresh_token,
    },
    vouching: [{ email, email_verified: true }, ...AS_TEXT],
    others: [
      ...UNSAID.filter(({ email_verified }) => email_verified !== 'true'),
      { email, email_verified: 'false' },
    ],
  },
  hubspot: {
    preset: hubspot,
    consent: 'https://app.hubspot.com/oauth/authorize?scope=oauth',
    secret: 'post',
    requests: [
      'POST https://api.hubapi.com/oauth/v1/token',
      'GET https://api.hubapi.com/oauth/v1/access-tokens/the-access-token',
    ],
    answers: (address) => [
      tokens,
      {
        token: 'the-access-token',
        user: 'victim@example.com',
        hub_domain: 'demo.hubapi.com',
        scopes: ['oauth'],
        hub_id: 62515,
        app_id: 456,
        expires_in: 1754,
        user_id: 123,
        token_type: 'access',
        ...address,
      },
    ],
    id: [1, 'user_id'],
    address: {},
    user: { name: 'victim@example.com', email: null, image: null },
    account: { providerAccountId: '123', refresh_token },
    vouching: [],
    others: FOREIGN_WORDS,
  },
  vk: {
    preset: vk,
    consent: 'https://id.vk.com/authorize?scope=vkid.personal_info+email',
    back: { device_id: 'the-device' },
    secret: 'none',
    requests: ['POST https://id.vk.com/oauth2/auth', 'POST https://id.vk.com/oauth2/user_info'],
    answers: (address) => [
      {
        ...tokens,
        refresh_token: 'good-only-with-the-device',
        id_token: 'not-asked-for',
        user_id: 1234567890,
        scope: 'vkid.personal_info email',
      },
      {
        user: {
          user_id: '1234567890',
          first_name: 'Ivan',
          last_name: 'I.',
          avatar: 'https://pp.userapi.com/60tZWMo4SmwcploUVl9XEt8ufnTTvDUmQ6Bj1g/mmv1pcj63C4.png',
          ...address,
        },
      },
    ],
    id: [1, 'user', 'user_id'],
    address: { email: 'victim@vk.com', verified: false },
    user: {
      name: 'Ivan I.',
      email: null,
      image: 'https://pp.userapi.com/60tZWMo4SmwcploUVl9XEt8ufnTTvDUmQ6Bj1g/mmv1pcj63C4.png',
    },
    account: { providerAccountId: '1234567890', refresh_token: undefined },
    vouching: [],
    others: FOREIGN_WORDS,
    refused: { 'no person': ([token]) => [token, {}] },
  },
  workos: {
    preset: workos,
    consent: 'https://api.workos.com/sso/authorize',
    secret: 'post',
    requests: ['POST https://api.workos.com/sso/token', 'GET https://api.workos.com/sso/profile'],
    answers: (address) => [
      {
        access_token: '01DMEK0J53CVMC32CK5SE0KZ8Q',
        token_type: 'Bearer',
        expires_in: 600,
        profile: { id: 'prof_01DMC79VCBZ0NY2099737PSVF1' },
      },
      {
        object: 'profile',
        id: 'prof_01DMC79VCBZ0NY2099737PSVF1',
        connection_id: 'conn_01E4ZCR3C56J083X43JQXF3JK5',
        connection_type: 'OktaSAML',
        organization_id: 'org_01EHWNCE74X7JSDV0X3SZ3KJNY',
        first_name: 'Todd',
        last_name: 'Rundgren',
        idp_id: '00u1a0ufowBJlzPlk357',
        raw_attributes: { picture: 'https://example.com/todd.png' },
        ...address,
      },
    ],
    id: [1, 'id'],
    address: { email },
    user: { name: 'Todd Rundgren', email: null, image: 'https://example.com/todd.png' },
    account: { providerAccountId: 'prof_01DMC79VCBZ0NY2099737PSVF1' },
    vouching: [],
    others: FOREIGN_WORDS,
  },
} satisfies Readonly<Record<string, OAuthRow>>

/**
 * A preset whose vendor answers as its row says.
 *
 * @param answers in place of the row's own, one for each of its requests
 * @example rowVendor(OAUTH_PRESETS.spotify).signIn()
 */
export function rowVendor(
  { preset, requests, answers, address }: OAuthRow,
  args: readonly unknown[] = answers(address),
) {
  const at = requests.map((request) => {
    const { host, pathname } = new URL(request.split(' ')[1] as string)
    return host + pathname
  })
  return recorded(preset as never, Object.fromEntries(at.map((path, index) => [path, args[index]])))
}
