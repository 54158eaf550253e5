import { SessionProvider, UserButton } from '@latchkey/client/react'
import type { ReactNode } from 'react'
import {
  Links,
  type LoaderFunctionArgs,
  type MiddlewareFunction,
  Outlet,
  Scripts,
  useLoaderData,
} from 'react-router'
import { authContext, handle } from './auth.server.ts'

/** Answers the auth routes, and gives each loader and action the session of its request. */
export const middleware: MiddlewareFunction<Response>[] = [
  ({ request, context }, next) =>
    handle(request, (auth) => {
      context.set(authContext, auth)
      return next()
    }),
]

/** What the server has read is in its HTML, and no page asks again. */
export async function loader({ context }: LoaderFunctionArgs) {
  return { session: await context.get(authContext)() }
}

export function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Latchkey and React Router</title>
        <Links />
      </head>
      <body>
        {children}
        <Scripts />
      </body>
    </html>
  )
}

export default function Root() {
  const { session } = useLoaderData<typeof loader>()
  return (
    <SessionProvider session={session}>
      <UserButton redirectTo="/" />
      <Outlet />
    </SessionProvider>
  )
}
