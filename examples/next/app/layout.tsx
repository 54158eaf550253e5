import type { Metadata } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Account } from './account'
import './app.css'

export const metadata: Metadata = { title: 'Latchkey and Next.js' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <header>
          <nav>
            <Link href="/">Home</Link> <Link href="/members">Members</Link>{' '}
            <Link href="/about">About</Link>
          </nav>
          <Account />
        </header>
        <main>{children}</main>
      </body>
    </html>
  )
}
