import type { StoredPassword } from './passwords.js'

interface StoredUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly password: StoredPassword
}

/** Stands for your own user store. Ada's password is "correct horse battery". */
const USERS: ReadonlyMap<string, StoredUser> = new Map([
  [
    'ada',
    {
      id: 'user-1',
      name: 'Ada Example',
      email: 'ada@example.com',
      password: {
        salt: 'latchkey example',
        hash: '8bf4af5309b7a748b3925bad25661ecc285ca30a76842e454168650c11b55907',
      },
    },
  ],
])

export function findUser(username: string): StoredUser | undefined {
  return USERS.get(username.trim().toLowerCase())
}
