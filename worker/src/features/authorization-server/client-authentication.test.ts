import { describe, expect, it } from 'vitest'
import { clientSecret, oauthIsolate, serverWith } from '../../test-support/oauth.js'

const made = oauthIsolate()
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** Which client a request to the token endpoint is taken for: a code that does not open is refused later. */
async function authenticated(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  one = made,
): Promise<string> {
  const all = { grant_type: 'authorization_code', code: 'made-up', ...fields }
  const { status, error, headers: answered } = await one.post('/oauth/token', all, headers)
  const challenge = answered.get('www-authenticate')
  return [status, error, ...(challenge === null ? [] : [challenge.split(' ', 1)[0]])].join(' ')
}

const known = '400 invalid_grant'

describe('a confidential app authenticates itself', () => {
  it('by client_secret_basic, or by client_secret_post', async () => {
    expect(await authenticated({}, basic('web', clientSecret))).toBe(known)
    expect(await authenticated({ client_id: 'web', client_secret: clientSecret })).toBe(known)
  })

  it('by the header, and may repeat its id', async () => {
    const header = basic('web', clientSecret)
    expect(await authenticated({ client_id: 'web' }, header)).toBe(known)
    expect(await authenticated({ client_id: 'spa' }, header)).toBe('400 invalid_request')
  })

  it('with a header whose parts are encoded as a form, in any case of its scheme', async () => {
    const secret = 'geheim+ä:%&= 0123456789-0123456789-012345'
    const web = { ...serverWith().apps.get('web'), secrets: [secret] }
    const server = serverWith({ apps: new Map([['web', web]]) as never })
    const one = oauthIsolate({ server })
    const encoded = new URLSearchParams({ secret }).toString().slice('secret='.length)
    expect(await authenticated({}, basic('web', encoded), one)).toBe(known)
    expect(await authenticated({}, basic('%77eb', encoded), one)).toBe(known)
    const { authorization } = basic('web', encoded)
    const shouted = { authorization: authorization.replace('Basic', 'BASIC') }
    expect(await authenticated({}, shouted, one)).toBe(known)
    expect(await authenticated({}, basic('web', secret), one)).toBe('401 invalid_client Basic')
  })

  it('with each of its secrets, and no other one', async () => {
    const secrets = ['the-new-secret-0123456789-0123456789', 'the-old-secret-0123456789-0123456789']
    const web = { ...serverWith().apps.get('web'), secrets }
    const one = oauthIsolate({ server: serverWith({ apps: new Map([['web', web]]) as never }) })
    for (const secret of secrets) {
      expect(await authenticated({ client_id: 'web', client_secret: secret }, {}, one)).toBe(known)
    }
    for (const secret of [clientSecret, secrets.join(), `${secrets[0]} `, '']) {
      const fields = { client_id: 'web', client_secret: secret }
      expect(await authenticated(fields, {}, one)).toBe('401 invalid_client')
      expect(await authenticated({}, basic('web', secret), one)).toBe('401 invalid_client Basic')
    }
  })

  it('and is refused without a secret', async () => {
    expect(await authenticated({ client_id: 'web' })).toBe('401 invalid_client')
  })

  it('at one place', async () => {
    const twice = { client_id: 'web', client_secret: clientSecret }
    expect(await authenticated(twice, basic('web', clientSecret))).toBe('400 invalid_request')
    const empty = { client_id: 'web', client_secret: '' }
    expect(await authenticated(empty, basic('web', clientSecret))).toBe('400 invalid_request')
  })
})

describe('a public app', () => {
  it('is taken by its id alone', async () => {
    expect(await authenticated({ client_id: 'spa' })).toBe(known)
  })

  it('is refused with any secret, an empty one too', async () => {
    for (const secret of [clientSecret, '']) {
      const fields = { client_id: 'spa', client_secret: secret }
      expect(await authenticated(fields)).toBe('401 invalid_client')
      expect(await authenticated({}, basic('spa', secret))).toBe('401 invalid_client Basic')
    }
  })
})

it.each([
  ['an unknown client', { client_id: 'nobody' }, {}, '401 invalid_client'],
  ['a name of JavaScript', { client_id: '__proto__' }, {}, '401 invalid_client'],
  [
    'an address, if no resource is open',
    { client_id: 'https://app.example/client' },
    {},
    '401 invalid_client',
  ],
  ['no client at all', {}, {}, '400 invalid_request'],
  ['an empty id', { client_id: '' }, {}, '400 invalid_request'],
  ['an assertion', { client_id: 'spa', client_assertion: 'x' }, {}, '401 invalid_client'],
  [
    'another scheme',
    { client_id: 'spa' },
    { authorization: 'Bearer x' },
    '401 invalid_client Basic',
  ],
  ['an empty header', { client_id: 'spa' }, { authorization: '' }, '401 invalid_client Basic'],
  ['no colon', {}, { authorization: `Basic ${btoa('web')}` }, '401 invalid_client Basic'],
  ['no base64', {}, { authorization: 'Basic w%b' }, '401 invalid_client Basic'],
  ['no UTF-8', {}, { authorization: `Basic ${btoa('web:\xff')}` }, '401 invalid_client Basic'],
  ['a broken escape', {}, basic('web', '%E0%A4%A'), '401 invalid_client Basic'],
])('%s is refused', async (_, fields, headers, expected) => {
  expect(
    await authenticated(fields as Record<string, string>, headers as Record<string, string>),
  ).toBe(expected)
})

it('an app of a metadata document is public, and is named by its address, if a resource is open', async () => {
  const one = oauthIsolate({ server: serverWith({ isOpen: true }) })
  const client_id = 'https://app.example/client'
  expect(await authenticated({ client_id }, {}, one)).toBe(known)
  expect(await authenticated({ client_id, client_secret: 'x' }, {}, one)).toBe('401 invalid_client')
  expect(await authenticated({ client_id: 'http://app.example/' }, {}, one)).toBe(
    '401 invalid_client',
  )
})
