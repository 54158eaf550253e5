'use client'

import { signIn } from '@latchkey/next/react'
import { useState } from 'react'

export function Passkeys() {
  const [code, setCode] = useState<string>()

  async function enter(options: { action?: 'register' }) {
    const outcome = await signIn('passkey', { ...options, redirect: false })
    if (outcome.ok) location.assign('/members')
    else setCode(outcome.code)
  }

  return (
    <>
      <button type="button" onClick={() => enter({})}>
        Sign in with a passkey
      </button>
      <button type="button" onClick={() => enter({ action: 'register' })}>
        Create an account with a passkey
      </button>
      {code && <p role="alert">Not signed in: {code}.</p>}
    </>
  )
}
