// app/page.tsx
import { Suspense } from 'react'
import { auth, signOut } from '@/auth'

export default function Page() {
  return (
    <main>
      <Suspense>
        <Greeting />
      </Suspense>
    </main>
  )
}

async function Greeting() {
  const session = await auth()
  if (!session?.user) return <a href="/api/auth/signin?callbackUrl=/">Sign in</a>
  const leave = async () => {
    'use server'
    await signOut({ redirectTo: '/' })
  }
  return (
    <>
      <h1>{`Hello ${session.user.name}`}</h1>
      <p>
        Your role is {session.role}. Your id is <code>{session.user.id}</code>.
      </p>
      <a href="/admin">The page for admins</a>
      <form action={leave}>
        <button id="sign-out">Sign out</button>
      </form>
    </>
  )
}
