// app/admin/page.tsx
import { Suspense } from 'react'
import { requireSession } from '@/auth'

export default function Page() {
  return (
    <Suspense>
      <Admin />
    </Suspense>
  )
}

async function Admin() {
  const { role } = await requireSession({ redirectTo: '/api/auth/signin' })
  return <h1>{role === 'admin' ? 'You are an admin.' : 'This page is for admins.'}</h1>
}
