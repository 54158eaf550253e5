import type { APIRoute } from 'astro'
import { signOut } from '../auth.ts'

/** A form of the app's own. */
export const POST: APIRoute = ({ request }) => signOut(request, { redirectTo: '/' })
