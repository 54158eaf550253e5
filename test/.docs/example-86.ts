import type { AuthConfig } from '@latchkey/worker'
import google from '@latchkey/worker/providers/google'

export const config: AuthConfig = {
  providers: [google({ authorization: { params: { hd: 'example.com' } } })],
  callbacks: {
    signIn: ({ account, profile }) =>
      account.provider !== 'google' || profile?.hd === 'example.com',
  },
}
