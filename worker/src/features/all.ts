import { emptyColors, themeOf } from '../config/theme-of.js'
import { all as languages } from '../languages/all.js'
import { themeProblems } from '../pages/theme-problems.js'
import type { BuiltIn } from '../service/compose-service.js'
import type { Feature } from '../service/feature.js'
import type { StoreWarning } from '../stores/ports.js'
import type { AuthConfig, Environment } from '../types.js'
import { account } from './account/index.js'
import { accountImport } from './account-import/index.js'
import { appProofs } from './app-proofs/index.js'
import { boundSessions } from './bound-sessions/index.js'
import { connections } from './connections/index.js'
import { credentials } from './credentials/index.js'
import { email } from './email/index.js'
import { health } from './health/index.js'
import { lastWay } from './last-way/index.js'
import { newcomers } from './newcomers/index.js'
import { oldSessions } from './old-sessions/index.js'
import { openid } from './openid/index.js'
import { ownTexts } from './own-texts/index.js'
import { passkeys } from './passkeys/index.js'
import { people } from './people/index.js'
import { previews } from './previews/index.js'
import { secondFactor } from './second-factor/index.js'
import { sharedDomains } from './shared-domains/index.js'
import { subjects } from './subjects/index.js'
import { turnstile } from './turnstile/index.js'
import { ways } from './ways/index.js'

/** The features of `createAuth` of `@latchkey/worker`, in the order in which hooks are asked. The shipped Worker has a few more. */
export const all: readonly Feature[] = [
  openid,
  appProofs,
  previews,
  turnstile,
  email,
  credentials,
  connections,
  ways,
  subjects,
  newcomers,
  oldSessions,
  passkeys,
  secondFactor,
  people,
  account,
  accountImport,
  lastWay,
  sharedDomains,
  ownTexts,
  boundSessions,
  health,
]

/** What every service of this entry has. */
export const EVERYTHING: BuiltIn = { features: all, languages, warnings: themeWarnings }

/** Names the values of the theme that pages leave out or replace (docs/pages.md). */
function themeWarnings({ theme }: AuthConfig, env: Environment): readonly StoreWarning[] {
  const lines = [...themeProblems(themeOf(theme, env)), ...emptyColors(env)]
  return lines.map((line) => ['theme', line] as const)
}
