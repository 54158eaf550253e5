import type { AuthConfig } from '@latchkey/worker'

/** Only people of the company: visitors who ask for a mail, and users with a verified address. */
export const callbacks: AuthConfig['callbacks'] = {
  signIn: ({ user, email }) => {
    const mayBeTheirs = email?.verificationRequest === true || user.emailVerified === true
    return mayBeTheirs && user.email?.endsWith('@example.com') === true
  },
}
