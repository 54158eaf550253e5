import { auth, requireSession } from '@/auth'

export const GET = requireSession((request) => Response.json(request.auth.user))

export const POST = auth(async (request) => {
  if (!request.auth) return Response.json({ error: 'Sign in first.' }, { status: 401 })
  return Response.json({ ok: true })
})
