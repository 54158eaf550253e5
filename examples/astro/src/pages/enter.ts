import type { APIRoute } from 'astro'
import { signIn } from '../auth.ts'

/** A form of the app's own. The answer leads to the provider, or to the sign-in page. */
export const POST: APIRoute = async ({ request }) => {
  const form = await request.formData()
  return signIn(request, String(form.get('provider')), form)
}
