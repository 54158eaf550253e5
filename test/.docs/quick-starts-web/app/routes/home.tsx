// app/routes/home.tsx
import { type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { authContext } from '../auth.server.js'

export async function loader({ context }: LoaderFunctionArgs) {
  const session = await context.get(authContext)()
  return { name: session?.user?.name }
}

export default function Home() {
  const { name } = useLoaderData<typeof loader>()
  return name ? <h1>Hello {name}</h1> : <a href="/auth/signin?callbackUrl=/">Sign in</a>
}
