import { auth } from '@/auth'

export const GET = auth((request) => {
  if (!request.auth) return Response.json({ error: 'Nobody is signed in' }, { status: 401 })
  return Response.json(request.auth.user)
})
