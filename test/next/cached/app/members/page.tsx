import { Suspense } from 'react'
import { requireSession } from '../../auth'

export default function Members() {
  return (
    <Suspense fallback={<h1>…</h1>}>
      <Word />
    </Suspense>
  )
}

async function Word() {
  const { user } = await requireSession()
  return <h1>Members, {user?.name}: swordfish</h1>
}
