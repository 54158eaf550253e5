import { createTokenVerifier } from '@latchkey/session'

const verifier = createTokenVerifier({
  worker: 'https://example.com/auth',
  audience: 'https://api.example.com/',
})

export async function readNotes(request: Request): Promise<Response> {
  const authorization = request.headers.get('authorization')
  const { token, refusal } = await verifier.read(authorization, { scope: 'notes:read' })
  if (token) return Response.json({ user: token.sub })
  const { status, error, challenge } = refusal
  return Response.json({ error }, { status, headers: { 'www-authenticate': challenge } })
}
