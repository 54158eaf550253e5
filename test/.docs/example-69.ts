import { NextResponse } from 'next/server'
import { auth } from '@/auth'

export const proxy = auth((request) => {
  const headers = new Headers(request.headers)
  headers.set('x-signed-in', request.auth ? 'yes' : 'no')
  return NextResponse.next({ request: { headers } })
})
