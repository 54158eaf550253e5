import credentials from '@latchkey/worker/providers/credentials'
import { hashPassword, needsRehash, verifyPassword } from '@latchkey/worker/passwords'

interface Row {
  readonly id: string
  readonly email: string
  readonly hash: string | null
}

/** @param users your own table */
export function passwords(users: {
  find(email: string): Promise<Row | undefined>
  setHash(id: string, hash: string): Promise<void>
}) {
  return credentials({
    credentials: { email: { label: 'Email' }, password: { label: 'Password', type: 'password' } },
    async authorize({ email, password }) {
      const user = await users.find(String(email))
      if (!(await verifyPassword(user?.hash, String(password)))) return null
      if (!user) return null
      if (!user.hash || needsRehash(user.hash)) {
        await users.setHash(user.id, await hashPassword(String(password)))
      }
      return { id: user.id, email: user.email }
    },
  })
}
