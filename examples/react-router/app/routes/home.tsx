import { Link, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { authContext } from '../auth.server.ts'

export async function loader({ context }: LoaderFunctionArgs) {
  const session = await context.get(authContext)()
  return { name: session?.user?.name ?? null }
}

export default function Home() {
  const { name } = useLoaderData<typeof loader>()
  return (
    <>
      <h1>Latchkey and React Router</h1>
      {name === null ? (
        <>
          <p>Nobody is signed in</p>
          <form method="post" action="/enter">
            <input type="hidden" name="redirectTo" value="/members" />
            <button type="submit" name="provider" value="videoapp">
              Continue with Video App
            </button>
          </form>
        </>
      ) : (
        <>
          <p>Signed in as {name}</p>
          <form method="post" action="/leave">
            <button type="submit">Sign out</button>
          </form>
        </>
      )}
      <Link to="/members">Members</Link>
    </>
  )
}
