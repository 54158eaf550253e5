import { Omissions } from '../../scripts/generate/omissions.ts'
import { SHIPPED } from '../src/features/shipped.js'
import type { Feature } from '../src/service/feature.js'
import type { Route } from '../src/service/request-hooks.js'
import { CORE_ROUTES } from '../src/service/routes.js'
import { SCHEMAS } from './components.ts'
import { FORMS, PAGES } from './forms.ts'
import { operatorOperations } from './operator.ts'
import { RESPONSES } from './responses.ts'
import { DATA_ROUTES, type Operation, ROOT_ROUTES } from './routes.ts'

type Method = 'GET' | 'POST'

interface Found {
  readonly path: string
  readonly method: Method
  readonly isData: boolean
}

/**
 * The OpenAPI document of the service, with every feature: each route that answers JSON, as the tables of routes and of operations
 * have it.
 *
 * @param version of the package
 * @param features all that a service can have
 * @throws {OmissionError} routes are described nowhere, or descriptions have no route; it says what to do for each
 */
export function openApiDocument(
  version: string,
  features: readonly Feature[] = SHIPPED.features,
): object {
  const { routes, wellKnown } = foundRoutes(features)
  const [operations, roots] = described(routes, wellKnown)
  const paths = new Map<string, Record<string, object>>()
  const add = (path: string, method: Method, operation: Operation, more = {}) => {
    const name = path.replace(/:(\w+)/g, '{$1}')
    const entry = paths.get(name) ?? more
    paths.set(name, { ...entry, [method.toLowerCase()]: shown(name, operation) })
  }
  for (const { path, method } of routes) {
    const operation = DATA_ROUTES[path]?.[method] ?? (method === 'POST' ? FORMS[path] : undefined)
    if (operation) add(path, method, operation)
  }
  for (const [path, operation] of operations) add(path, 'POST', operation)
  for (const { path, method, operation } of roots) {
    add(path, method, operation, { servers: [{ url: '/' }] })
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Latchkey',
      summary: 'The auth service: sign-in, sessions, an authorization server, and the operator API',
      description:
        'Each route that answers JSON. GET answers HEAD too; another method gets 405 with `Allow`. A page answers a script that something is wrong as `Failure`, `SignedOut` or `FreshSignInRequired`.',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/auth' }],
    paths: Object.fromEntries([...paths].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    components: { schemas: SCHEMAS, responses: RESPONSES, securitySchemes: SECURITY },
  }
}

const SECURITY = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-auth.session-token',
    description: 'On http `auth.session-token`.',
  },
  accessToken: { type: 'http', scheme: 'bearer' },
  client: { type: 'http', scheme: 'basic', description: 'Or `client_id` and `client_secret`.' },
  import: { type: 'apiKey', in: 'header', name: 'X-Auth-Import' },
  operatorKey: { type: 'http', scheme: 'bearer', description: 'A key `lkop_…`.' },
}

/** Every route of the service, with every feature, by method. */
function foundRoutes(features: readonly Feature[]): {
  readonly routes: readonly Found[]
  readonly wellKnown: readonly Found[]
} {
  const split = (all: Readonly<Record<string, Route>> = {}) =>
    Object.entries(all).flatMap(([path, route]) =>
      (['GET', 'POST'] as const).flatMap((method) =>
        route[method] ? [{ path, method, isData: route.isData === true }] : [],
      ),
    )
  return {
    routes: [...split(CORE_ROUTES), ...features.flatMap(({ pages }) => split(pages?.routes))],
    // Another one redirects a browser.
    wellKnown: features
      .flatMap(({ pages }) => split(pages?.wellKnown))
      .filter(({ isData }) => isData),
  }
}

/**
 * The operations of operators and those at the root, if every route is described.
 *
 * @throws {OmissionError} with all that is not
 */
function described(routes: readonly Found[], wellKnown: readonly Found[]) {
  const omissions = new Omissions()
  omissions.each(routes, checkRoute)
  omissions.each([routes], checkGone)
  const [operations = []] = omissions.each([operatorOperations], (make) => make())
  const roots = omissions.each(wellKnown, ({ path, method }) => ({
    path,
    method,
    operation: rootOperation(path, method),
  }))
  omissions.check()
  return [operations, roots] as const
}

/** @throws {Error} nothing describes it */
function checkRoute({ path, method, isData }: Found): void {
  const isDescribed = isData
    ? DATA_ROUTES[path]?.[method]
    : (method === 'POST' && FORMS[path]) || PAGES.has(`${method} ${path}`)
  if (isDescribed) return
  throw new Error(
    isData
      ? `${method} ${path} answers JSON: describe its parameters, its body and each answer in DATA_ROUTES of worker/openapi/routes.ts, then run npm run generate.`
      : `${method} ${path}: add it to FORMS of worker/openapi/forms.ts if a script may send it, or to PAGES if it never answers JSON, then run npm run generate.`,
  )
}

/** @throws {Error} a description has no route */
function checkGone(routes: readonly Found[]): void {
  const found = new Set(routes.map(({ path, method }) => `${method} ${path}`))
  const all = [
    ...Object.entries(DATA_ROUTES).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    ),
    ...Object.keys(FORMS).map((path) => `POST ${path}`),
    ...PAGES,
  ]
  const gone = all.filter((name) => !found.has(name))
  if (gone.length > 0) throw new Error(`worker/openapi describes routes that are gone: ${gone}.`)
}

function rootOperation(path: string, method: Method): Operation {
  // The metadata, with the base path behind it (RFC 8414, section 3.1).
  const metadata = DATA_ROUTES['/.well-known/openid-configuration']?.[method]
  const operation = path.endsWith('/:base') ? metadata : ROOT_ROUTES[path]?.[method]
  if (operation) return operation
  throw new Error(`${method} ${path}: describe it in ROOT_ROUTES of worker/openapi/routes.ts.`)
}

function shown(path: string, operation: Operation): object {
  const { summary, parameters = [], body, security, responses } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const all = [...inPath, ...parameters]
  const content =
    body && Object.fromEntries(body.types.map((type) => [type, { schema: body.schema }]))
  return {
    summary,
    ...(security ? { security: [{ [security]: [] }] } : {}),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(content ? { requestBody: { required: true, content } } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).toSorted(([one], [other]) => Number(one) - Number(other)),
    ),
  }
}
