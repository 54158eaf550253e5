import { auth } from '../../auth'
import { askTheAction, enter, leave } from '../actions'
import { Here } from './here'

/** The matcher of the proxy leaves this page out. Its forms work without scripts. */
export default async function Unproxied({
  searchParams,
}: {
  searchParams: Promise<{ code?: string }>
}) {
  const session = await auth()
  const { code } = await searchParams
  return (
    <>
      <h1>Unproxied, {session?.user?.name ?? 'nobody'}</h1>
      {code && <p role="alert">{code}</p>}
      <form action={enter}>
        <input name="username" aria-label="User name" />
        <input name="password" aria-label="Password" />
        <input name="redirectTo" type="hidden" value="/members" />
        <button type="submit">Sign in</button>
      </form>
      <form action={leave}>
        <button type="submit">Sign out</button>
      </form>
      <Here ask={askTheAction} />
    </>
  )
}
