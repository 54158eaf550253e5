import { createAuthenticator } from '@latchkey/session/testing'

const authenticator = createAuthenticator({ origin: 'https://app.example.com' })

/** @param publicKey of `/passkey/options` */
export const created = (publicKey: Parameters<typeof authenticator.create>[0]) =>
  authenticator.create(publicKey)
