import { setTimeout } from 'node:timers/promises'
import { Suspense } from 'react'
import { auth } from '../../auth'

interface Query {
  readonly searchParams: Promise<{ wait?: string }>
}

/** Begins its answer, and asks in three places at three times. */
export default function Streams(query: Query) {
  return (
    <>
      <p>Begun.</p>
      {[0, 1, 3].map((times) => (
        <Suspense key={times} fallback={<i>…</i>}>
          <Name {...query} times={times} />
        </Suspense>
      ))}
    </>
  )
}

async function Name({ searchParams, times }: Query & { times: number }) {
  const { wait = '0' } = await searchParams
  await setTimeout(Number(wait) * times)
  return <b>{(await auth())?.user?.name ?? 'nobody'}</b>
}
