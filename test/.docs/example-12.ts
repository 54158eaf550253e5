import { discordAuth } from '@hono/oauth-providers/discord'
import fromHono from '@latchkey/worker/providers/from-hono'

export const provider = fromHono({
  id: 'discord',
  name: 'Discord',
  middleware: ({ clientId, clientSecret, redirectUri }) =>
    discordAuth({
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uri: redirectUri,
      scope: ['identify'],
    }),
})
