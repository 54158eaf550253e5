import { isRecord } from '@latchkey/session/internal'
import type { ParseError } from 'jsonc-parser'
import type { Route, Wrangler } from '../read.js'
import { Unreadable } from './read-text.js'

type Table = Readonly<Record<string, unknown>>

/** The part of a wrangler file about one Worker, and its variables. */
export interface Said {
  readonly wrangler: Wrangler
  readonly vars: Table
}

/**
 * Reads a wrangler file: the Worker at its top first, then its environments. Like wrangler, it gives an environment the
 * routes, the migrations and the settings of logs of the top, but no binding and no variable.
 *
 * @param path as it is shown
 * @throws {Unreadable} with the line of the fault, and without its text
 */
export async function parseWrangler(path: string, text: string): Promise<readonly Said[]> {
  const isJson = !path.endsWith('.toml')
  const file = isJson ? await parseJson(text) : await parseToml(text)
  const environments = Object.entries(tableIn(file.env)).filter(([, one]) => isRecord(one))
  const top = saidBy(file, file, path, isJson, undefined)
  const others = environments.map(([name, own]) =>
    saidBy(tableIn(own), file, `${path} env.${shown(name)}`, isJson, shown(name)),
  )
  // The top of a file that has everything in its environments is never deployed.
  const isUsed = hasBindings(top) || !others.some(hasBindings)
  return isUsed ? [top, ...others] : others
}

async function parseToml(text: string): Promise<Table> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return parse(text)
  } catch (error) {
    // The message of the error quotes the line.
    const place = error instanceof TomlError ? ` (line ${error.line})` : ''
    throw new Unreadable(`it is not TOML${place}`)
  }
}

async function parseJson(text: string): Promise<Table> {
  const { parse } = await import('jsonc-parser')
  const errors: ParseError[] = []
  const file: unknown = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    throw new Unreadable(`it is not JSON (line ${text.slice(0, first.offset).split('\n').length})`)
  }
  if (!isRecord(file)) throw new Unreadable('it is not a JSON object')
  return file
}

function saidBy(
  own: Table,
  top: Table,
  path: string,
  isJson: boolean,
  environment: string | undefined,
): Said {
  const inherited = (name: string): unknown => own[name] ?? top[name]
  const isRouted = own.routes !== undefined || own.route !== undefined
  const { routes, route } = isRouted ? own : top
  const observability = tableIn(inherited('observability'))
  const workersDev = inherited('workers_dev')
  const { cpu_ms: cpu } = tableIn(inherited('limits'))
  const wrangler: Wrangler = {
    path,
    isJson,
    environment,
    kv: namesIn(own.kv_namespaces, 'binding'),
    sendEmail: namesIn(own.send_email, 'name'),
    rateLimits: new Set([
      ...namesIn(own.ratelimits, 'name'),
      ...namesIn(tableIn(own.unsafe).bindings, 'name'),
    ]),
    services: namesIn(own.services, 'binding'),
    objects: objectsIn(tableIn(own.durable_objects).bindings),
    sqliteClasses: sqliteClasses(inherited('migrations'), inherited('exports')),
    routes: [routes ?? [], route ?? []].flat().flatMap(routeOf),
    workersDev: typeof workersDev === 'boolean' ? workersDev : undefined,
    isObserved: [observability, tableIn(observability.logs), tableIn(observability.traces)].some(
      ({ enabled }) => enabled === true,
    ),
    redactsQueries: observability.redact_query_string === true,
    cpu: typeof cpu === 'number' ? cpu : undefined,
    requiredSecrets: new Set(textsIn(tableIn(own.secrets).required)),
  }
  return { wrangler, vars: tableIn(own.vars) }
}

function hasBindings({ wrangler: { kv, objects, services } }: Said): boolean {
  return kv.size + objects.size + services.size > 0
}

function objectsIn(value: unknown): Wrangler['objects'] {
  return new Map(
    listIn(value).flatMap(({ name, class_name: own, script_name: other }) =>
      typeof name === 'string'
        ? [[name, typeof own === 'string' && other === undefined ? own : undefined] as const]
        : [],
    ),
  )
}

/** The classes with SQLite after the migrations in their order, or of the newer `exports`. */
function sqliteClasses(migrations: unknown, exports: unknown): ReadonlySet<string> {
  const classes = new Set<string>()
  for (const step of listIn(migrations)) {
    for (const name of textsIn(step.new_sqlite_classes)) classes.add(name)
    for (const { from, to } of listIn(step.renamed_classes)) {
      if (typeof to === 'string' && classes.delete(String(from))) classes.add(to)
    }
    // Its storage in the other Worker is not known here.
    for (const { to } of listIn(step.transferred_classes)) classes.add(String(to))
    for (const name of textsIn(step.deleted_classes)) classes.delete(name)
  }
  for (const [name, one] of Object.entries(tableIn(exports))) {
    const { type, storage, state = 'created' } = tableIn(one)
    const isThere = state === 'created' || state === 'expecting-transfer'
    if (type === 'durable-object' && storage === 'sqlite' && isThere) classes.add(name)
  }
  return classes
}

function routeOf(value: unknown): Route | [] {
  if (typeof value === 'string') return { pattern: value, isDomain: false }
  const { pattern, custom_domain: isDomain, enabled } = tableIn(value)
  if (typeof pattern !== 'string' || enabled === false) return []
  return { pattern, isDomain: isDomain === true }
}

function namesIn(value: unknown, member: 'binding' | 'name'): ReadonlySet<string> {
  return new Set(textsIn(listIn(value).map((one) => one[member])))
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function listIn(value: unknown): readonly Table[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function tableIn(value: unknown): Table {
  return isRecord(value) ? value : {}
}

/** The name of an environment, which a file may have made anything else. */
function shown(name: string): string {
  return name.replace(/[^\w.-]/g, '?').slice(0, 60)
}
