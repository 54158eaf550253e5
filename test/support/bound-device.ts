import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** What a browser registers, and how it proves later that it has the key: DBSC, "DBSC proof JWTs". */
export interface Device {
  /** @param withKey for a registration */
  proof(challenge: string, withKey?: boolean): Promise<string>
}

/** A browser's device with a new key. */
export async function newDevice(): Promise<Device> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  return {
    proof: (challenge, withKey = false) =>
      new SignJWT({ jti: challenge })
        .setProtectedHeader({ alg: 'ES256', typ: 'dbsc+jwt', ...(withKey ? { jwk } : {}) })
        .sign(privateKey),
  }
}

/** The parts of the offer in `Secure-Session-Registration`. */
export function offerIn(answer: Response): { readonly path: string; readonly challenge: string } {
  const offer = answer.headers.get('secure-session-registration') ?? ''
  const of = (name: string) => new RegExp(`;${name}="([^"]*)"`).exec(offer)?.[1] ?? ''
  return { path: of('path'), challenge: of('challenge') }
}

/** The challenge of the next proof, in `Secure-Session-Challenge`. */
export function challengeIn(answer: Response): string {
  return /^"([^"]*)"/.exec(answer.headers.get('secure-session-challenge') ?? '')?.[1] ?? ''
}
