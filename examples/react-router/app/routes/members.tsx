import { Link, type LoaderFunctionArgs, redirectDocument, useLoaderData } from 'react-router'
import { authContext } from '../auth.server.ts'

/** The check stands beside the data. A soft navigation is sent to the sign-in page too. */
export async function loader({ context, url }: LoaderFunctionArgs) {
  const session = await context.get(authContext)()
  if (session?.user) return { name: session.user.name }
  const page = encodeURIComponent(url.pathname + url.search)
  throw redirectDocument(`/auth/signin?callbackUrl=${page}`)
}

export default function Members() {
  const { name } = useLoaderData<typeof loader>()
  return (
    <>
      <h1>Members</h1>
      <p>Hello {name}</p>
      <Link to="/">Home</Link>
    </>
  )
}
