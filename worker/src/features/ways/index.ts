import {
  addWay,
  confirmWayOf,
  removeWayOf,
  renameWayOf,
  ways as waysRoute,
} from '../../routes/ways.js'
import type { Feature } from '../../service/feature.js'
import { checkAsker } from '../../sign-in/adding.js'
import { findPerson } from '../../ways/find-person.js'
import { finishAdding } from '../../ways/finish-adding.js'
import { listWays } from '../../ways/list.js'
import { noteSignIn } from '../../ways/note-sign-in.js'
import { ownProvidersOf } from '../../ways/own-providers.js'
import { connections } from '../connections/index.js'

/** A person has several ways to sign in, adds and removes them, and is told of it by mail (docs/accounts.md). */
export const ways: Feature = {
  name: 'ways',
  needs: [connections],
  options: ['ways'],
  reads: [
    'ways',
    'isAlone',
    'hadMeans',
    'mergedInto',
    'were',
    'erasing',
    'asked',
    'removed',
    'deleted',
  ],
  routes: {
    '/ways': { GET: waysRoute, isData: true },
    '/ways/add': { POST: addWay, needsHuman: (kind) => kind?.sends },
    '/ways/remove': { POST: removeWayOf },
    '/ways/rename': { POST: renameWayOf },
    '/ways/confirm': { POST: confirmWayOf },
  },
  identify: findPerson,
  instead: finishAdding,
  session: { begun: noteSignIn },
  stepUp: { ownProviders: ownProvidersOf, checkAsker },
  operations: { listWays },
}
