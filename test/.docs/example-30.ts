import { AuthError, createClient } from '@latchkey/client'

const client = createClient()

export async function leave(): Promise<string> {
  try {
    await client.signOut({ redirect: false })
    return 'You are signed out.'
  } catch (error) {
    if (error instanceof AuthError) return 'The service gives no answer. Are you online?'
    throw error
  }
}
