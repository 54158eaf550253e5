import { importVerifyKeys, type VerifyKeys } from '@latchkey/session/issue'
import type { Finding } from './finding.js'
import { askProviders } from './live/ask-providers.js'
import { type Get, isSilent } from './live/get.js'
import { issuerIn, type Live, providersIn, readService } from './live/read-service.js'
import { judge, type Told } from './rules/asking-providers.js'
import { checkLive } from './rules/live.js'

/** The state of a running service. */
export interface Looked {
  readonly findings: readonly Finding[]
  /** Sentences about the providers whose answers say nothing. */
  readonly untold: readonly string[]
  /** What the service calls itself; `undefined`: it does not say so. */
  readonly issuer: URL | undefined
  /** The keys that it publishes, the one that signs first. */
  readonly keys: VerifyKeys | undefined
  /** The types of its providers. */
  readonly kinds: ReadonlySet<string>
}

/**
 * Looks at a running service, and asks its providers.
 *
 * @param base of the service, as the operator named it
 */
export async function lookAt(base: string, get: Get): Promise<Looked> {
  const live = await readService(base, get)
  const providers = isSilent(live.providers) ? [] : (providersIn(live.providers) ?? [])
  const [own, asked, keys] = await Promise.all([
    checkLive(live),
    askProviders(base, providers, get),
    keysOf(live),
  ])
  const told = asked.map((one) => ({ name: one.provider.name, ...judge(one, base) }))
  return {
    findings: [...own, ...told.flatMap((one) => ('finding' in one ? one.finding : []))],
    untold: untoldOf(told),
    issuer: issuerIn(providers),
    keys,
    kinds: new Set(providers.map(({ type }) => type)),
  }
}

/** A sentence for each reason, with all its providers. */
function untoldOf(told: readonly (Told & { readonly name: string })[]): readonly string[] {
  const names = new Map<string, string[]>()
  for (const one of told) {
    if (!('untold' in one)) continue
    names.set(one.untold, [...(names.get(one.untold) ?? []), one.name.slice(0, 60)])
  }
  return [...names].map(
    ([why, all]) =>
      `${all.join(', ')}: ${why}. This does not tell if the provider knows the redirect URI and the client.`,
  )
}

async function keysOf({ rest }: Live): Promise<VerifyKeys | undefined> {
  if (!rest || isSilent(rest.jwks) || rest.jwks.status !== 200) return undefined
  return importVerifyKeys(rest.jwks.text).catch(() => undefined)
}
