import { finding } from '../finding.js'
import { type Deployment, isApp, type Route, type Rule, textIn } from '../read.js'
import { addressOf, basePathOf, isLocal, publicUrl } from './addresses.js'

const NAMES = ['AUTH_URL', 'AUTH_WORKER_URL']

/** `AUTH_URL` of an app may be that of its service, so that this rule alone counts there. */
export const invalidUrl: Rule = ({ variables }) =>
  NAMES.flatMap((name) => {
    const text = textIn(variables, name)
    const url = addressOf(text)
    const where = variables.get(name)?.where ?? name
    const fix = `${name}=https://<host>/auth`
    if (text === undefined) return []
    if (!url) {
      const what = `${name} is not an http(s) URL, or has a query, a fragment or a user.`
      return finding('url-invalid', { where, what, why: 'The service refuses every request.', fix })
    }
    if (url.protocol === 'https:' || isLocal(url)) return []
    const why = 'Browsers send passwords, codes and cookies in the clear, for anybody on the way.'
    return finding('url-invalid', {
      where,
      what: `${name} is http, and not on this machine.`,
      why,
      fix,
    })
  })

const mount: Rule = (deployment) => {
  const { variables, wrangler } = deployment
  const url = publicUrl(variables)
  if (!url || !wrangler || wrangler.routes.length === 0 || isApp(deployment)) return []
  const base = basePathOf(url) ?? '/auth'
  const paths = [`${base}/csrf`, `${base}/callback/example`]
  const isCovered = wrangler.routes.some((route) =>
    paths.every((path) => covers(route, url.hostname, path)),
  )
  if (isCovered || hasOtherBase(deployment, url)) return []
  return [
    finding('mount', {
      where: `${wrangler.path} routes`,
      what: `No route leads ${url.hostname}${base}/ to the Worker, which AUTH_URL names.`,
      why: 'Requests to the auth routes go elsewhere, and providers send people back to nothing.',
      fix: wrangler.isJson
        ? `"routes": [{ "pattern": "${url.hostname}${base}/*", "zone_name": "<zone>" }]`
        : `routes = [{ pattern = "${url.hostname}${base}/*", zone_name = "<zone>" }]`,
    }),
  ]
}

/** Code may mount the routes elsewhere, and then a route names that place: it covers `/api/auth`, and `AUTH_URL` names no path. */
function hasOtherBase({ wrangler }: Deployment, url: URL): boolean {
  if (basePathOf(url) !== undefined) return false
  return !!wrangler?.routes.some((route) => covers(route, url.hostname, '/api/auth/csrf'))
}

/**
 * Does a request to this host and path match a route? `*` is allowed at the beginning of the host and at the end of the
 * path alone.
 *
 * @see https://developers.cloudflare.com/workers/configuration/routing/routes/#matching-behavior
 */
function covers({ pattern, isDomain }: Route, host: string, path: string): boolean {
  const bare = pattern.replace(/^[a-z]+:\/\//i, '')
  const at = bare.indexOf('/')
  const hostPattern = (at === -1 ? bare : bare.slice(0, at)).toLowerCase()
  const pathPattern = isDomain || at === -1 ? '/*' : bare.slice(at)
  const isOfHost = hostPattern.startsWith('*')
    ? host.endsWith(hostPattern.slice(1))
    : hostPattern === host
  if (!isOfHost) return false
  return pathPattern.endsWith('*')
    ? path.startsWith(pathPattern.slice(0, -1))
    : path === pathPattern
}

const secondOrigin: Rule = ({ wrangler }) => {
  if (!wrangler || wrangler.routes.length === 0 || wrangler.workersDev === false) return []
  return [
    finding('second-origin', {
      where: `${wrangler.path} workers_dev`,
      what: 'The Worker has routes, and answers at its address on workers.dev too.',
      why: 'That address is a second origin with cookies of its own, which no provider sends people back to.',
      fix: wrangler.isJson ? '"workers_dev": false' : 'workers_dev = false',
    }),
  ]
}

export const urls: readonly Rule[] = [mount, secondOrigin]
