import { readFileSync } from 'node:fs'
import { ROUTES } from '@latchkey/host/shared'
import { createSandbox, defaultClient, type SandboxClient } from '@latchkey/sandbox'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { holds } from '../../../test/support/holds.js'
import { type Allowed, expectSound } from '../../../test/support/sound-answer.js'
import { type Asked, asked } from '../../../test/support/stranger.js'
import { Visit, type Visited } from '../../../test/support/visit.js'
import { Contract } from '../../openapi/contract.ts'
import { COOKIE_NAMES } from '../config/cookies.js'
import { ERRORS, type ErrorType } from '../errors.js'
import { COUNTDOWN_SCRIPT } from '../features/email/countdown-script.js'
import { PAGE_SCRIPT } from '../features/passkeys/page-script.js'
import { createAuth } from '../index.js'
import { VIDEOAPP } from '../lib/provider-marks.js'
import { customFetch } from '../lib/symbols.js'
import { COPY_SCRIPT } from '../pages/copy-script.js'
import { TIMES_SCRIPT } from '../pages/times-script.js'
import credentials from '../providers/credentials.js'
import passkey from '../providers/passkey.js'
import videoapp from '../providers/videoapp.js'
import { configWith, secret } from '../test-support/browser.js'
import { mailProvider } from '../test-support/email.js'
import { providerAt, testIssuer } from '../test-support/issuer.js'
import { waitedFor } from '../test-support/time.js'
import type { AuthConfig, Environment, VerificationRequest } from '../types.js'

const contract = new Contract(
  JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')),
)

const { takeTimers } = clock({ start: 'now' })

/** The services that are asked: how each is configured, and where it is. */
const SERVICES: Readonly<Record<string, Setting>> = {
  plain: { origin: 'http://localhost:8787' },
  'with a known address': {
    origin: 'https://auth.example',
    env: { AUTH_URL: 'https://auth.example/auth' },
  },
  'that shares its session cookie': {
    origin: 'https://auth.example',
    env: { AUTH_URL: 'https://auth.example', AUTH_COOKIE_DOMAIN: 'auth.example' },
  },
  'that trusts headers': { origin: 'http://localhost:8787', config: { trustHost: true } },
  'with trusted apps and pages of its own': {
    origin: 'http://localhost:8787',
    config: {
      trustedOrigins: ['https://app.example', 'https://*.apps.example'],
      pages: { signIn: '/login', error: '/oops?lang=de', signOut: '/bye' },
    },
  },
}

interface Setting {
  readonly origin: string
  readonly env?: Environment
  readonly config?: Partial<AuthConfig>
}

interface Service extends Visited {
  readonly allowed: Allowed
  /** Errors that an operator would have to mend. */
  readonly faults: Error[]
}

const providers = ['videoapp', 'test', 'credentials', 'email', 'passkey']
/** The video app knows the addresses of all services, as real ones have to be registered. */
const clients: SandboxClient[] = [
  defaultClient,
  {
    ...defaultClient,
    clientKey: 'web',
    type: 'web',
    redirectUris: ['https://auth.example/auth/callback/videoapp'],
  },
]

const issuer = testIssuer('https://issuer.example', { alg: 'ES256' })

async function serve({ origin, env, config = {} }: Setting): Promise<Service> {
  const sandbox = createSandbox({ clients })
  const mails: VerificationRequest[] = []
  const faults: Error[] = []
  let people = 0
  const error = (error: Error & { type?: string }) => {
    const word = ERRORS[error.type as ErrorType]?.public ?? 'Configuration'
    // Browsers have no passkeys for addresses in numbers, and an update of a session without a record is lost.
    const isMeant = /AUTH_PASSKEY_RP_ID|The session was not updated/.test(error.message)
    if (word === 'Configuration' && error.type !== 'UnknownProvider' && !isMeant) faults.push(error)
  }
  const auth = createAuth(
    configWith({
      providers: [
        videoapp({
          clientId: env ? 'web' : defaultClient.clientKey,
          clientSecret: defaultClient.clientSecret,
          [customFetch]: async (input, init) => sandbox.request(String(input), init),
        }),
        providerAt(await issuer),
        credentials({
          credentials: { username: {}, password: { type: 'password' } },
          authorize: ({ username, password }) =>
            password === 'open sesame' && /^\S.{0,99}$/.test(String(username))
              ? { id: String(username), name: String(username) }
              : null,
        }),
        mailProvider(mails),
        passkey({ rpName: 'Example' }),
      ],
      logger: { error, warn: () => {}, debug: () => {}, info: () => {} },
      ...config,
    }),
  )
  return {
    send: (request) => waitedFor(auth.fetch(request, env)),
    origin,
    issuer: `${origin}/auth`,
    secret,
    consent: async (url) => {
      const body = new URLSearchParams({ person: 'ada', decision: 'allow' })
      body.append('scope', 'user.info.profile')
      const answer = await sandbox.request(url, { method: 'POST', body })
      return new URL(answer.headers.get('location') ?? '')
    },
    mailed: async () => {
      const { url = origin, code = '' } = mails.at(-1) ?? {}
      return { token: new URL(url).searchParams.get('token') ?? '', code }
    },
    somebody: () => `somebody-${++people}`,
    faults,
    allowed: {
      own: (request) =>
        env ? [origin] : [new URL(request.url).origin, ...claimed(request, config)],
      trusted: config.trustedOrigins ? /^https:\/\/(?:app|\w+\.apps)\.example$/ : /^$/,
      authorization: {
        videoapp: 'https://www.tiktok.com/v2/auth/authorize/',
        test: 'https://issuer.example/authorize',
      },
      cookies: Object.values(COOKIE_NAMES),
      scripts: [PAGE_SCRIPT, TIMES_SCRIPT, COPY_SCRIPT, COUNTDOWN_SCRIPT],
      pictures: [VIDEOAPP],
    },
  }
}

/** The origins that the headers of a request claim, if the service trusts them. */
function claimed({ headers, url }: Request, { trustHost }: Partial<AuthConfig>): string[] {
  if (!trustHost) return []
  const hosts = [headers.get('x-forwarded-host'), headers.get('host'), new URL(url).host]
  return hosts
    .flatMap((text) => text?.split(',') ?? [])
    .flatMap((host) => ['http', 'https'].map((scheme) => URL.parse(`${scheme}://${host.trim()}`)))
    .flatMap((url) => url?.origin ?? [])
}

/** How often an answer was of each kind: a property that only ever sees 404 shows nothing. */
const seen = new Map<string, number>()

it('every answer is sound, whatever a stranger sends', async () => {
  takeTimers()
  const services = new Map<string, { service: Service; uses: number }>()
  const serviceOf = async (name: string) => {
    const known = services.get(name)
    if (known && known.uses++ < 300) return known.service
    const service = await serve(SERVICES[name] as Setting)
    services.set(name, { service, uses: 0 })
    return service
  }
  const property = fc.asyncProperty(
    fc.constantFrom(...Object.keys(SERVICES)),
    asked(ROUTES, providers),
    async (name, sent: Asked) => {
      const service = await serviceOf(name)
      service.faults.length = 0
      const make = await new Visit(service).request(sent)
      if (!make) return
      const requests = sent.isTwice ? [make(), make()] : [make()]
      const answers = await Promise.all(requests.map((request) => service.send(request)))
      for (const [at, answer] of answers.entries()) {
        const request = requests[at] as Request
        const kind = `${request.method} ${new URL(request.url).pathname} ${answer.status}`
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
        expect(await contract.fault(request, answer)).toBeUndefined()
        await expectSound(request, answer, service.allowed)
      }
      expect(service.faults).toEqual([])
    },
  )
  await holds(1_000, property)
})

afterAll(() => {
  if (Number(process.env.PROPERTY_TIMES) > 1) console.log([...seen].sort(([, a], [, b]) => b - a))
})
