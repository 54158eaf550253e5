// app.js
import { serve } from '@hono/node-server'
import { webAuth } from '@latchkey/web'
import videoapp from '@latchkey/web/providers/videoapp'

const { handle } = webAuth({ providers: [videoapp()] })

serve({
  port: 3000,
  fetch: (request) =>
    handle(request, async (auth) => {
      const session = await auth()
      if (session?.user) return new Response(`Hello ${session.user.name}`)
      return new Response(null, { status: 302, headers: { location: '/auth/signin?callbackUrl=/' } })
    }),
})
