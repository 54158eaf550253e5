import type { AuthConfig } from '@latchkey/worker'

/** In the configuration, beside `providers`. */
export const ids: Pick<AuthConfig, 'subject'> = {
  subject: ({ provider, account }) =>
    provider === 'credentials' ? account.providerAccountId : undefined,
}
