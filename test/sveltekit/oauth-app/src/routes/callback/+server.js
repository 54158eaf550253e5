import { redirect } from '@sveltejs/kit'
import { browsers, finish } from '../../client.server.js'

export async function GET({ cookies, url }) {
  const { begun } = browsers.get(cookies.get('app')) ?? {}
  if (!begun) redirect(302, '/')
  browsers.set(cookies.get('app'), await finish(url, begun))
  redirect(302, '/')
}
