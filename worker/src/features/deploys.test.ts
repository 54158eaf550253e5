import { acrOf } from '@latchkey/session/issue'
import { expect, it } from 'vitest'
import type { AuthenticatorApp } from '../../../test/support/authenticator-app.js'
import { clock } from '../../../test/support/clock.js'
import { MEMBERS, OPTIONS, PROVIDERS } from '../config/manifests.js'
import { createAuth as coreAuth } from '../core.js'
import type { Feature } from '../service/feature.js'
import { Browser, claimsIn, locationOf } from '../test-support/browser.js'
import { passkeyPeople } from '../test-support/passkeys.js'
import { setUpFactor } from '../test-support/set-up-factor.js'
import type { AuthConfig } from '../types.js'
import { all } from './all.js'

// A deployment between any two steps of a flow takes a feature away, or brings it.

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const ADDRESS = 'ada@people.example'

/** The names of a feature and of the features that need it. */
function goneWith(feature: Feature | undefined): ReadonlySet<string> {
  const gone = new Set<Feature>()
  for (const one of all) {
    if (one === feature || one.needs?.some((needed) => gone.has(needed))) gone.add(one)
  }
  return new Set([...gone].map(({ name }) => name))
}

/** A service of the same deployment without a feature, without those that need it, and without their settings. */
function without(config: AuthConfig, feature: Feature | undefined) {
  const gone = goneWith(feature)
  const providers = config.providers.filter((one) => {
    const { type } = typeof one === 'function' ? one() : one
    return !gone.has(PROVIDERS[type] ?? '')
  })
  const settings = Object.entries(config).filter(([name]) => !gone.has(OPTIONS[name] ?? ''))
  const features = all.filter(({ name }) => !gone.has(name))
  return coreAuth({ ...Object.fromEntries(settings), providers, features } as AuthConfig)
}

/** People with all that a feature may stop, and a browser whose service changes. */
async function world(changes: Partial<AuthConfig>) {
  const made = passkeyPeople(changes)
  let service = without(made.config, undefined)
  const browser = () => new Browser(made.config, { answer: (request) => service.fetch(request) })
  const ada = await made.signIn('one', 'ada', browser())
  await made.add(ada, 'email', ADDRESS)
  const own = made.authenticator()
  return {
    ...made,
    ada,
    own,
    browser,
    deploy(feature: Feature | undefined) {
      service = without(made.config, feature)
    },
  }
}

type World = Awaited<ReturnType<typeof world>>
type Step = (told: Response | undefined) => Promise<Response | undefined>

interface Flow {
  readonly changes?: Partial<AuthConfig>
  /** What the service with every feature does before: a browser, and the steps of the flow in it. */
  begin(world: World): Promise<{ readonly one: Browser; readonly steps: readonly Step[] }>
  /** How well the person is proved in the end. */
  readonly acr: '1' | '2'
}

async function withFactor({ ada }: World): Promise<AuthenticatorApp> {
  const { app } = await setUpFactor(ada)
  pass(60)
  return app
}

const enter =
  (one: Browser, app: AuthenticatorApp): Step =>
  () =>
    one.submit('/auth/factor', { code: app.code() })

/** A mail is asked for, and its link is opened if one came. */
function byMail(world: World, one: Browser, asked: Record<string, string> = {}): Step[] {
  const before = world.mails.length
  return [
    () => one.submit('/auth/signin/email', { email: ADDRESS, ...asked }),
    async () => (world.mails.length > before ? one.get(world.lastMail().path) : undefined),
  ]
}

const FLOWS: Readonly<Record<string, Flow>> = {
  'a sign-in by a provider of a person with a second factor': {
    acr: '2',
    async begin(world) {
      const app = await withFactor(world)
      const one = world.browser()
      return {
        one,
        steps: [
          () => one.submit('/auth/signin/one', { callbackUrl: '/inbox' }),
          async (told) => told && world.comeBack(one, 'one', told, 'ada'),
          enter(one, app),
        ],
      }
    },
  },
  'a sign-in by a mail of a person with a second factor': {
    acr: '2',
    async begin(world) {
      const app = await withFactor(world)
      const one = world.browser()
      return {
        one,
        steps: [...byMail(world, one), enter(one, app)],
      }
    },
  },
  'a sign-in of which the app demands a second factor': {
    changes: { secondFactor: ({ amr }) => amr[0] === 'email' },
    acr: '2',
    async begin(world) {
      const one = world.browser()
      return {
        one,
        steps: [...byMail(world, one), async () => void (await setUpFactor(one).catch(() => {}))],
      }
    },
  },
  'a step-up to two factors of a person with one': {
    acr: '1',
    async begin(world) {
      const one = await world.signIn('email', ADDRESS, world.browser())
      pass(30)
      return { one, steps: byMail(world, one, { acr: '2', maxAge: '5' }) }
    },
  },
  'a way that a person with a second factor adds': {
    acr: '2',
    async begin(world) {
      await withFactor(world)
      const one = world.ada
      return {
        one,
        steps: [
          () => world.startAdding(one, 'two'),
          async (told) =>
            told && locationOf(told).startsWith('https://two')
              ? world.comeBack(one, 'two', told, 'lovelace')
              : undefined,
        ],
      }
    },
  },
  'a passkey that a person adds': {
    acr: '1',
    async begin(world) {
      const one = world.ada
      let options: Awaited<ReturnType<World['options']>> | undefined
      return {
        one,
        steps: [
          async () => {
            options = await world.options(one, 'add')
            return undefined
          },
          async () => {
            if (!options?.publicKey) return undefined
            await world.post(one, await world.own.create(options.publicKey))
            return undefined
          },
        ],
      }
    },
  },
}

/** The features that a sign-in asks. */
const ASKED = all.filter(
  ({ name, signIn, person, session, ports = {} }) =>
    Object.values(MEMBERS).includes(name) ||
    [signIn, person?.goOnErasing, session?.first].some(Boolean) ||
    ['stepUp', 'subjects', 'tokens'].some((port) => port in ports),
)

it.each(Object.entries(FLOWS))(
  'attack: a deployment in the middle of %s makes no sign-in stronger, and no user another person',
  async (_, { changes = {}, begin, acr }) => {
    const { length } = (await begin(await world(changes))).steps
    expect(ASKED.length).toBeGreaterThan(7)
    // Taken away before a step, or brought before one: the whole flow with every feature is another test's.
    const cuts = Array.from({ length }, (_, cut) =>
      cut === 0 ? [[cut, true] as const] : [[cut, true] as const, [cut, false] as const],
    ).flat()
    const cases = ASKED.flatMap((one) => cuts.map(([cut, isTaken]) => [one, cut, isTaken] as const))
    for (const [feature, cut, isTaken] of cases) {
      const here = await world(changes)
      const { sub } = claimsIn(here.ada)
      const { one, steps } = await begin(here)
      const before = one.jar.has('auth.session-token') ? claimsIn(one) : undefined
      // The option that demands a second factor goes with its feature.
      const isDemandGone = changes.secondFactor && goneWith(feature).has('second-factor')
      let told: Response | undefined
      for (const [at, step] of steps.entries()) {
        const isWhole = at < cut === isTaken
        here.deploy(isWhole ? undefined : feature)
        told = await step(told)
        if (!one.jar.has('auth.session-token')) continue
        const what = `${feature.name}, ${isTaken ? 'taken' : 'brought'} before step ${cut}, at ${at}`
        const claims = claimsIn(one)
        expect(claims.sub, what).toBe(sub)
        // An earlier session gets no stronger and no fresher. A new one is as strong as the whole flow makes it.
        const allowed = before ? [acrOf(before.amr)] : [acr, ...(isDemandGone ? ['1'] : [])]
        expect(allowed, what).toContain(acrOf(claims.amr))
        if (before) expect(claims.auth_time, what).toBe(before.auth_time)
      }
      here.deploy(undefined)
      pass(30)
      await expectSound(here, sub)
    }
  },
  60_000,
)

/** Each way signs in a person who sees it, and none past a second factor. */
async function expectSound(here: World, sub: string): Promise<void> {
  const { content } = (await here.inner.ledger.document(`person\n${sub}`)) ?? {}
  const { factor, ways } = JSON.parse(content ?? '{}') as {
    factor?: object
    ways: { way: string }[]
  }
  for (const [provider, account] of [
    ['one', 'ada'],
    ['two', 'lovelace'],
  ] as const) {
    const one = await here.signIn(provider, account, here.browser())
    if (!one.jar.has('auth.session-token')) continue
    const claims = claimsIn(one)
    if (claims.sub === sub) expect([provider, factor]).toEqual([provider, undefined])
    else expect(ways.map(({ way }) => way)).not.toContain(claims.sub)
  }
}
