import type { AuthConfig } from '@latchkey/worker'

export const accounts: Pick<AuthConfig, 'ways' | 'events' | 'callbacks'> = {
  ways: { unlinked: 'refuse' },
  events: {
    linkAccount: ({ user, account }) => note(user.id, `added ${account.provider}`),
    unlinkAccount: ({ user, account }) => note(user.id, `removed ${account.provider}`),
  },
  callbacks: {
    // The callback runs for an added way as for a sign-in. `addedTo` is the user's id.
    signIn: ({ account, addedTo }) => addedTo === undefined || account.provider !== 'discord',
  },
}

declare function note(person: string | undefined, text: string): Promise<void>
