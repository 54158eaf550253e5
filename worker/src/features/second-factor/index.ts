import { knownDevices } from '../../http/device-cookie.js'
import type { Feature } from '../../service/feature.js'
import { ways } from '../ways/index.js'
import { waitOf } from '../ways/list.js'
import { confirmOwnFactor, newRecoveryCodes, removeOwnFactor } from './changes.js'
import { askSecondFactor, factorOf, holdSignIn, type SecondFactorSettings } from './demand.js'
import { enterFactor, factorPage } from './enter-code.js'
import { FactorSection } from './factor-section.js'
import { factorsOf } from './limits.js'
import { setUpNotice } from './notices.js'
import { codesOf, factorsIn } from './person-factor.js'
import { resetFactors } from './reset-factors.js'
import { factorSetup, setUp } from './set-up.js'
import { styles } from './styles.js'
import { texts } from './texts.js'

/** An authenticator app and recovery codes are asked for after the first factor (docs/second-factor.md). */
export const secondFactor: Feature<SecondFactorSettings> = {
  name: 'second-factor',
  needs: [ways],
  configure: ({ secondFactor }) => ({ secondFactor }),
  pages: {
    texts,
    styles,
    routes: {
      '/factor': { GET: factorPage, POST: enterFactor, needsHuman: () => true },
      '/factor/setup': { GET: factorSetup, POST: setUp },
      '/factor/recovery': { POST: newRecoveryCodes },
      '/factor/remove': { POST: removeOwnFactor },
      '/factor/confirm': { POST: confirmOwnFactor },
    },
    protection(request, person, place) {
      const factor = factorOf(person)
      return FactorSection({
        ...place,
        recoveryCodes: factor?.recovery.length,
        waits: waitOf(request, factor ?? {}),
        factor: factor && codesOf(person),
      })
    },
  },
  signIn: { hold: holdSignIn, asksMore: askSecondFactor },
  person: {
    means: ({ factor }) =>
      factor
        ? [
            {
              unconfirmed: factor.unconfirmed,
              says: setUpNotice,
              noted: (person, unconfirmed) => ({ ...person, factor: { ...factor, unconfirmed } }),
            },
          ]
        : [],
    exported: async (_request, _sub, person) => ({ factors: factorsIn(person) }),
    countedAs: factorsOf,
  },
  operator: { operations: { resetFactors } },
  ports: { devices: knownDevices },
}
