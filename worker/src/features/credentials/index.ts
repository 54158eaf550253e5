import { knownDevices } from '../../http/device-cookie.js'
import { FIELDS } from '../../pages/shared-styles.js'
import type { Feature } from '../../service/feature.js'
import { typedNames } from '../../sign-in/typed-names.js'
import { credentials as kind } from './kind.js'
import { texts } from './texts.js'

/** Sign-in with a user name and a password, by the provider `credentials()` (docs/passwords.md). */
export const credentials: Feature = {
  name: 'credentials',
  pages: { texts, styles: [FIELDS] },
  signIn: { kinds: { credentials: kind } },
  ports: { devices: knownDevices, typed: typedNames },
}
