'use client'

import { useSession } from '@latchkey/next/react'

/** Asks once for each page that is loaded, so that a static page shows the user too. */
export function Account() {
  const { data, status } = useSession()
  if (status === 'loading') return <span className="account">…</span>
  return <span className="account">{data ? (data.user?.name ?? 'No name') : 'Not signed in'}</span>
}
