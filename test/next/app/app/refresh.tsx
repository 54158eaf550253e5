'use client'

import { useRouter } from 'next/navigation'

export function Refresh() {
  const router = useRouter()
  return (
    <button type="button" onClick={() => router.refresh()}>
      Refresh
    </button>
  )
}
