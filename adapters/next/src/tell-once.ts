import { type Host, ofProcess, warnBy } from '@latchkey/host'
import type { PageRequest, RouteRequest } from './next-request.js'

/** Names of Auth.js before version 5. */
const OLD_NAMES = [
  ['NEXTAUTH_URL', 'AUTH_URL'],
  ['NEXTAUTH_SECRET', 'AUTH_SECRET'],
] as const

type Config = Awaited<ReturnType<Host['locate']>>['config']

const nothing = () => ({ isSaid: false, isMisplaced: false })

/**
 * At the first request of the process: has the service name what its configuration lacks, and names what is
 * particular to Next. A build makes no request.
 */
export function tellOnce(host: Host, own: PageRequest): void {
  const said = ofProcess('next', nothing)
  if (said.isSaid || own.env.NEXT_PHASE === 'phase-production-build') return
  said.isSaid = true
  host.start(own)
  void host.locate(own).then(
    ({ config }) => tell(config, own.env),
    // The request that needs the configuration says what is wrong with it.
    () => {},
  )
}

function tell({ logger }: Config, env: PageRequest['env']): void {
  const warn = warnBy(logger)
  for (const [old, name] of OLD_NAMES) {
    if (env[old] && !env[name]) warn('env-nextauth', `${old} is not read: set ${name}.`)
  }
}

/** Names the folder of a route file that stands at another path than the routes, once. */
export async function tellMisplaced(host: Host, own: RouteRequest): Promise<void> {
  const { base, config } = await host.locate(own)
  const said = ofProcess('next', nothing)
  if (said.isMisplaced || own.path.startsWith(`${base}/`)) return
  said.isMisplaced = true
  const folder = base.slice(own.root.length)
  const advice = `The routes are below ${base}, and the route file is not: it belongs into app${folder}/[...latchkey]. \`basePath\` or AUTH_URL names another path.`
  warnBy(config.logger)('base-path', advice)
}
