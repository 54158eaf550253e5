import type { TestProject } from 'vitest/node'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { type Siteverify, startSiteverify } from '../support/siteverify.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

declare module 'vitest' {
  interface ProvidedContext {
    openid: Pick<OidcProvider, 'issuer' | 'clients'>
    /** Another provider, which takes secrets in the body only. */
    openidPostOnly: Pick<OidcProvider, 'issuer'>
    siteverify: Pick<Siteverify, 'env' | 'url'>
    /** The origin of test/support/webhook-receiver.ts. */
    webhooks: string
  }
}

/** Runs `oidc-provider`, a stand-in for Turnstile and receivers of webhooks in Node while the tests run in workerd. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const any = await startOidcProvider()
  const postOnly = await startOidcProvider(['client_secret_post'])
  await any.registerApp('http://localhost:8787')
  await postOnly.registerApp('http://localhost:8787')
  project.provide('openid', { issuer: any.issuer, clients: any.clients })
  project.provide('openidPostOnly', { issuer: postOnly.issuer })
  const turnstile = await startSiteverify()
  project.provide('siteverify', { env: turnstile.env, url: turnstile.url })
  const webhooks = await startWebhookReceiver()
  project.provide('webhooks', webhooks.url)
  return async () => {
    webhooks.stop()
    turnstile.stop()
    await any.stop()
    await postOnly.stop()
  }
}
