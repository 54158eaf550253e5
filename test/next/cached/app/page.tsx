import { Suspense } from 'react'
import { auth, signOut } from '../auth'
import { Tab } from './tab'

/** Its shell is the same for everybody; the name streams in. */
export default function Home() {
  return (
    <>
      <p>The shell.</p>
      <Suspense fallback={<h1>…</h1>}>
        <Name />
      </Suspense>
      <Tab />
      <form
        action={async () => {
          'use server'
          await signOut()
        }}
      >
        <button type="submit">Sign out</button>
      </form>
    </>
  )
}

async function Name() {
  return <h1>Home of {(await auth())?.user?.name ?? 'nobody'}</h1>
}
