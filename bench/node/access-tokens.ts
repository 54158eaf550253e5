import { mintAccessToken } from '@latchkey/session/testing'
import { forEach, type Person, SECRET } from './contestant.ts'
import { ISSUER } from './tokens.ts'

export const AUDIENCE = 'https://api.example.com/'

/** Values of `Authorization`, in the place of a Cookie header: what a header is called costs nothing. */
export async function bearersOf(people: readonly Person[]): Promise<string[]> {
  const minted = await forEach(people, ({ name: sub }) =>
    mintAccessToken({
      secret: SECRET,
      issuer: ISSUER,
      audience: AUDIENCE,
      sub,
      scope: 'notes:read',
    }),
  )
  return minted.map(({ authorization }) => authorization)
}
