import { auth, signOut } from '@/auth'
import { SignIn } from './sign-in'

export default async function Page() {
  const session = await auth()
  if (!session) return <SignIn />
  return (
    <form
      action={async () => {
        'use server'
        await signOut({ redirectTo: '/' })
      }}
    >
      <p>Hello {session.user.name}</p>
      <button>Sign out</button>
    </form>
  )
}
