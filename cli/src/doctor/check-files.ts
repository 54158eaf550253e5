import type { Finding } from './finding.js'
import type { Deployment, Folder, Rule } from './read.js'
import { app, type Service } from './rules/app.js'
import { authorizationServer } from './rules/authorization-server.js'
import { bindings, queries, rateLimit } from './rules/bindings.js'
import { companies } from './rules/companies.js'
import { cookiesAndOrigins } from './rules/cookies-and-origins.js'
import { mail } from './rules/mail.js'
import { operate } from './rules/operate.js'
import { passkeys } from './rules/passkeys.js'
import { passwords } from './rules/passwords.js'
import { providers } from './rules/providers.js'
import { sandbox } from './rules/sandbox.js'
import { missingSecret, secrets } from './rules/secrets.js'
import { stores } from './rules/stores.js'
import { turnstile } from './rules/turnstile.js'
import { invalidUrl, urls } from './rules/urls.js'
import { variables } from './rules/variables.js'

/** The rules about the files of a service, in the order of the documentation. */
const RULES: readonly Rule[] = [
  missingSecret,
  ...secrets,
  ...variables,
  ...providers,
  invalidUrl,
  ...urls,
  ...cookiesAndOrigins,
  ...bindings,
  queries,
  ...mail,
  ...passkeys,
  ...passwords,
  ...turnstile,
  ...sandbox,
  ...authorizationServer,
  ...companies,
  ...operate,
  ...stores,
]

/** The rules about the files of an app that count without its service. */
const OF_APPS: readonly Rule[] = [
  ...secrets,
  ...variables,
  invalidUrl,
  ...cookiesAndOrigins,
  queries,
]

/**
 * The findings of the files of a service.
 *
 * @param now milliseconds since the epoch
 * @param kinds the types of providers that the running service lists
 */
export function checkService(
  folder: Folder,
  now: number,
  kinds: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  return check(folder, [...RULES, rateLimit(kinds)], now)
}

/** The findings of the files of an app beside its service. */
export async function checkApp(
  folder: Folder,
  service: Service,
  now: number,
): Promise<readonly Finding[]> {
  const [own] = folder.deployments
  const beside = own ? await checkBeside(own, service) : []
  return [...check(folder, OF_APPS, now), ...beside]
}

async function checkBeside(own: Deployment, service: Service): Promise<readonly Finding[]> {
  return (await Promise.all(app.map((rule) => rule(own, service)))).flat()
}

function check({ deployments, unreadable }: Folder, rules: readonly Rule[], now: number) {
  const found = deployments.flatMap((one) => rules.flatMap((rule) => rule(one, now)))
  // Two deployments of one file have some lines in common.
  const byPlace = new Map(found.map((one) => [`${one.code} ${one.where} ${one.what}`, one]))
  return [...unreadable, ...byPlace.values()]
}
