import type { AuthHandler, Environment } from '@latchkey/worker'

export async function ban(auth: AuthHandler<Environment>, env: Environment, sub: string) {
  await auth.blockPerson({ sub, reason: 'Spam, ticket 4711' }, env)
}
