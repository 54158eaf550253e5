import { isRecord } from '@latchkey/session/internal'
import { InvalidConfiguration } from '../../errors.js'
import type { Feature } from '../../service/feature.js'
import type { AbsentSession } from '../../service/session-hooks.js'
import type { Migration, OldSessionsReader } from '../../types/old-sessions.js'
import type { AuthConfig } from '../../types.js'

/** An entry of `migrateFrom`. */
export interface SourcesReader extends OldSessionsReader {
  /** @param migrations all entries of one configuration */
  together(migrations: readonly Migration[]): AbsentSession
}

/**
 * Sessions of a library that the app has used before go on: `migrateFrom` of the configuration
 * (docs/move-in.md). The code that reads them comes with its entries, from
 * `@latchkey/worker/migrate`.
 */
export const oldSessions: Feature<AbsentSession> = {
  name: 'old-sessions',
  configure: together,
  session: { switched: async (request) => request.features.ports.absentSession?.end(request) },
  ports: (absentSession: AbsentSession) => ({ absentSession }),
}

/** @throws {InvalidConfiguration} */
function together({ migrateFrom }: AuthConfig): AbsentSession | undefined {
  if (migrateFrom === undefined) return undefined
  if (Array.isArray(migrateFrom) && migrateFrom.every((one) => isRecord(one?.reader))) {
    return (migrateFrom[0]?.reader as SourcesReader | undefined)?.together(migrateFrom)
  }
  throw new InvalidConfiguration('`migrateFrom` is an array of authjs() and betterAuth().')
}
