import { FIELDS } from '../../pages/shared-styles.js'
import type { Feature } from '../../service/feature.js'
import { knownDevices } from '../known-devices/index.js'
import { typedNames } from '../typed-names/index.js'
import { credentials as kind } from './kind.js'
import { texts } from './texts.js'

/** Sign-in with a user name and a password, by the provider `credentials()` (docs/passwords.md). */
export const credentials: Feature = {
  name: 'credentials',
  needs: [knownDevices, typedNames],
  texts,
  styles: [FIELDS],
  kinds: { credentials: kind },
}
