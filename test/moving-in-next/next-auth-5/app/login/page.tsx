'use client'

import { useActionState } from 'react'
import { authenticate } from './actions'

export default function Login() {
  const [message, action, isPending] = useActionState(authenticate, undefined)
  return (
    <form action={action}>
      <input name="username" />
      <input name="password" type="password" />
      <input name="redirectTo" type="hidden" value="/members" />
      <button disabled={isPending}>Sign in</button>
      <p>{message}</p>
    </form>
  )
}
