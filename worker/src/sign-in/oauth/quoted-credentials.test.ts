import { generateKeyPair } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { customFetch } from '../../lib/symbols.js'
import {
  Browser,
  configWith,
  errorOf,
  everythingIn,
  fakeProvider,
} from '../../test-support/browser.js'
import type { OAuthUserConfig } from '../../types.js'

let errors: Error[]

beforeEach(() => {
  errors = []
})

const failed = '/auth/signin OAuthCallbackError'
const logger = { error: (error: Error) => void errors.push(error) }
const post = { client: { token_endpoint_auth_method: 'client_secret_post' } } as const

describe('no credential is in the log when a fetch quotes its request', () => {
  const secret = 'the-secret/with+odd characters'

  /**
   * Signs in over a fetch that fails with its own request in the error. @returns the quoted text
   */
  async function quoted(options: OAuthUserConfig): Promise<URLSearchParams> {
    let sent = new URLSearchParams()
    const quoting: typeof fetch = async (_, init) => {
      const { body, headers } = init as { body: string; headers: HeadersInit }
      const authorization = new Headers(headers).get('authorization') ?? ''
      sent = new URLSearchParams(String(body))
      sent.append('authorization', authorization)
      throw new TypeError(`fetch failed: ${body} authorization: ${authorization}`)
    }
    const provider = fakeProvider({}, { ...options, [customFetch]: quoting })
    const browser = new Browser(configWith({ providers: [provider], logger }))
    expect(errorOf(await browser.signIn('fake'))).toBe(failed)
    expect(everythingIn(errors)).toContain('fetch failed')
    return sent
  }
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

  it('a fixed secret, the code and the verifier', async () => {
    const sent = await quoted({ ...post, clientSecret: 'plain-secret' })
    for (const name of ['client_secret', 'code', 'code_verifier']) {
      expect(everythingIn(errors)).not.toContain(sent.get(name))
    }
  })

  it('a secret that a function made', async () => {
    await quoted({ ...post, clientSecret: () => 'plain-secret' })
    expect(everythingIn(errors)).not.toContain('plain-secret')
  })

  it('a secret in the encoding of forms', async () => {
    await quoted({ ...post, clientSecret: secret })
    expect(everythingIn(errors)).not.toContain(encoded(secret))
  })

  it('a secret in a header', async () => {
    const sent = await quoted({ clientSecret: secret })
    expect(everythingIn(errors)).not.toContain(sent.get('authorization'))
  })

  it('an assertion', async () => {
    const { privateKey: clientPrivateKey } = await generateKeyPair('ES256')
    const sent = await quoted({
      client: { token_endpoint_auth_method: 'private_key_jwt' },
      token: { url: 'https://provider.example/token', clientPrivateKey },
    })
    expect(everythingIn(errors)).not.toContain(sent.get('client_assertion'))
  })
})

describe('no credential is in the log when a provider quotes a request', () => {
  const refusing = async (options: OAuthUserConfig, quote: (form: URLSearchParams) => string) => {
    const refuse: typeof fetch = async (_, init) => {
      const error_description = quote(new URLSearchParams(String((init as RequestInit).body)))
      return Response.json({ error: 'invalid_client', error_description }, { status: 400 })
    }
    const provider = fakeProvider({}, { ...options, [customFetch]: refuse })
    const browser = new Browser(configWith({ providers: [provider], logger }))
    expect(errorOf(await browser.signIn('fake', 'the-code'))).toBe(failed)
    expect(everythingIn(errors)).toContain('invalid_client')
  }
  const quoteSecret = (form: URLSearchParams) => `bad secret: ${form.get('client_secret')}`

  it('whole', async () => {
    await refusing({ ...post, clientSecret: 'plain-secret' }, quoteSecret)
    expect(everythingIn(errors)).toContain('bad secret: [hidden]')
    expect(everythingIn(errors)).not.toContain('plain-secret')
  })

  it('whole, decoded from the header', async () => {
    await refusing({ clientSecret: 'plain secret' }, () => 'bad secret: plain secret')
    expect(everythingIn(errors)).toContain('bad secret: [hidden]')
  })

  it('that is longer than a line of the log', async () => {
    const clientSecret = 'long-secret-'.repeat(50)
    await refusing({ ...post, clientSecret }, quoteSecret)
    expect(everythingIn(errors)).not.toContain('long-secret-long-secret-')
  })

  it('that is cut off at the end of the line', async () => {
    await refusing(
      { ...post, clientSecret: 'plain-secret' },
      (form) => `${'x'.repeat(190)}${form.get('client_secret')}`,
    )
    expect(everythingIn(errors)).not.toContain('xplain-se')
  })

  it('that has letters which a log does not show', async () => {
    await refusing({ ...post, clientSecret: 'ein-geheimnis-für-alle' }, quoteSecret)
    expect(everythingIn(errors)).not.toContain('ein-geheimnis-')
  })
})

it('log injection: what a fetch throws is one short line', async () => {
  const noisy: typeof fetch = async () => {
    throw new TypeError(`failed\r\n[auth][error] forged\u001b[31m${'y'.repeat(10_000)}`)
  }
  const provider = fakeProvider({}, { [customFetch]: noisy })
  const browser = new Browser(configWith({ providers: [provider], logger }))
  expect(errorOf(await browser.signIn('fake'))).toBe(failed)
  const logged = everythingIn(errors[0]?.cause)
  expect(logged).toContain('TypeError: failed')
  for (const mark of ['\r', '\n[auth]', '\u001b']) expect(logged).not.toContain(mark)
  expect(logged.length).toBeLessThan(1_000)
})
