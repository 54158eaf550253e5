import { begin, browsers } from '../../client.server.js'

export async function GET({ cookies }) {
  const { url, begun } = await begin()
  const id = crypto.randomUUID()
  browsers.set(id, { begun })
  cookies.set('app', id, { path: '/', secure: false })
  // Kit's own `redirect` takes addresses of the app alone.
  return new Response(null, { status: 302, headers: { location: url.href } })
}
