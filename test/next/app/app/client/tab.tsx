'use client'

import { signIn, signOut, useSession } from '@latchkey/next/react'

export function Tab() {
  const { data, status } = useSession()
  const enter = () => signIn('credentials', { username: 'ada', password: 'right', redirect: false })
  return (
    <>
      <h1>
        Client, {status}, {data?.user?.name ?? 'nobody'}
      </h1>
      <button type="button" onClick={enter}>
        Sign in
      </button>
      <button type="button" onClick={() => signOut({ redirect: false })}>
        Sign out
      </button>
    </>
  )
}
