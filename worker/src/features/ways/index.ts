import type { Feature } from '../../service/feature.js'
import { connections } from '../connections/index.js'
import { checkAsker } from './check-asker.js'
import { findPerson } from './find-person.js'
import { finishAdding } from './finish-adding.js'
import { addsOf } from './limits.js'
import { listWays } from './list.js'
import { noteSignIn } from './note-use.js'
import { ownProvidersOf } from './own-providers.js'
import { addWay, confirmWayOf, removeWayOf, renameWayOf, ways as waysRoute } from './route.js'
import { resolveWays, type WaysSettings } from './settings.js'
import { texts } from './texts.js'

/**
 * A person has several ways to sign in, adds and removes them, and gets a mail about it
 * (docs/accounts.md).
 */
export const ways: Feature<WaysSettings> = {
  name: 'ways',
  needs: [connections],
  configure: resolveWays,
  pages: {
    texts,
    codes: { 'AccessDenied last_way': 'lastWay', 'AccessDenied too_many_ways': 'manyWays' },
    routes: {
      '/ways': { GET: waysRoute, isData: true },
      '/ways/add': { POST: addWay, needsHuman: (kind) => kind?.sends },
      '/ways/remove': { POST: removeWayOf },
      '/ways/rename': { POST: renameWayOf },
      '/ways/confirm': { POST: confirmWayOf },
    },
  },
  signIn: { identify: findPerson, resumed: checkAsker, instead: finishAdding },
  session: { begun: noteSignIn },
  person: {
    exported: async (request, sub) => ({ ways: await listWays(request, sub) }),
    countedAs: addsOf,
  },
  operator: { operations: { listWays } },
  ports: { stepUp: { ownProviders: ownProvidersOf } },
}
