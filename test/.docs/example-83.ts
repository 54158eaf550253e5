import { isBreachedPassword } from '@latchkey/worker/passwords'

/** For the form that sets a password. */
export async function problemOf(password: string): Promise<string | undefined> {
  if (password.length < 8) return 'A password has at least eight characters.'
  if (await isBreachedPassword(password)) return 'This password is in a known breach. Choose another one.'
  return undefined
}
