import { createTokenVerifier } from '@latchkey/session'
import { AUDIENCE, bearersOf } from '../access-tokens.ts'
import { type Contestant, SECRET } from '../contestant.ts'
import { ISSUER } from '../tokens.ts'

// @latchkey/session on access tokens that it has seen before.

const began = Date.now()
const verifier = createTokenVerifier({
  secret: SECRET,
  issuer: ISSUER,
  audience: AUDIENCE,
  // Slow, since the tokens live for five minutes, and the bench takes longer.
  now: () => began + (Date.now() - began) / 100,
})
const needs = { scope: 'notes:read' }

const latchkeyToken: Contestant = {
  signIn: bearersOf,
  read({ headers }) {
    const reading = verifier.read(headers.cookie, needs)
    if (reading instanceof Promise) return reading.then(({ token }) => sessionOf(token?.sub))
    return sessionOf(reading.token?.sub)
  },
}

function sessionOf(name: string | undefined) {
  return name === undefined ? null : { user: { name } }
}

export default latchkeyToken
