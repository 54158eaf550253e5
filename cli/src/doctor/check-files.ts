import type { Finding } from './finding.js'
import type { Deployment, Folder, Rule } from './read.js'
import { bindings } from './rules/bindings.js'
import { cookiesAndOrigins } from './rules/cookies-and-origins.js'
import { mail } from './rules/mail.js'
import { operate } from './rules/operate.js'
import { passkeys } from './rules/passkeys.js'
import { providers } from './rules/providers.js'
import { sandbox } from './rules/sandbox.js'
import { secrets } from './rules/secrets.js'
import { turnstile } from './rules/turnstile.js'
import { urls } from './rules/urls.js'
import { variables } from './rules/variables.js'

/** The rules about what files say, in the order of the documentation. */
export const RULES: readonly Rule[] = [
  ...secrets,
  ...variables,
  ...providers,
  ...urls,
  ...cookiesAndOrigins,
  ...bindings,
  ...mail,
  ...passkeys,
  ...turnstile,
  ...sandbox,
  ...operate,
]

/**
 * The findings of a folder's files.
 *
 * @param now milliseconds since the epoch
 */
export function checkFolder({ deployments, unreadable }: Folder, now: number): readonly Finding[] {
  const found = deployments.flatMap((deployment) => checkDeployment(deployment, now))
  return [...unreadable, ...withoutCopies(found)]
}

function checkDeployment(deployment: Deployment, now: number): readonly Finding[] {
  return RULES.flatMap((rule) => rule(deployment, now))
}

/** Two deployments of one file have some lines in common. */
function withoutCopies(findings: readonly Finding[]): readonly Finding[] {
  const byPlace = new Map(findings.map((one) => [`${one.code} ${one.where} ${one.what}`, one]))
  return [...byPlace.values()]
}
