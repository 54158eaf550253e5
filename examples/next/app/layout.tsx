import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import './app.css'

export const metadata: Metadata = { title: 'Latchkey and Next.js' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
