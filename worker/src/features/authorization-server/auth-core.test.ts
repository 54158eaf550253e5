import { Auth, customFetch } from '@auth/core'
import { expect, it } from 'vitest'
import { locationOf } from '../../test-support/browser.js'
import { clientSecret, issuer } from '../../test-support/oauth.js'
import { oauthPeople } from '../../test-support/oauth-people.js'

/** An app of Auth.js has this service as its OpenID provider, found by its issuer alone, with every check that Auth.js has. */
const app = 'https://app.example'

it.each(['ES256', 'RS256'] as const)('@auth/core signs a person in, with %s', async (alg) => {
  const redirectUris = [`${app}/auth/callback/latchkey`]
  const made = oauthPeople({ apps: { journal: { secret: clientSecret, redirectUris, alg } } })
  const ada = await made.signIn('one', 'ada')
  const jar = new Map<string, string>()
  /** What the browser does at the app. */
  async function visit(path: string, fields?: Record<string, string>): Promise<Response> {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const post = fields && { method: 'POST', body: new URLSearchParams(fields) }
    const answer = await Auth(new Request(app + path, { headers: { cookie }, ...post }), {
      basePath: '/auth',
      secret: 'a-secret-of-the-app-0123456789abcdef',
      trustHost: true,
      providers: [
        {
          id: 'latchkey',
          name: 'Latchkey',
          type: 'oidc',
          issuer,
          clientId: 'journal',
          clientSecret,
          checks: ['pkce', 'state', 'nonce'],
          ...(alg === 'ES256' && { client: { id_token_signed_response_alg: alg } }),
          [customFetch]: (...args: Parameters<typeof fetch>) =>
            made.browser().answer(new Request(...args)),
        },
      ],
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return answer
  }

  const { csrfToken } = (await (await visit('/auth/csrf')).json()) as { csrfToken: string }
  const leaves = new URL(locationOf(await visit('/auth/signin/latchkey', { csrfToken })))
  expect(leaves.origin + leaves.pathname).toBe(`${issuer}/oauth/authorize`)
  const asked = await made.decide(ada, await ada.get(leaves.pathname + leaves.search))
  const back = new URL(locationOf(asked))
  const done = await visit(back.pathname + back.search)
  expect(locationOf(done)).toBe(app)
  const session = await (await visit('/auth/session')).json()
  expect(session).toMatchObject({ user: { name: 'ada at one' } })
  // An answer that comes again signs nobody in: Auth.js has used its cookies up.
  expect(locationOf(await visit(back.pathname + back.search))).toContain('/auth/error')
})
