import type { AuthHandler, Environment } from '@latchkey/worker'

/** Delete your own data first: afterwards you cannot tell which user owned it. */
export async function erase(auth: AuthHandler<Environment>, env: Environment, sub: string) {
  await deleteRowsOf(sub)
  await auth.deletePerson(sub, env)
}

declare function deleteRowsOf(sub: string): Promise<void>
