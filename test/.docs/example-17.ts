import { createTokenVerifier } from '@latchkey/session'

const verifier = createTokenVerifier({
  worker: 'https://example.com/auth',
  audience: 'https://api.example.com/',
})

export async function whoAsks(request: Request) {
  const { token, refusal } = await verifier.read(request.headers.get('authorization'), {
    scope: 'notes:read',
  })
  return token ? token.sub : refusal.status
}
