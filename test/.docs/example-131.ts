import { createVerifier } from '@latchkey/session'

const verifier = createVerifier({ worker: 'https://example.com/auth' })

/** The user, or `null` without a session. Your answer must have each line of `setCookie` as a header `Set-Cookie`. */
export async function userOf(request: Request) {
  const { session, setCookie } = await verifier.read(request.headers.get('cookie'))
  return { user: session?.user ?? null, setCookie }
}
