import type { Page } from 'playwright-core'

/** An authenticator without a person: it says yes at once, unless a test changes that. */
export interface VirtualAuthenticator {
  /** The ids of its passkeys, in base64url. */
  passkeys(): Promise<string[]>
  /** What it shows a person to choose by: the user's name and display name of each passkey. */
  names(): Promise<(string | undefined)[][]>
  /** Does it verify a person from now on? If not, a browser says that the person refused. */
  verify(isVerified: boolean): Promise<void>
  /** Does it answer at once from now on, or wait for a person? */
  answer(isAnswering: boolean): Promise<void>
  remove(): Promise<void>
}

/**
 * Adds an authenticator to a page of Chromium. If there is one already, the one that answers makes
 * a new passkey.
 *
 * @see https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/
 */
export async function addAuthenticator(
  page: Page,
  transport: 'internal' | 'usb' = 'internal',
): Promise<VirtualAuthenticator> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: transport === 'internal',
      defaultBackupState: transport === 'internal',
    },
  })
  return {
    async passkeys() {
      const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ credentialId }) =>
        Buffer.from(credentialId, 'base64').toString('base64url'),
      )
    },
    async names() {
      const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ userName, userDisplayName }) => [userName, userDisplayName])
    },
    async verify(isUserVerified) {
      await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    async answer(enabled) {
      await devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    async remove() {
      await devTools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
