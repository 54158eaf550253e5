import type { Feature } from '../../service/feature.js'
import { firstSignIn } from '../../sign-in/first-sign-in.js'
import type { AuthConfig } from '../../types.js'

/**
 * The first sign-in of a person is announced: `isNewUser`, `trigger: 'signUp'` and `pages.newUser`.
 */
export const newcomers: Feature<true> = {
  name: 'newcomers',
  configure: (config) => asksWhoIsNew(config) || undefined,
  session: { first: firstSignIn },
}

/** Does anything in the configuration ask for newcomers? */
function asksWhoIsNew({ pages, events, callbacks }: AuthConfig): boolean {
  return pages?.newUser !== undefined || !!events?.signIn || !!callbacks?.jwt
}
