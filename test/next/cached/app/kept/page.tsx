import { Suspense } from 'react'
import { auth } from '../../auth'

/** One session in the cache would be everybody's. */
async function nameForAll() {
  'use cache'
  return (await auth())?.user?.name
}

async function Name() {
  const name = await nameForAll().catch((error: Error) => `refused: ${error.name}`)
  return <h1>{name}</h1>
}

export default function Kept({ searchParams }: { searchParams: Promise<object> }) {
  return (
    <Suspense fallback={<h1>…</h1>}>
      {searchParams.then(() => (
        <Name />
      ))}
    </Suspense>
  )
}
