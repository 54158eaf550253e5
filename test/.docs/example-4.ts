import { mintAccessToken } from '@latchkey/session/testing'

const secret = 'the-secret-of-your-tests-0123456789'
const issuer = 'https://example.com/auth'
const audience = 'https://api.example.com/'

export async function ask(url: string): Promise<Response> {
  const { authorization } = await mintAccessToken({ secret, issuer, audience, scope: 'notes:read' })
  return fetch(url, { headers: { authorization } })
}
