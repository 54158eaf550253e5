import type { LoaderFunctionArgs } from 'react-router'
import { authContext } from '../auth.server.ts'

/** For scripts. `handle` answers with the refusal that is thrown here: 401 and JSON. */
export async function loader({ context }: LoaderFunctionArgs) {
  const { user } = await context.get(authContext).requireSession({ redirectTo: '/auth/signin' })
  return Response.json(user)
}
