import type { TestProject } from 'vitest/node'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { type Siteverify, startSiteverify } from '../support/siteverify.ts'

declare module 'vitest' {
  interface ProvidedContext {
    openid: Pick<OidcProvider, 'issuer' | 'clients'>
    /** Another provider, which takes secrets in the body only. */
    openidPostOnly: Pick<OidcProvider, 'issuer'>
    siteverify: Pick<Siteverify, 'env' | 'url'>
  }
}

/** Runs `oidc-provider`, and a stand-in for Turnstile, in Node while the tests run in workerd. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const any = await startOidcProvider()
  const postOnly = await startOidcProvider(['client_secret_post'])
  await any.registerApp('http://localhost:8787')
  await postOnly.registerApp('http://localhost:8787')
  project.provide('openid', { issuer: any.issuer, clients: any.clients })
  project.provide('openidPostOnly', { issuer: postOnly.issuer })
  const turnstile = await startSiteverify()
  project.provide('siteverify', { env: turnstile.env, url: turnstile.url })
  return async () => {
    turnstile.stop()
    await any.stop()
    await postOnly.stop()
  }
}
