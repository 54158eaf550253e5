import { describe, expect, it } from 'vitest'
import { clientFromEnv } from './client-from-env.js'
import { defaultClient, redirectUriProblem, registerClients } from './clients.js'

const web = { ...defaultClient, type: 'web' as const }

describe('redirect URIs of a web client', () => {
  it.each([
    ['https://app.example/cb', undefined],
    ['https://app.example:8443/cb/', undefined],
    ['http://app.example/cb', /https/],
    ['https://localhost/cb', /localhost/],
    ['https://app.localhost/cb', /localhost/],
    ['https://127.0.0.1:8787/cb', /localhost/],
    ['https://[::1]/cb', /localhost/],
    ['app.example/cb', /absolute/],
    ['//app.example/cb', /absolute/],
    ['https://app.example/cb?id=1', /query/],
    ['https://app.example/cb?', /query/],
    ['https://app.example/cb#x', /fragment/],
    ['https://app.example/cb#', /fragment/],
    ['https://*.example/cb', /static/],
    ['https://app.example/c b', /spaces/],
    ['https://me:pw@app.example/cb', /credentials/],
    [`https://app.example/${'a'.repeat(491)}`, undefined],
    [`https://app.example/${'a'.repeat(492)}`, /512/],
  ])('%s', (uri, problem) => {
    const found = redirectUriProblem(uri, 'web')
    if (problem) expect(found).toMatch(problem)
    else expect(found).toBeUndefined()
  })
})

describe('redirect URIs of a desktop client', () => {
  it.each([
    ['http://localhost:3455/cb', undefined],
    ['https://127.0.0.1:3455/cb', undefined],
    ['http://localhost:80/cb', undefined],
    ['http://localhost/cb', /port/],
    ['http://app.example:3455/cb', /localhost or 127\.0\.0\.1/],
    ['myapp://localhost:3455/cb', /absolute/],
    ['http://localhost:3455/cb?x=1', /query/],
  ])('%s', (uri, problem) => {
    const found = redirectUriProblem(uri, 'desktop')
    if (problem) expect(found).toMatch(problem)
    else expect(found).toBeUndefined()
  })
})

describe('registerClients', () => {
  const uris = (count: number) =>
    Array.from({ length: count }, (_, index) => `https://app.example/cb/${index}`)

  it('takes ten redirect URIs and no more', () => {
    expect(registerClients([{ ...web, redirectUris: uris(10) }]).size).toBe(1)
    expect(() => registerClients([{ ...web, redirectUris: uris(11) }])).toThrow(/more than 10/)
  })

  it('names the client, the address and the rule', () => {
    expect(() => registerClients([web])).toThrow(
      /"sandbox-client-key": redirect URI "http:\/\/localhost:8787\/auth\/callback\/videoapp" must/,
    )
  })

  it('refuses a client without key, secret or redirect URI, and one given twice', () => {
    expect(() => registerClients([{ ...defaultClient, clientKey: '' }])).toThrow(/clientKey/)
    expect(() => registerClients([{ ...defaultClient, clientSecret: '' }])).toThrow(/clientSecret/)
    expect(() => registerClients([{ ...defaultClient, redirectUris: [] }])).toThrow(/no redirect/)
    expect(() => registerClients([defaultClient, defaultClient])).toThrow(/twice/)
  })
})

describe('clientFromEnv', () => {
  it('is the default client when nothing is set', () => {
    expect(clientFromEnv({})).toEqual(defaultClient)
    expect(clientFromEnv({ SANDBOX_REDIRECT_URIS: '', SANDBOX_CLIENT_KEY: '' })).toEqual(
      defaultClient,
    )
  })

  it('registers other addresses of this machine as a desktop client', () => {
    const client = clientFromEnv({
      SANDBOX_CLIENT_KEY: 'k',
      SANDBOX_CLIENT_SECRET: 's',
      SANDBOX_REDIRECT_URIS: 'http://localhost:9999/cb, http://127.0.0.1:9999/cb',
      SANDBOX_CHALLENGE: 'hex',
    })
    expect(client).toMatchObject({
      clientKey: 'k',
      clientSecret: 's',
      type: 'desktop',
      redirectUris: ['http://localhost:9999/cb', 'http://127.0.0.1:9999/cb'],
      challenge: 'hex',
    })
    expect(registerClients([client]).size).toBe(1)
  })

  it('registers public addresses as a web client, which cannot be mixed with local ones', () => {
    const tunnel = 'https://some-words.tunnel.example/auth/callback/videoapp'
    expect(clientFromEnv({ SANDBOX_REDIRECT_URIS: tunnel }).type).toBe('web')
    const mixed = clientFromEnv({ SANDBOX_REDIRECT_URIS: `${tunnel},http://localhost:8787/cb` })
    expect(() => registerClients([mixed])).toThrow(/must not be on localhost/)
  })

  it('refuses a challenge encoding that does not exist', () => {
    expect(() => clientFromEnv({ SANDBOX_CHALLENGE: 'base64' })).toThrow(/base64url or hex/)
  })
})
