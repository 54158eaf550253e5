'use client'

import { SignedOut, UserButton } from '@latchkey/next/react'

/** Below a `SessionProvider` it has the server's session. On a static page it asks once. */
export function Account() {
  return (
    <span className="account">
      <UserButton redirectTo="/" />
      <SignedOut>Not signed in</SignedOut>
    </span>
  )
}
