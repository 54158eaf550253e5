import type { Feature } from '../../service/feature.js'
import { asksWhoIsNew, firstSignIn } from './first-sign-in.js'

/**
 * The first sign-in of a person is announced: `isNewUser`, `trigger: 'signUp'` and `pages.newUser`.
 */
export const newcomers: Feature<true> = {
  name: 'newcomers',
  configure: (config) => asksWhoIsNew(config) || undefined,
  session: { first: firstSignIn },
}
