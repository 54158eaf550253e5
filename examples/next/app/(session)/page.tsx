import { CredentialsSignin } from '@latchkey/next'
import { redirect } from 'next/navigation'
import { auth, signIn, signOut } from '../../auth'
import { Passkeys } from './passkeys'

async function enter(form: FormData) {
  'use server'
  try {
    await signIn('credentials', form)
  } catch (error) {
    if (error instanceof CredentialsSignin) redirect(`/?code=${error.code}`)
    throw error
  }
}

async function enterWithVideoApp() {
  'use server'
  await signIn('videoapp', { redirectTo: '/members' })
}

async function leave() {
  'use server'
  await signOut({ redirectTo: '/' })
}

export default async function Home({ searchParams }: PageProps<'/'>) {
  const session = await auth()
  if (session) {
    return (
      <>
        <h1>Hello {session.user?.name}</h1>
        <p>You are signed in until {session.expires}.</p>
        <form action={leave}>
          <button type="submit">Sign out</button>
        </form>
      </>
    )
  }
  const { code } = await searchParams
  return (
    <>
      <h1>Nobody is signed in</h1>
      {code && <p role="alert">The user name or the password is wrong.</p>}
      {!process.env.AUTH_WORKER_URL && (
        <form action={enter}>
          <label>
            User name <input name="username" autoComplete="username" required />
          </label>
          <label>
            Password <input name="password" type="password" required />
          </label>
          <input name="redirectTo" type="hidden" value="/members" />
          <button type="submit">Sign in</button>
        </form>
      )}
      <form action={enterWithVideoApp}>
        <button type="submit">Continue with Video App</button>
      </form>
      <Passkeys />
    </>
  )
}
