import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import discord from '@latchkey/worker/providers/discord'

export { Ledger } from '@latchkey/worker/ledger'

export default createAuth<AuthBindings>({
  basePath: '/auth',
  providers: [discord({ scope: 'identify email guilds' })],
  callbacks: {
    async session({ session, getAccessToken }) {
      const access = await getAccessToken()
      const isMember = access.ok && (await isInGuild(access.accessToken))
      return { ...session, user: { ...session.user, isMember } }
    },
  },
})

/** `false` also if Discord does not answer: a callback that throws would end the request. */
async function isInGuild(token: string): Promise<boolean> {
  const url = 'https://discord.com/api/users/@me/guilds'
  const headers = { authorization: `Bearer ${token}` }
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(3_000) })
    const guilds = (await answer.json()) as { id: string }[]
    return guilds.some(({ id }) => id === '80351110224678912')
  } catch {
    return false
  }
}
