import { createAuth } from '@latchkey/worker'
import { authjs, betterAuth } from '@latchkey/worker/migrate'
import github from '@latchkey/worker/providers/github'

export default createAuth((env: { OLD_SECRET: string; OLD_DATABASE: OldDatabase }) => ({
  providers: [github()],
  migrateFrom: [
    authjs({ secret: env.OLD_SECRET, until: '2027-03-01' }),
    betterAuth({
      secret: env.OLD_SECRET,
      until: '2027-03-01',
      findSession: (token) => env.OLD_DATABASE.sessionWithUser(token),
    }),
  ],
}))

/** better-auth's tables `session` and `user`, as your app reads them. */
interface OldDatabase {
  sessionWithUser(token: string): Promise<{
    session: { token: string; userId: string; createdAt: Date; expiresAt: Date }
    user: { id: string; name: string; email: string; image: string | null }
  } | null>
}
