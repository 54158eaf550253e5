import {
  AuthError,
  type SessionNeeds,
  type TokenReading,
  type WorkerAddress,
} from '@latchkey/session'
import { BoundedCache, createTokenReader, readGuard } from '@latchkey/session/internal'
import { checkNeeds } from '../shared/check-needs.js'
import { type Environment, readVariables } from '../shared/environment.js'
import { InvalidConfiguration } from '../shared/invalid-configuration.js'
import { DEFAULT_BASE_PATH } from '../shared/service-routes.js'
import type { Host, TokenSource } from './host.js'
import type { HostConfig } from './host-config.js'
import type { HostRequest } from './host-request.js'
import { addressOf } from './service-settings.js'

/** What a route asks of a request's access token. */
export interface RequireTokenOptions extends Omit<SessionNeeds, 'bound'> {
  /** The resource that tokens must be for: their `aud` to the letter, an absolute URI. */
  readonly audience: string
  /** The scopes that the token has to have, separated by spaces or as a list. Default: none. */
  readonly scope?: string | readonly string[] | undefined
  /**
   * The tokens of machines, which are apps that act for themselves: `true` takes them too, `'only'` takes no others. Default
   * `false`: a token that counts is a user's.
   */
  readonly machine?: boolean | 'only' | undefined
}

/** The service whose tokens an app takes that does not serve the auth routes. */
export interface TokenServiceConfig {
  /** The service: its URL with the base path, or a service binding. Default: `AUTH_WORKER_URL`. */
  readonly worker?: WorkerAddress | undefined
  /** Its public origin and base path, if they are not `worker`. */
  readonly issuer?: string | undefined
}

type TokenReaderOptions = Parameters<typeof createTokenReader>[0]
type AccessTokenReader = ReturnType<typeof createTokenReader>['reader']
type TokenNeeds = Parameters<AccessTokenReader['read']>[1]
type TokenPlace = Parameters<AccessTokenReader['read']>[3]

interface GateOptions {
  readonly host: Pick<Host, 'tokenSource' | 'serves'>
  /** The adapter's function, for messages. */
  readonly name: string
  /** The address of the resource's metadata, if it has some. */
  readonly metadata?: string | undefined
}

/** The readers of the services that apps name, by what decides about them. */
const byName = new BoundedCache<AccessTokenReader>(50)
/** The same of services that are objects, and of configurations of a host. */
const byObject = new WeakMap<object, BoundedCache<AccessTokenReader>>()

/**
 * A gate for requests with an access token, made once for all of them. The service in the same process decides, or
 * else the one that the configuration names, or else that of `AUTH_WORKER_URL`.
 */
export class TokenGate {
  readonly #options: GateOptions
  readonly #audience: string
  readonly #machine: RequireTokenOptions['machine']
  readonly #needs: TokenNeeds
  readonly #config: object | undefined
  /** What the configuration names, if it is not one that serves the auth routes. */
  readonly #own: TokenServiceConfig | undefined
  readonly #ownByEnv = new WeakMap<Environment, Asked>()

  /** @throws {InvalidConfiguration | TypeError} naming an option that is invalid */
  constructor(
    options: RequireTokenOptions,
    config: TokenServiceConfig | HostConfig | undefined,
    gate: GateOptions,
  ) {
    const { audience, machine, ...needs } = checked(options)
    this.#options = gate
    this.#audience = audience
    this.#machine = machine
    this.#needs = needs
    this.#config = config
    this.#own = ownService(config)
    // Looked at here, so that a mistake is reported at the start.
    const isNamed = this.#own?.worker !== undefined || this.#own?.issuer !== undefined
    if (this.#own && isNamed && !this.#isServed) this.#issuerOf(this.#own)
  }

  /**
   * The access token of a request, without a promise if it was seen before.
   *
   * @throws {WorkerUnavailable} rejects if it is unknown whether the token counts
   */
  read(request: HostRequest): TokenReading | Promise<TokenReading> {
    const asked = this.#asked(request)
    return asked instanceof Promise
      ? asked.then((it) => this.#ask(request, it))
      : this.#ask(request, asked)
  }

  /** The issuer of the tokens; `undefined` if the request's host is not known as this app's. */
  async issuerOf(request: HostRequest): Promise<string | undefined> {
    const [, { issuer }] = await this.#asked(request)
    return issuer === '' ? undefined : issuer.replace(/\/\*$/, DEFAULT_BASE_PATH)
  }

  /** May the issuer follow from the request's host? That of a service elsewhere does not. */
  get isByHost(): boolean {
    return this.#own === undefined || this.#isServed
  }

  get #isServed(): boolean {
    return this.#config !== undefined && this.#options.host.serves(this.#config)
  }

  #asked(request: HostRequest): Asked | Promise<Asked> {
    if (this.#own && !this.#isServed) return this.#ofOwn(this.#own, request.env)
    const source = this.#options.host.tokenSource(request)
    return source instanceof Promise
      ? source.then((it) => this.#ofHost(request, it))
      : this.#ofHost(request, source)
  }

  #ask(request: HostRequest, [reader, place]: Asked): TokenReading | Promise<TokenReading> {
    return reader.read(request.header('authorization'), this.#needs, request.waitUntil, place)
  }

  #ofOwn(own: TokenServiceConfig, env: Environment): Asked {
    const asked = this.#ownByEnv.get(env) ?? this.#makeOwn(own, env)
    this.#ownByEnv.set(env, asked)
    return asked
  }

  /** @throws {AuthError | TypeError} */
  #makeOwn(own: TokenServiceConfig, env: Environment): Asked {
    const worker = addressOf(own, readVariables(env), DEFAULT_BASE_PATH)
    if (worker === undefined) throw this.#unknownService()
    const issuer = this.#issuerOf({ worker, issuer: own.issuer }) ?? ''
    return [this.#reader(worker, { worker, issuer }), { issuer }]
  }

  /** @throws {TypeError} */
  #issuerOf({ worker, issuer }: TokenServiceConfig): string | undefined {
    return readGuard({ audience: this.#audience, worker, issuer }).issuer
  }

  #ofHost(request: HostRequest, { settings, isMounted, base }: TokenSource): Asked {
    const { options, origins, service, worker } = settings
    // An app that only reads sessions may be anywhere: the tokens name the service.
    if (!isMounted && typeof worker === 'string') {
      return [this.#reader(options, { ...options, issuer: worker }), { issuer: worker }]
    }
    if (options.worker === undefined && options.secret === undefined) throw this.#unknownService()
    const { waitUntil } = request
    const { ended } = settings
    const reader = this.#reader(options, { ...options, ended })
    const origin = origins.of(request)
    // No token is for a host that is not ours.
    if (typeof origin === 'string') return [reader, { issuer: '' }]
    const issuer = base === undefined ? origin.issuer : origin.origin + base
    return [reader, { issuer, address: service?.address(waitUntil) }]
  }

  /** @param of the address of a service elsewhere, or the options of the app: each has a reader of its own */
  #reader(of: string | object, options: Partial<TokenReaderOptions>): AccessTokenReader {
    const audience = this.#audience
    const machine = this.#machine
    const { metadata } = this.#options
    const { issuer, worker, secret, fetch, onError, revocation, ended } = options
    const cache = typeof of === 'string' ? byName : (byObject.get(of) ?? new BoundedCache(50))
    if (typeof of === 'object') byObject.set(of, cache)
    const key = JSON.stringify([typeof of === 'string' && of, issuer, audience, metadata, machine])
    const parts = { issuer, worker, secret, fetch, onError, revocation, ended }
    return (
      cache.get(key) ??
      cache.set(key, createTokenReader({ ...parts, audience, metadata, machine }).reader)
    )
  }

  #unknownService(): AuthError {
    return new AuthError(
      `${this.#options.name} needs the service: mount the auth routes before it, or name it by \`worker\` or AUTH_WORKER_URL.`,
    )
  }
}

/** A reader, and where the request is. */
type Asked = readonly [AccessTokenReader, TokenPlace]

function ownService(
  config: TokenServiceConfig | HostConfig | undefined,
): TokenServiceConfig | undefined {
  return config === undefined || 'providers' in config ? undefined : config
}

const OPTIONS = ['audience', 'scope', 'machine']

/** @throws {InvalidConfiguration | TypeError} */
function checked(options: RequireTokenOptions): RequireTokenOptions {
  checkNeeds(options, OPTIONS)
  // No access token is bound to a browser, so a route that asks for it would let nobody pass, or everybody.
  if ('bound' in options) throw new InvalidConfiguration('There is no option `bound`.')
  const { audience, scope, maxAge, acr } = options
  const { scopes, machine } = readGuard({ audience, scope, machine: options.machine })
  if (!scopes) throw new InvalidConfiguration('`scope` must name scopes, such as notes:read.')
  // The list is made once, and not for each request.
  return {
    audience,
    machine,
    ...(scopes.length > 0 ? { scope: scopes } : {}),
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(acr === undefined ? {} : { acr }),
  }
}
