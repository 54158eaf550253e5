import type { ActionFunctionArgs } from 'react-router'
import { signOut } from '../auth.server.ts'

/** A form of the app's own. */
export const action = ({ request }: ActionFunctionArgs) => signOut(request, { redirectTo: '/' })
