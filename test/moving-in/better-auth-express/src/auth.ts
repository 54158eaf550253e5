import { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'

export const auth = betterAuth({
  database: new DatabaseSync('app.db'),
  emailAndPassword: { enabled: true },
  socialProviders: {
    github: {
      clientId: process.env.GITHUB_CLIENT_ID as string,
      clientSecret: process.env.GITHUB_CLIENT_SECRET as string,
    },
  },
  session: {
    expiresIn: 14 * 24 * 60 * 60,
    cookieCache: { enabled: true, maxAge: 5 * 60 },
  },
})
