import type { AuthConfig } from '@latchkey/worker'

export const ids: Pick<AuthConfig, 'subject'> = {
  subject: async ({ provider, account, user }) => {
    // The id that `authorize` returned is already your own.
    if (provider === 'credentials') return user.id
    return (await userOf(provider, account.providerAccountId))?.id
  },
}

/** Reads your tables. */
declare function userOf(provider: string, id: string): Promise<{ id: string | number } | undefined>
