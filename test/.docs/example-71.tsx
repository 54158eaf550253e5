'use client'
import { SessionProvider, signOut, useSession } from '@latchkey/next/react'

export function Account() {
  const { data, status } = useSession()
  if (status !== 'authenticated') return <p>Not signed in</p>
  return <button onClick={() => signOut()}>Sign out {data.user?.name}</button>
}

export { SessionProvider }
