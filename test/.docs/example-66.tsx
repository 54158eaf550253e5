import { auth, requireSession } from '@/auth'

export async function Greeting() {
  const session = await auth()
  return <p>Hello {session?.user?.name ?? 'stranger'}</p>
}

export async function Invoices() {
  const { user } = await requireSession({ maxAge: 600 })
  return <p>The invoices of {user?.name}</p>
}
