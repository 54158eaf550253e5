'use client'

import { useSession } from '@latchkey/next/react'

export function Tab() {
  const { data, status } = useSession()
  return (
    <p id="tab">
      {status}, {data?.user?.name ?? 'nobody'}
    </p>
  )
}
