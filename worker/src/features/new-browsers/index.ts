import { knownDevices, rememberBrowser } from '../../http/device-cookie.js'
import type { Feature } from '../../service/feature.js'
import { firstSignIn } from '../../sign-in/first-sign-in.js'
import { ways } from '../ways/index.js'
import { announce } from './announce.js'
import { browsersOf } from './limits.js'
import { translations } from './load-translations.js'
import { isSwitchedOn } from './settings.js'
import { texts } from './texts.js'

/** A person hears of a sign-in from a browser that they have not used before (docs/new-browsers.md). */
export const newBrowsers: Feature<true> = {
  name: 'new-browsers',
  needs: [ways],
  configure: isSwitchedOn,
  pages: { texts, translations },
  session: {
    // If the app asks who is new, it has been answered.
    first: async (request, signedIn, claim) =>
      request.features.settings('newcomers') === undefined
        ? firstSignIn(request, signedIn, claim)
        : undefined,
    async begun(request, signedIn, { document, limited, isFirst, wasHere }) {
      // A browser with a name that was typed is remembered by that.
      if (limited === undefined) await rememberBrowser(request, signedIn.account.userId)
      if (isFirst || wasHere) return
      const announced = announce(request, signedIn, document)
      request.waitUntil(announced.catch((error: Error) => request.config.logger.error(error)))
    },
  },
  person: { countedAs: browsersOf },
  ports: { devices: knownDevices },
}
