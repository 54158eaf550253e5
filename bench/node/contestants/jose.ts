import { jwtVerify } from 'jose'
import type { Contestant, Session } from '../contestant.ts'
import { ISSUER, publicKey, signInWithTokens, tokenIn } from '../tokens.ts'

// What an app would write itself: the same token, verified each time.

const key = await publicKey()
const options = { algorithms: ['EdDSA'], typ: 'session+jwt', issuer: ISSUER }

const jose: Contestant = {
  signIn: signInWithTokens,
  async read({ headers }) {
    const token = tokenIn(headers.cookie)
    const { payload } = await jwtVerify<{ session: Session }>(token, key, options)
    return payload.session
  },
}

export default jose
