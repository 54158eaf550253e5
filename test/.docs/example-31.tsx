import { SessionProvider, signIn, signOut, useSession } from '@latchkey/client/react'

function Account() {
  const { data, status } = useSession()
  if (status === 'loading') return <p>…</p>
  if (status === 'unauthenticated') return <button onClick={() => signIn()}>Sign in</button>
  return <button onClick={() => signOut()}>Sign out, {data.user?.name}</button>
}

/** `session` is what the server has read: its HTML shows the user, and the page makes no request. */
export function App({ session }: Pick<Parameters<typeof SessionProvider>[0], 'session'>) {
  return (
    <SessionProvider session={session}>
      <Account />
    </SessionProvider>
  )
}
