import type { Contestant } from '../contestant.ts'
import { partsOf, publicKey, signInWithTokens, tokenIn } from '../tokens.ts'

// A floor: the signature alone, with WebCrypto. No claim is looked at.

const key = await publicKey()

const webCrypto: Contestant = {
  signIn: signInWithTokens,
  async read({ headers }) {
    const { signed, signature, sessionOf } = partsOf(tokenIn(headers.cookie))
    return (await crypto.subtle.verify('Ed25519', key, signature, signed)) ? sessionOf() : null
  },
}

export default webCrypto
