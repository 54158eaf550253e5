import type { MiddlewareAuthConfig } from '@latchkey/express'

/** The adapter that the app has. */
declare const adapter: { getUserByAccount(of: object): Promise<{ id: string } | null> }

export const config: MiddlewareAuthConfig = {
  providers: [],
  subject: async ({ provider, account: { providerAccountId } }) =>
    (await adapter.getUserByAccount({ provider, providerAccountId }))?.id,
  sharedSubjects: true,
}
