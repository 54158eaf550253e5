import { knownDevices } from '../../http/device-cookie.js'
import type { Feature } from '../../service/feature.js'
import { typedNames } from '../../sign-in/typed-names.js'
import { email as kind } from './kind.js'
import { styles } from './styles.js'
import { texts } from './texts.js'
import { verifyRequest } from './verify-request-route.js'

/** Sign-in by a mail with a link and a code, by the provider `email()` (docs/email.md). */
export const email: Feature = {
  name: 'email',
  pages: {
    texts,
    styles,
    codes: {
      'CredentialsSignin invalid_address': 'address',
      'Verification not_sent': 'notSent',
      'Verification wrong_code': 'wrongCode',
      'Verification spent_code': 'spentCode',
    },
    routes: { '/verify-request': { GET: verifyRequest } },
  },
  signIn: { kinds: { email: kind } },
  ports: { devices: knownDevices, typed: typedNames },
}
