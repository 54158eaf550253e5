import { cookies } from 'next/headers'
import { notFound, permanentRedirect, redirect } from 'next/navigation'
import { auth } from '../../auth'

export const GET = auth(async (request) => {
  const how = request.nextUrl.searchParams.get('how')
  ;(await cookies()).set('mine', 'a b; c')
  if (how === 'redirect') redirect('/static')
  if (how === 'moved') permanentRedirect('/static')
  if (how === 'missing') notFound()
  if (how === 'error') throw new Error('The handler failed.')
  return Response.json({ name: request.auth?.user?.name ?? null })
})
