import { describe, expect, it } from 'vitest'
import { challenge, issuer, redirectUri, resource, serverWith } from '../../test-support/oauth.js'
import { judge, type Problem, publicProblem } from './authorization-request.js'
import { parametersIn } from './parameters.js'
import type { App } from './settings.js'

const good = {
  response_type: 'code',
  client_id: 'spa',
  redirect_uri: redirectUri,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  scope: 'openid notes:read',
  state: 'the-state',
  resource,
}

const server = serverWith()
const spa = server.apps.get('spa') as App

/** @param changes `undefined` takes a parameter out; several values send it as often */
function judged(
  changes: Readonly<Record<string, string | readonly string[] | undefined>> = {},
  { app = spa, of = server, isTooLong = false } = {},
) {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...good, ...changes })) {
    for (const one of value === undefined ? [] : [value].flat()) parameters.append(name, one)
  }
  const read = parametersIn(String(parameters))
  if (!read) throw new Error('Too many parameters.')
  return judge(of, issuer, app, read, isTooLong)
}

const problem = (...about: Parameters<typeof judged>) => {
  const found = judged(...about)
  return found.kind === 'refused' ? found.problem : found.kind
}

const requestOf = (...about: Parameters<typeof judged>) => {
  const found = judged(...about)
  if (found.kind !== 'good') throw new Error(JSON.stringify(found))
  return found.request
}

describe('a request of an app', () => {
  it('is good with the required parameters alone', () => {
    expect(requestOf({ scope: undefined, state: undefined, resource: undefined })).toMatchObject({
      redirectUri,
      challenge,
      state: undefined,
      scopes: [],
      maxAge: undefined,
      acr: undefined,
    })
  })

  it.each<[Problem, Parameters<typeof judged>[0]]>([
    ['no-response-type', { response_type: undefined }],
    ['no-response-type', { response_type: '' }],
    ['other-response-type', { response_type: 'token' }],
    ['other-response-type', { response_type: 'code id_token' }],
    ['other-response-mode', { response_mode: 'fragment' }],
    ['other-response-mode', { response_mode: 'form_post' }],
    ['no-challenge', { code_challenge: undefined }],
    ['no-challenge', { code_challenge: '' }],
    ['challenge-not-by-s256', { code_challenge_method: undefined }],
    ['challenge-not-by-s256', { code_challenge_method: 'plain' }],
    ['challenge-not-by-s256', { code_challenge_method: 's256' }],
    ['malformed-challenge', { code_challenge: challenge.slice(1) }],
    ['malformed-challenge', { code_challenge: `${challenge}A` }],
    ['malformed-challenge', { code_challenge: `${challenge.slice(1)}=` }],
    ['malformed-challenge', { code_challenge: 'v'.repeat(128) }],
    ['none-beside-another-prompt', { prompt: 'none login' }],
    ['none-beside-another-prompt', { prompt: 'consent none' }],
    ['malformed-max-age', { max_age: '-1' }],
    ['malformed-max-age', { max_age: '1.5' }],
    ['malformed-max-age', { max_age: '1e3' }],
    ['malformed-max-age', { max_age: ' 5' }],
    ['several-resources', { resource: [resource, 'https://more.example/'] }],
    ['several-resources', { resource: [resource, resource] }],
    ['unknown-resource', { resource: 'https://api.example' }],
    ['unknown-resource', { resource: 'https://API.example/' }],
    ['no-scope-left', { scope: 'notes:delete' }],
    ['no-scope-left', { scope: 'notes:read', resource: issuer }],
    ['request-object', { request: 'e30.e30.' }],
    ['request-uri', { request_uri: 'https://app.example/request' }],
    ...Object.keys({ ...good, nonce: '', prompt: '', max_age: '', id_token_hint: '' })
      .filter((name) => !['client_id', 'redirect_uri', 'resource'].includes(name))
      .map((name): [Problem, Record<string, string[]>] => [
        'parameter-twice',
        { [name]: ['a', 'a'] },
      ]),
  ])('is refused at its app as %s: %j', (name, changes) => {
    expect(problem(changes)).toBe(name)
    expect(judged(changes)).toMatchObject({ redirectUri })
  })

  it('is refused if its query is too long', () => {
    expect(problem({}, { isTooLong: true })).toBe('too-long')
  })

  it.each([
    { redirect_uri: undefined },
    { redirect_uri: '' },
    { redirect_uri: [redirectUri, redirectUri] },
    { redirect_uri: `${redirectUri}/` },
    { redirect_uri: 'https://app.example.evil.example/callback' },
    { redirect_uri: 'https://app.example/callback?next=https://evil.example' },
    { redirect_uri: 'https://app.example/callback/../other' },
    { redirect_uri: 'https://app.example@evil.example/callback' },
    { redirect_uri: 'javascript:alert(1)' },
  ])('attack: leads nowhere, whatever else is wrong, with another redirect URI: %j', (changes) => {
    expect(problem(changes)).toBe('nowhere')
    expect(problem({ ...changes, response_type: 'token', state: ['a', 'b'] })).toBe('nowhere')
    expect(problem(changes, { isTooLong: true })).toBe('nowhere')
  })

  it('repeats no state if two were sent', () => {
    expect(judged({ state: ['one', 'two'] })).toMatchObject({ state: undefined })
  })

  it('ignores parameters that nobody knows, also several of one name', () => {
    expect(problem({ display: ['page', 'popup'], claims: '{}', login_hint: 'ada' })).toBe('good')
  })
})

describe('the scopes of a request', () => {
  const scopes = (scope: string, of: string | undefined = resource) =>
    requestOf({ scope, resource: of }).scopes

  it('are in the order asked, each once, without those of others', () => {
    expect(scopes('notes:write  openid notes:delete notes:write')).toEqual([
      'notes:write',
      'openid',
    ])
    expect(scopes('openid profile email offline_access', issuer)).toHaveLength(4)
    expect(scopes('openid constructor')).toEqual(['openid'])
  })

  it('are those of the only resource, if none is named', () => {
    const [first] = server.resources
    const one = serverWith({ resources: new Map(first ? [first] : []) })
    expect(requestOf({ resource: undefined }, { of: one }).resource).toBe(resource)
    expect(requestOf({ resource: undefined }).resource).toBe(issuer)
  })
})

describe('an app that nobody has registered', () => {
  const app: App = { ...spa, id: 'https://client.example/app', host: 'client.example' }
  const open = server.resources.get(resource)
  const of = serverWith({
    isOpen: true,
    resources: new Map([
      [resource, { ...(open as NonNullable<typeof open>), isOpen: true }],
      [
        'https://more.example/',
        { ...(open as NonNullable<typeof open>), uri: 'https://more.example/' },
      ],
    ]),
  })

  it('gets open resources alone', () => {
    expect(problem({}, { app, of })).toBe('good')
    for (const closed of ['https://more.example/', issuer, undefined]) {
      expect(problem({ resource: closed }, { app, of })).toBe('closed-resource')
    }
  })
})

it('the first acr that counts is asked of a sign-in, and an age within bounds', () => {
  expect(
    ['2', '1 2', '2 1', 'phr 2', 'phr', ''].map((acr_values) => requestOf({ acr_values }).acr),
  ).toEqual(['2', '1', '2', '2', undefined, undefined])
  expect(['0', '007', '9'.repeat(400)].map((max_age) => requestOf({ max_age }).maxAge)).toEqual([
    0, 7, 1_000_000_000,
  ])
})

it('every problem has an error of the standards, and a sentence in ASCII without quotes (RFC 6749, 4.1.2.1)', () => {
  const problems: Problem[] = [
    ...['too-long', 'parameter-twice', 'request-object', 'request-uri', 'no-response-type'],
    ...['other-response-type', 'other-response-mode', 'no-challenge', 'challenge-not-by-s256'],
    ...[
      'malformed-challenge',
      'none-beside-another-prompt',
      'malformed-max-age',
      'several-resources',
    ],
    ...['unknown-resource', 'closed-resource', 'no-scope-left', 'not-signed-in', 'not-consented'],
    ...['denied', 'store-failed', 'fault'],
  ] as Problem[]
  const words = new Set(problems.map((one) => publicProblem(one).error))
  expect([...words].sort()).toEqual(
    'access_denied consent_required invalid_request invalid_scope invalid_target login_required request_not_supported request_uri_not_supported server_error temporarily_unavailable unsupported_response_type'.split(
      ' ',
    ),
  )
  for (const one of problems) {
    expect(publicProblem(one).error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  }
})
