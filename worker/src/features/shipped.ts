import type { BuiltIn } from '../service/compose-service.js'
import { EVERYTHING } from './all.js'
import { authorizationServer } from './authorization-server/index.js'
import { companies } from './companies/index.js'
import { newBrowsers } from './new-browsers/index.js'
import { operate } from './operate/index.js'
import { passwords } from './passwords/index.js'

/** What the shipped Worker has: what variables alone can switch on, besides. */
export const SHIPPED: BuiltIn = {
  ...EVERYTHING,
  features: [
    ...EVERYTHING.features,
    authorizationServer(),
    passwords,
    companies(),
    newBrowsers,
    operate(),
  ],
}
