import type { SessionClaims } from '@latchkey/session'
import type { ReadOwnTexts } from '../config/resolve-config.js'
import { InvalidConfiguration } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import { html } from '../pages/markup.js'
import type { Manager, OldHashes } from './account-hooks.js'
import type { Relay, Tokens } from './provider-hooks.js'
import type { AppProofs, Guard } from './request-hooks.js'
import type { AbsentSession, Binding, Logouts } from './session-hooks.js'
import type { Devices, Entrance, StepUp, Subjects, Typed } from './sign-in-hooks.js'

/** Questions of the core that one feature answers, or nobody. */
export interface Ports {
  /** Only people send the forms that a stranger could send without end. Each of several guards is asked. */
  readonly guard: Guard | undefined
  /** What an app that forwards proves itself by. */
  readonly proofs: AppProofs | undefined
  /** Another service to which providers' answers come. */
  readonly relay: Relay | undefined
  /** The tokens of providers. */
  readonly tokens: Tokens
  /** Ids that the app gives to people. */
  readonly subjects: Subjects | undefined
  /** Browsers that are known after a sign-in. */
  readonly devices: Devices | undefined
  /** Names that people have typed into forms with a mistake. */
  readonly typed: Typed | undefined
  /** By which ways a signed-in person can step up. */
  readonly stepUp: StepUp
  /** A browser without a session of ours. */
  readonly absentSession: AbsentSession | undefined
  /** Binds sessions to keys of browsers. */
  readonly binding: Binding | undefined
  /** Ends that providers have told of. */
  readonly logouts: Logouts | undefined
  /** Reads the app's own texts of pages and mails. */
  readonly ownTexts: ReadOwnTexts | undefined
  /** Somebody else decides how a person signs in. */
  readonly manager: Manager | undefined
  /** Providers that are found by an address, and are not in the configuration. */
  readonly entrance: Entrance | undefined
  /** May strangers have a site below this host? Asked of each wildcard among the trusted origins. */
  readonly isPublicSuffix: ((host: string) => boolean) | undefined
  /** The hashes of passwords that another system has made. */
  readonly oldHashes?: OldHashes | undefined
  /** The provider that this browser has signed in with last, which the sign-in page marks. */
  readonly lastUsed: ((request: AuthRequest) => string | undefined) | undefined
}

/** The answers if no feature gives another one. */
const NOBODY: Ports = {
  guard: undefined,
  proofs: undefined,
  relay: undefined,
  // Keeps no token of a provider, and loses none that a record has.
  tokens: {
    toStore: () => undefined,
    connect: async (_request, _way, tokens) => tokens,
    newest: async (_request, { tokens }) => tokens,
    accessToken: async () => ({ ok: false, reason: 'no-token' }),
    ofBrowser: async () => ({ ok: false, reason: 'no-token' }),
    revocation: async () => async () => {},
  },
  subjects: undefined,
  devices: undefined,
  typed: undefined,
  // A person has the one way that their session began with.
  stepUp: {
    async ownProviders(_request, { amr: [provider = ''] }: SessionClaims) {
      return { ids: new Set([provider]), isWaiting: false }
    },
  },
  absentSession: undefined,
  binding: undefined,
  logouts: undefined,
  ownTexts: undefined,
  manager: undefined,
  entrance: undefined,
  isPublicSuffix: undefined,
  lastUsed: undefined,
}

/**
 * The answers of features.
 *
 * @param answers by the names of the features. Several may bring the same answer along, such as the cookie of known browsers
 * @throws {InvalidConfiguration} two answer differently, so that one of them would never be asked
 */
export function portsOf(answers: readonly (readonly [name: string, Partial<Ports>])[]): Ports {
  const ports: Record<string, unknown> = { ...NOBODY }
  const answering = new Map<string, string>()
  for (const [name, own] of answers) {
    for (const [port, answer] of Object.entries(own)) {
      if (answer === undefined) continue
      const first = answering.get(port)
      if (first !== undefined && port !== 'guard' && ports[port] !== answer) {
        throw new InvalidConfiguration(
          `The features "${first}" and "${name}" both have \`${port}\`, of which a service has one.`,
        )
      }
      if (first === undefined) answering.set(port, name)
      ports[port] = answer
    }
  }
  const guards = answers.flatMap(([, { guard }]) => guard ?? [])
  return { ...(ports as unknown as Ports), guard: together(guards) }
}

/** Asks each of several guards, so that none takes the place of another. */
function together(guards: readonly Guard[]): Guard | undefined {
  if (guards.length < 2) return guards[0]
  return {
    codes: guards.flatMap(({ codes }) => codes),
    async check(request, fields) {
      for (const guard of guards) await guard.check(request, fields)
    },
    field(request, words) {
      const fields = guards.flatMap((guard) => guard.field(request, words) ?? [])
      return fields.length > 0 ? html`${fields}` : undefined
    },
    scripts: (page) => guards.flatMap((guard) => guard.scripts(page)),
  }
}
