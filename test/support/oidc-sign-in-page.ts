import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'

/** People with an account at the provider, by id. */
export const ACCOUNTS: Readonly<
  Record<string, { name: string; email: string; email_verified: boolean }>
> = {
  ada: { name: 'Ada Example', email: 'ada@example.com', email_verified: true },
  bob: { name: 'Bob Example', email: 'bob@bolt.example', email_verified: true },
  grace: { name: 'Grace Example', email: 'grace@example.com', email_verified: false },
}

/**
 * The provider's sign-in page: a button for each person, which consents to everything, and
 * one to cancel. Its own development pages load fonts from the network.
 */
export async function askPerson(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(page())
    return
  }
  const accountId = new URLSearchParams(await text(request)).get('account')
  if (!accountId) {
    const refusal = { error: 'access_denied', error_description: 'The person cancelled.' }
    return provider.interactionFinished(request, response, refusal)
  }
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
  grant.addOIDCScope('openid profile email')
  const result = { login: { accountId }, consent: { grantId: await grant.save() } }
  await provider.interactionFinished(request, response, result)
}

function page(): string {
  const buttons = Object.entries(ACCOUNTS).map(
    ([id, { name }]) => `<p><button name="account" value="${id}">Continue as ${name}</button></p>`,
  )
  return `<!doctype html><html lang="en"><title>Sign in</title><h1>Who are you?</h1>
    <form method="post">${buttons.join('')}
    <p><button name="account" value="">Cancel</button></p></form></html>`
}
