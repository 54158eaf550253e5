import type { Feature } from '../../service/feature.js'
import { ways } from '../ways/index.js'
import { importRoute } from './route.js'
import { importUntil } from './settings.js'
import { traceEnd, traceSignIn } from './signed-in-here.js'
import { type Importing, isImporting } from './signed-request.js'

/** Accounts of another library or service are brought by `latchkey import`, while `AUTH_IMPORT_UNTIL` allows it. */
export const accountImport: Feature<Importing> = {
  name: 'account-import',
  needs: [ways],
  configure(_config, { env, now }) {
    const until = importUntil(env, now())
    return until === undefined ? undefined : { until }
  },
  warn: ({ until }, { now }) =>
    until > now()
      ? [
          [
            'import-open',
            'POST /import is open until AUTH_IMPORT_UNTIL, for callers with AUTH_SECRET. Take the variable away when all accounts are here.',
          ],
        ]
      : [],
  pages: { routes: { '/import': { POST: importRoute, isThere: isImporting, isData: true } } },
  session: {
    beginning: traceSignIn,
    // Until then the record says that the person has been here.
    ended: (request, session) => (isImporting(request) ? traceEnd(request, session) : undefined),
  },
}
