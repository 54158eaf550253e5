import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** As much of an OpenAPI document as answers are held against. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Documented>>
    readonly schemas: object
  }
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly required?: boolean }[]
  readonly responses: Readonly<Record<string, Documented | { readonly $ref: string }>>
}

interface Documented {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
  readonly headers?: object
}

/** Holds answers of a service against the document. A member that no schema has is a fault here. */
export class Contract {
  /** The operations and statuses that were seen, such as `get /csrf 200`. */
  readonly seen = new Set<string>()
  readonly #document: Document
  readonly #ajv = addFormats.default(new Ajv2020({ allErrors: true, allowUnionTypes: true }))

  constructor(document: object) {
    const closed = closedIn(JSON.parse(absolute(document))) as Document
    this.#document = closed
    this.#ajv.addSchema({ $id: ROOT, $defs: closed.components.schemas })
  }

  /** Every operation with a status of success. */
  get operations(): readonly string[] {
    return Object.entries(this.#document.paths).flatMap(([path, item]) =>
      ['get', 'post'].filter((method) => item[method]).map((method) => `${method} ${path}`),
    )
  }

  /**
   * The part of an answer that the document does not describe; `undefined`: there is none.
   *
   * @param basePath that of the service
   */
  async fault(request: Request, answer: Response, basePath = '/auth'): Promise<string | undefined> {
    const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? ''
    const isJson = type === 'application/json' || type === 'application/jwt'
    const method = request.method.toLowerCase()
    // The header of the answer to a GET, without its body (RFC 9110, section 9.3.2).
    if (method === 'head') return undefined
    const { pathname } = new URL(request.url)
    const path = this.#pathOf(pathname, method, basePath)
    const name = `${method} ${path ?? pathname} ${answer.status}`
    const operation = path === undefined ? undefined : this.#document.paths[path]?.[method]
    if (!operation) {
      // A page, which may answer a script that something is wrong.
      const isRefused = answer.status >= 400 && type === 'application/json'
      if (isRefused) return this.#faultIn(name, REFUSAL, answer)
      const isKnown = !isJson || request.headers.has(RETURN)
      return isKnown ? undefined : `${name}: an operation that is not there`
    }
    // A form answers a script in JSON, and others as it likes.
    if (!isJson && operation.parameters?.some((one) => one.in === 'header' && one.required)) return
    const said = operation.responses[answer.status]
    const documented =
      said && '$ref' in said ? this.#document.components.responses[nameIn(said.$ref)] : said
    if (!documented) return `${name}: a status that is not there`
    if (!documented.content && type === '' && (await answer.clone().text()) === '') {
      this.seen.add(name)
      return undefined
    }
    const { schema } = documented.content?.[type] ?? {}
    if (!schema) return `${name}: a body of ${type || 'no type'}`
    this.seen.add(name)
    return type === 'application/json' ? this.#faultIn(name, schema, answer) : undefined
  }

  async #faultIn(name: string, schema: object, answer: Response): Promise<string | undefined> {
    const validate = this.#ajv.compile(schema)
    if (validate(await answer.clone().json())) return undefined
    const faults = validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`)
    return `${name}: ${[...new Set(faults)].join('; ')}`
  }

  #pathOf(pathname: string, method: string, basePath: string): string | undefined {
    const below = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname
    const candidates = [
      below,
      below.replace(/[^/]+$/, '{provider}'),
      below.replace(/[^/]+$/, '{base}'),
    ]
    return candidates.find((path) => this.#document.paths[path]?.[method])
  }
}

const RETURN = 'x-auth-return-redirect'

const ROOT = 'https://latchkey.invalid/openapi'

/** What any page answers a script. */
const REFUSAL = {
  anyOf: ['Failure', 'SignedOut', 'FreshSignInRequired'].map((name) => ({
    $ref: `${ROOT}#/$defs/${name}`,
  })),
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function absolute(document: object): string {
  return JSON.stringify(document).replaceAll('"#/components/schemas/', `"${ROOT}#/$defs/`)
}

/** The same with objects that have no other members than those that are named, unless they say that they do. */
function closedIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedIn)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, closedIn(member)])
  const made = Object.fromEntries(members) as Record<string, unknown>
  const isObject = made.type === 'object' && 'properties' in made
  return isObject && !('additionalProperties' in made)
    ? { ...made, additionalProperties: false }
    : made
}
