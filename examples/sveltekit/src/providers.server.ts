export interface Provider {
  readonly id: string
  readonly name: string
  readonly type: 'oauth' | 'oidc' | 'email' | 'credentials' | 'webauthn'
}

/** The providers that a person can sign in with, from `/auth/providers`. */
export async function listProviders(fetch: typeof globalThis.fetch): Promise<Provider[]> {
  const answer = await fetch('/auth/providers')
  const providers: Record<string, Provider> = await answer.json()
  return Object.values(providers).map(({ id, name, type }) => ({ id, name, type }))
}
