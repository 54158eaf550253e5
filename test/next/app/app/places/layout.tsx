import type { ReactNode } from 'react'
import { auth } from '../../auth'

/** Next keeps it while the pages below change. */
export default async function Layout({ children }: { children: ReactNode }) {
  const session = await auth()
  return (
    <>
      <p id="layout">{session?.user?.name ?? 'nobody'}</p>
      {children}
    </>
  )
}
