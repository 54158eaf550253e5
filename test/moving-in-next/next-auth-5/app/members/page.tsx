import type { Session } from 'next-auth'
import { auth } from '@/auth'
import { rename } from './rename'

const nameOf = (session: Session | null) => session?.user?.name ?? 'nobody'

export default async function Members() {
  return (
    <form action={rename}>
      <input name="name" defaultValue={nameOf(await auth())} />
      <button>Rename</button>
    </form>
  )
}
