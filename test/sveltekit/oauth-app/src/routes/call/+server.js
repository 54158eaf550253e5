import { browsers, resource } from '../../client.server.js'

/** The app's server asks the API, and shows what it answers. */
export async function GET({ cookies, fetch }) {
  const { access } = browsers.get(cookies.get('app')) ?? {}
  const headers = { authorization: `Bearer ${access}` }
  const answer = await fetch(`${resource}/notes`, { headers })
  return new Response(await answer.text(), { status: answer.status })
}
