'use client'

import { useSession } from '@latchkey/next/react'

export function Name() {
  return <h1>Alone, {useSession().data?.user?.name ?? 'nobody'}</h1>
}
