import { SessionProvider } from '@latchkey/next/react'
import type { ReactNode } from 'react'
import { auth } from '../../auth'
import { Header } from '../header'

/**
 * Hands the session to the client components: the server's HTML has the name, and a server action that signs in or
 * out changes it without a new page.
 */
export default async function Layout({ children }: { children: ReactNode }) {
  return (
    <SessionProvider session={await auth()}>
      <Header />
      <main>{children}</main>
    </SessionProvider>
  )
}
