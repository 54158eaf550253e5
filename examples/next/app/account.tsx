'use client'

import { useSession } from '@latchkey/next/react'

/** Below a `SessionProvider` it has the server's session. On a static page it asks once. */
export function Account() {
  const { data, status } = useSession()
  if (status === 'loading') return <span className="account">…</span>
  return <span className="account">{data ? (data.user?.name ?? 'No name') : 'Not signed in'}</span>
}
