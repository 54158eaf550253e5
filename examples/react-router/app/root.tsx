import type { ReactNode } from 'react'
import { Links, type MiddlewareFunction, Outlet, Scripts } from 'react-router'
import { authContext, handle } from './auth.server.ts'

/** Answers the auth routes, and gives each loader and action the session of its request. */
export const middleware: MiddlewareFunction<Response>[] = [
  ({ request, context }, next) =>
    handle(request, (auth) => {
      context.set(authContext, auth)
      return next()
    }),
]

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
  return <Outlet />
}
