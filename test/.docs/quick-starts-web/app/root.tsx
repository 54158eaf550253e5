// app/root.tsx
import { type MiddlewareFunction, Outlet, Scripts } from 'react-router'
import { authContext, handle } from './auth.server.js'

export const middleware: MiddlewareFunction<Response>[] = [
  ({ request, context }, next) =>
    handle(request, (auth) => {
      context.set(authContext, auth)
      return next()
    }),
]

export default function Root() {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
