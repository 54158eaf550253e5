import Link from 'next/link'
import type { ReactNode } from 'react'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <Link href="/">Home</Link> <Link href="/members">Members</Link>
        </nav>
        <main>{children}</main>
      </body>
    </html>
  )
}
