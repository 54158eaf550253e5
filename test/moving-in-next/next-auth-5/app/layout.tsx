import { SessionProvider } from 'next-auth/react'
import type { ReactNode } from 'react'
import { auth } from '@/auth'

export default async function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <SessionProvider session={await auth()} refetchOnWindowFocus={false}>
          {children}
        </SessionProvider>
      </body>
    </html>
  )
}
