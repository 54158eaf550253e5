import type { ActionFunctionArgs } from 'react-router'
import { signIn } from '../auth.server.ts'

/** A form of the app's own. The answer leads to the provider, or to the sign-in page. */
export async function action({ request }: ActionFunctionArgs) {
  const form = await request.formData()
  return signIn(request, String(form.get('provider')), form)
}
