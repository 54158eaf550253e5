import type { SessionClaims } from '@latchkey/session'
import { MEMBERS } from '../config/manifests.js'
import { isOff, needsFeature } from '../config/needs-feature.js'
import { InvalidCheck, InvalidConfiguration } from '../errors.js'
import type { Kind, ResolvedProvider } from '../http/kind.js'
import type { Outcome } from '../http/outcome.js'
import type { Purpose } from '../http/purpose.js'
import type { AuthRequest } from '../http/request.js'
import type { Claim, FoundWay } from '../person/found-way.js'
import type { SignedIn } from '../session/signed-in.js'
import type { StandingSession } from '../session/stored-values.js'
import type { StoreWarning } from '../stores/ports.js'
import type { AuthConfig, LogEvent } from '../types.js'
import type { AccountSection, WayKind } from './account-hooks.js'
import type { EventPeople, Feature, FeatureSurroundings, Operation } from './feature.js'
import { featureOf, METHOD_TABLE } from './operations.js'
import { type Ports, portsOf } from './ports.js'
import type { Route } from './request-hooks.js'
import type { Begun, EndedOne, Ending, FirstSession, SessionHooks } from './session-hooks.js'
import type { Identified, PendingSignIn, Proof, SignIn } from './sign-in-hooks.js'

type Groups = Required<Pick<Feature, 'pages' | 'signIn' | 'person' | 'operator'>>

interface FoundRoute {
  readonly route: Route
  /** The path below it. */
  readonly rest: string
}

/** A feature for which a sign-in waits. */
interface Hold {
  readonly name: string
  wait(pending: PendingSignIn): Promise<Outcome>
}

/** The features of a service that are on, as its configuration and environment have them. */
export class FeatureSet {
  /** Every feature of the list, on or off. */
  readonly all: readonly Feature[]
  /** The members of a person's document that a feature understands. */
  readonly reads: ReadonlySet<string>
  /** The kinds of sign-in of plain provider objects. */
  readonly kinds: Readonly<Record<string, Kind>>
  /** The providers of features. */
  readonly providers: readonly ResolvedProvider[]
  /** Rules of CSS for the pages of features. */
  readonly styles: string
  /** Sections of the account page. */
  readonly sections: readonly AccountSection[]
  /** Kinds of ways that are neither accounts nor addresses. */
  readonly wayKinds: readonly WayKind[]
  /** The answers of features to the questions of the core, and defaults for the rest. */
  readonly ports: Ports
  /** The longest life of tokens that apps verify by themselves, besides those of sessions. Seconds. */
  readonly tokenLife: number
  /** The methods for the operator. */
  readonly methods: typeof METHOD_TABLE = METHOD_TABLE
  readonly #own: Readonly<Record<string, Operation>>
  readonly #on: readonly Feature[]
  readonly #session: readonly SessionHooks[]
  readonly #settings: ReadonlyMap<string, unknown>

  /**
   * @param all in the order in which they are asked, with what each needs before it (`withNeeds`)
   * @param own the methods for the operator that every service has
   * @throws {InvalidConfiguration} @throws {MissingSecret}
   */
  constructor(
    all: readonly Feature[],
    config: AuthConfig,
    surroundings: FeatureSurroundings,
    own: Readonly<Record<string, Operation>>,
  ) {
    this.#own = own
    const settings = new Map<string, unknown>()
    this.all = all
    this.#on = all.filter(({ name, configure }) => {
      const made = configure?.(config, surroundings)
      settings.set(name, made)
      return configure === undefined || made !== undefined
    })
    this.#settings = settings
    for (const { name, needs = [] } of this.#on) {
      const missing = needs.find((one) => !this.isOn(one))
      if (!missing) continue
      // Switching this one off too would be silent: it would stop no sign-in, and its settings
      // would do nothing.
      throw new InvalidConfiguration(`The feature "${name}" needs "${missing.name}", which is off.`)
    }
    this.#session = this.#on.flatMap(({ session = [] }) => session)
    // A feature that is off stops no sign-in, so its members do not count as read.
    const members = (features: readonly Feature[]) => features.flatMap(membersOf)
    this.reads = new Set(['blocked', ...members(this.#on)])
    this.kinds = Object.assign({}, ...this.#on.map(({ signIn }) => signIn?.kinds))
    this.providers = this.#on.flatMap(({ signIn }) => signIn?.providers ?? [])
    this.styles = [...new Set(this.#on.flatMap(({ pages }) => pages?.styles ?? []))].join('')
    this.sections = this.#on.flatMap(({ pages }) => pages?.account ?? [])
    this.wayKinds = this.sections.flatMap((one) => ('ways' in one ? one.ways : []))
    this.tokenLife = Math.max(0, ...this.#session.map(({ tokenLife = 0 }) => tokenLife))
    this.ports = portsOf(
      this.#on.map(({ name, ports = {} }) => [
        name,
        typeof ports === 'function' ? ports(settings.get(name) as never) : ports,
      ]),
    )
  }

  isOn(feature: Feature): boolean {
    return this.#on.includes(feature)
  }

  /** The features' warnings about the configuration. */
  warnings(surroundings: FeatureSurroundings): readonly StoreWarning[] {
    return this.#on.flatMap((one) => one.warn?.(this.settings(one.name), surroundings) ?? [])
  }

  /**
   * The settings that a feature has made of the configuration.
   *
   * @returns `undefined`: it is off, or is not there
   */
  settings<Settings>(name: string): Settings | undefined {
    return this.#settings.get(name) as Settings | undefined
  }

  /** Do sign-ins come back to a path below the base path, whatever the app says? */
  isReturn(path: string): boolean {
    return this.#on.some(({ pages }) => pages?.returnsTo?.includes(path))
  }

  /** A hook of each feature that is on and has it, by its group. */
  hooks<Group extends keyof Groups, Name extends keyof Groups[Group]>(
    group: Group,
    name: Name,
  ): readonly NonNullable<Groups[Group][Name]>[] {
    return this.#on.flatMap((feature) => {
      const hooks = feature[group] as Groups[Group] | undefined
      return (hooks?.[name] ?? []) as NonNullable<Groups[Group][Name]>[]
    })
  }

  /** @returns `undefined`: the way is an account or an address */
  wayKind(way: string): WayKind | undefined {
    return this.wayKinds.find((kind) => kind.is(way))
  }

  /** The person that a proved way signs in, if a feature knows. */
  identify(
    request: AuthRequest,
    proved: SignedIn,
    entrance: FoundWay,
  ): Promise<Identified | undefined> {
    return this.#first((one) => one.signIn?.identify?.(request, proved, entrance))
  }

  /**
   * The user who has begun a flow that comes back, by the features with data in it.
   *
   * @throws {InvalidCheck} it is another session, or one of them is not there
   */
  async resumed(
    request: AuthRequest,
    parts: Readonly<Record<string, unknown>>,
  ): Promise<SessionClaims | undefined> {
    let asker: SessionClaims | undefined
    for (const [name, part] of Object.entries(parts)) {
      const feature = this.#on.find((one) => one.name === name)
      if (!feature?.signIn?.resumed) throw new InvalidCheck(`No feature "${name}".`)
      asker = (await feature.signIn.resumed(request, part)) ?? asker
    }
    return asker
  }

  /** The outcome of a proof, if its flow has data of a feature. */
  instead(request: AuthRequest, proof: Proof): Promise<Outcome | undefined> {
    return this.#first((one) => one.signIn?.instead?.(request, proof))
  }

  /** What a proof leads to before its person is looked for. */
  detour(request: AuthRequest, proof: Proof): Promise<Outcome | undefined> {
    return this.#first((one) => one.signIn?.detour?.(request, proof))
  }

  /** @throws {AccessDenied} a feature refuses the sign-in */
  async check(request: AuthRequest, signIn: SignIn): Promise<void> {
    for (const check of this.hooks('signIn', 'check')) await check(request, signIn)
  }

  /** The outcome of an approved proof, if its flow has data of a feature. */
  completed(
    request: AuthRequest,
    signedIn: SignedIn,
    purpose: Purpose,
  ): Promise<Outcome | undefined> {
    return this.#first((one) => one.signIn?.completed?.(request, signedIn, purpose))
  }

  /**
   * The first feature for which a sign-in must wait, and what keeps it.
   *
   * @param passed the names of features that are not asked
   */
  async hold(
    request: AuthRequest,
    signIn: SignIn,
    passed: readonly string[],
  ): Promise<Hold | undefined> {
    for (const one of this.#on) {
      const { name } = one
      const wait = passed.includes(name) ? undefined : await one.signIn?.hold?.(request, signIn)
      if (wait) return { name, wait }
    }
    return undefined
  }

  /**
   * Finishes the erasure of a person.
   *
   * @returns `false`: no feature erases people
   * @throws {StoreUnavailable}
   */
  async goOnErasing(request: AuthRequest, sub: string): Promise<boolean> {
    const erasing = this.hooks('person', 'goOnErasing')
    for (const goOn of erasing) await goOn(request, sub)
    return erasing.length > 0
  }

  async beginning(request: AuthRequest, signedIn: SignedIn): Promise<void> {
    for (const hooks of this.#session) await hooks.beginning?.(request, signedIn)
  }

  /** What the record of a session keeps for features. @throws {StoreUnavailable} */
  async starting(
    request: AuthRequest,
    signedIn: SignedIn,
    session: Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'sexp'>,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    let kept: Readonly<Record<string, string>> | undefined
    for (const hooks of this.#session) {
      const more = await hooks.starting?.(request, signedIn, session)
      if (more) kept = { ...kept, ...more }
    }
    return kept
  }

  /** The feature that ends a session instead of its renewal. @returns `undefined`: it goes on */
  async endedBy(request: AuthRequest, standing: StandingSession): Promise<LogEvent['by']> {
    for (const hooks of this.#session) {
      const by = await hooks.endedBy?.(request, standing)
      if (by) return by
    }
    return undefined
  }

  /** Does a feature ask which session of a person is their first? */
  get asksFirst(): boolean {
    return this.#session.some(({ first }) => first)
  }

  async first(
    request: AuthRequest,
    signedIn: SignedIn,
    claim?: Claim,
  ): Promise<FirstSession | undefined> {
    for (const hooks of this.#session) {
      const first = await hooks.first?.(request, signedIn, claim)
      if (first) return first
    }
    return undefined
  }

  async proved(request: AuthRequest, signedIn: SignedIn, session: SessionClaims): Promise<void> {
    for (const hooks of this.#session) await hooks.proved?.(request, signedIn, session)
  }

  async switched(request: AuthRequest): Promise<void> {
    await Promise.all(this.#session.map((hooks) => hooks.switched?.(request)))
  }

  async begun(request: AuthRequest, signedIn: SignedIn, begun: Begun): Promise<void> {
    const { limited, hasCode } = begun
    const sub = signedIn.account.userId
    if (limited !== undefined) await this.ports.devices?.remember(request, limited, sub, hasCode)
    for (const hooks of this.#session) await hooks.begun?.(request, signedIn, begun)
  }

  marked(request: AuthRequest, provider: string): void {
    for (const hooks of this.#session) hooks.marked?.(request, provider)
  }

  forgotten(request: AuthRequest): void {
    for (const hooks of this.#session) hooks.forgotten?.(request)
  }

  /** @returns called once the sessions have ended @throws {StoreUnavailable} they do not end */
  async ending(request: AuthRequest, ending: Ending): Promise<() => Promise<void>> {
    const all: (() => Promise<void>)[] = []
    for (const hooks of this.#session) {
      const tell = await hooks.ending?.(request, ending)
      if (tell) all.push(tell)
    }
    return async () => {
      for (const tell of all) await tell()
    }
  }

  /** @returns `undefined`: no feature has anything to do */
  ended(request: AuthRequest, session: EndedOne): Promise<unknown> | undefined {
    const all = this.#session.flatMap((hooks) => hooks.ended?.(request, session) ?? [])
    return all.length > 0 ? Promise.all(all) : undefined
  }

  /** A page below the origin. @returns `undefined`: there is none */
  wellKnown({ config }: AuthRequest, path: string): FoundRoute | undefined {
    if (!path.startsWith('/.well-known/')) return undefined
    const { basePath } = config
    const name = path.endsWith(basePath) ? `${path.slice(0, -basePath.length)}/:base` : path
    for (const wellKnown of this.hooks('pages', 'wellKnown')) {
      const route = Object.hasOwn(wellKnown, name) ? wellKnown[name] : undefined
      if (route) return { route, rest: '' }
    }
    return undefined
  }

  /** The route of a feature that answers every path below a prefix. @returns `undefined`: no feature has it */
  below({ config }: AuthRequest, path: string): FoundRoute | undefined {
    for (const below of this.hooks('pages', 'below')) {
      for (const [prefix, route] of Object.entries(below)) {
        const start = `${config.basePath}${prefix}/`
        if (path.startsWith(start)) return { route, rest: path.slice(start.length) }
      }
    }
    return undefined
  }

  /** A person is erased, or a merge of version 0.2 is finished. @throws {StoreUnavailable} */
  async gone(request: AuthRequest, sub: string): Promise<void> {
    for (const gone of this.hooks('person', 'gone')) await gone(request, sub)
  }

  /** An event of the log. If a hook throws, the person's request continues. */
  async onEvent(request: AuthRequest, event: LogEvent, people: EventPeople): Promise<void> {
    for (const onEvent of this.hooks('operator', 'onEvent')) {
      await onEvent(request, event, people).catch((error: Error) =>
        request.config.logger.error(error),
      )
    }
  }

  /**
   * Runs a method for the operator, after the features have noted it.
   *
   * @param args checked
   * @throws {InvalidConfiguration} its feature is not there @throws {StoreUnavailable}
   */
  async operate(request: AuthRequest, name: string, args: readonly unknown[]): Promise<unknown> {
    const feature = this.all.find(({ operator }) => operator?.operations?.[name])
    if (feature && !this.isOn(feature)) throw isOff(name, feature.name)
    const run = (this.#own[name] ?? feature?.operator?.operations?.[name]) as
      | ((request: AuthRequest, ...args: readonly unknown[]) => Promise<unknown>)
      | undefined
    if (!run) throw needsFeature(`${name}()`, featureOf(name))
    for (const operated of this.hooks('operator', 'operated')) await operated(request, name, args)
    return run(request, ...args)
  }

  async #first<Answer>(
    ask: (feature: Feature) => Promise<Answer | undefined> | undefined,
  ): Promise<Answer | undefined> {
    for (const feature of this.#on) {
      const answer = await ask(feature)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}

/** The members of a person's document that a feature understands. */
function membersOf({ name }: Feature): string[] {
  return Object.keys(MEMBERS).filter((member) => MEMBERS[member] === name)
}
