import { isRecord } from '@latchkey/session/internal'
import { knownDevices } from '../../http/device-cookie.js'
import { FIELDS } from '../../pages/shared-styles.js'
import type { Feature } from '../../service/feature.js'
import { typedNames } from '../../sign-in/typed-names.js'
import type { AuthConfig } from '../../types.js'
import { credentials as kind } from './kind.js'
import { texts } from './texts.js'

/** The ids of providers whose form has no field, so that no person can type a password. */
function withoutFields({ providers }: AuthConfig): readonly string[] {
  // Other mistakes in a provider are found when the service resolves it.
  const all: readonly unknown[] = Array.isArray(providers) ? providers : []
  return all.flatMap((one) => {
    if (!isRecord(one) || one.type !== 'credentials' || !isRecord(one.credentials)) return []
    return Object.keys(one.credentials).length === 0 ? String(one.id) : []
  })
}

/** Sign-in with a user name and a password, by the provider `credentials()` (docs/passwords.md). */
export const credentials: Feature<readonly string[]> = {
  name: 'credentials',
  configure: withoutFields,
  warn: (ids) =>
    ids.map((id) => [
      'credentials-without-fields',
      `The form of the provider "${id}" has no fields: name them in its credentials, or leave credentials out for a user name and a password.`,
    ]),
  pages: { texts, styles: [FIELDS] },
  signIn: { kinds: { credentials: kind } },
  ports: { devices: knownDevices, typed: typedNames },
}
