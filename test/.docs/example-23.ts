import type { AuthHandler } from '@latchkey/worker'

/** What a user has let in, for the support. */
export async function appsOf(auth: AuthHandler<object>, sub: string): Promise<string[]> {
  const apps = await auth.listApps(sub)
  return apps.map(({ name, scopes }) => `${name}: ${scopes.join(' ')}`)
}

/** Ends an app for one user, for example after a phone was lost. */
export async function endPhone(auth: AuthHandler<object>, sub: string): Promise<void> {
  await auth.endApp(sub, 'phone')
}
