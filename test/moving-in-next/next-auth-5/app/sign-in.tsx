'use client'

import { signIn, useSession } from 'next-auth/react'

export function SignIn() {
  const { status } = useSession()
  const callbackUrl = '/members'
  if (status === 'loading') return <p>…</p>
  return <button onClick={() => signIn('company', { callbackUrl })}>Sign in with Company</button>
}
