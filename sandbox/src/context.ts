import type { SandboxClient } from './clients.js'
import type { Grants } from './grants.js'
import type { Person } from './people.js'
import type { Videos } from './videos.js'

/** What every route needs; made once for each sandbox. */
export interface SandboxContext {
  readonly clients: ReadonlyMap<string, SandboxClient>
  readonly people: readonly Person[]
  readonly grants: Grants
  readonly videos: Videos
  readonly tokenErrorStatus: 200 | 400
  /** A fresh id to find a refusal by, as the real server gives one with each answer. */
  readonly logId: () => string
}
