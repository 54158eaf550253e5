import type { AuthConfig } from '@latchkey/worker'

export const ids: Pick<AuthConfig, 'subject'> = {
  subject: ({ provider, account }) =>
    provider === 'credentials' ? account.providerAccountId : undefined,
}
