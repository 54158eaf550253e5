import { createClient } from '@latchkey/client'

const client = createClient()

export const enterWithGitHub = () => client.signIn('github', { redirectTo: '/inbox' })

export async function enter(username: string, password: string): Promise<string> {
  const { ok, error } = await client.signIn('password', { username, password, redirect: false })
  return ok ? 'Signed in.' : `Not signed in: ${error}.`
}

export async function addDevice(): Promise<string> {
  const { ok, code } = await client.signIn('passkey', { link: true, redirect: false })
  if (ok) return 'Added.'
  return code === 'already_added' ? 'This device has a passkey already.' : 'Not added.'
}

export const leave = () => client.signOut({ redirectTo: '/' })
