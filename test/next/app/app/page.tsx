import { auth } from '../auth'
import { leave } from './actions'
import { Refresh } from './refresh'

export default async function Home() {
  const session = await auth()
  return (
    <>
      <h1>Home of {session?.user?.name ?? 'nobody'}</h1>
      <Refresh />
      <form action={leave}>
        <button type="submit">Sign out</button>
      </form>
    </>
  )
}
