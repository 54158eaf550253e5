import { openCode } from '../features/authorization-server/code.js'
import type { Code } from '../features/authorization-server/grant.js'
import { authorizationServer } from '../features/authorization-server/index.js'
import type { AuthorizationServerOptions } from '../features/authorization-server/options.js'
import type { AuthRequest } from '../http/request.js'
import type { Feature } from '../service/feature.js'
import type { AuthConfig } from '../types.js'
import { type Browser, locationOf, origin } from './browser.js'
import { challenge, clientSecret, issuer, redirectUri, resource, verifier } from './oauth.js'
import { passkeyPeople } from './passkeys.js'

export { issuer, redirectUri, resource } from './oauth.js'

/** What the apps of these tests are. */
export const OPTIONS = {
  apps: {
    notes: {
      name: 'Notes',
      redirectUris: [redirectUri, 'http://127.0.0.1/cb', 'com.example.notes:/cb'],
    },
    own: {
      name: 'Own',
      redirectUris: ['https://own.example/cb'],
      firstParty: true,
      resources: { [resource]: true },
    },
    web: {
      name: 'Web',
      secret: clientSecret,
      redirectUris: ['https://web.example/cb?tenant=a%20b'],
    },
  },
  resources: {
    [resource]: {
      name: 'Notes API',
      scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' },
    },
  },
} satisfies AuthorizationServerOptions

/** A good request, unless the test changes it. `undefined` takes a parameter out. */
export function authorizePath(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = new URLSearchParams()
  const all = {
    response_type: 'code',
    client_id: 'notes',
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'openid notes:read',
    state: 'the-state',
    ...changes,
  }
  for (const [name, value] of Object.entries(all))
    if (value !== undefined) parameters.set(name, value)
  return `/auth/oauth/authorize?${parameters}`
}

/** The members of an answer at an app. */
export function answerIn(response: Response): Record<string, string> {
  return Object.fromEntries(new URL(locationOf(response)).searchParams)
}

/** The error of an answer at an app, or where the browser goes instead. */
export function errorIn(response: Response): string {
  const to = locationOf(response)
  return URL.canParse(to) ? (new URL(to).searchParams.get('error') ?? to) : `${response.status}`
}

/** The hidden field of a consent page. */
export function requestOn(page: string): string {
  return /name="request" value="([^"]+)"/.exec(page)?.[1] ?? ''
}

/** Where a sign-in page leads back to, as a path. */
export function backFrom(response: Response): string {
  const { pathname, searchParams } = new URL(locationOf(response))
  if (pathname !== '/auth/signin') throw new Error(`No sign-in page: ${locationOf(response)}`)
  return (searchParams.get('callbackUrl') ?? '').slice(origin.length)
}

/** People with every way to sign in, before a service that is the authorization server of three apps. */
export function oauthPeople(
  options: AuthorizationServerOptions = OPTIONS,
  changes: Partial<AuthConfig> = {},
  more: Parameters<typeof passkeyPeople>[1] = {},
) {
  let inside: (request: AuthRequest) => Promise<void> = async () => {}
  const entry: Feature = {
    name: 'inside',
    pages: {
      routes: {
        '/inside': {
          async GET(request) {
            await inside(request)
            return { kind: 'json', body: {} }
          },
        },
      },
    },
  }
  const features = [authorizationServer(options), entry]
  const [lines, errors]: [object[], Error[]] = [[], []]
  const logger: AuthConfig['logger'] = {
    error: (error) => void errors.push(error),
    warn: () => {},
    info: (line) => void lines.push(line),
  }
  const made = passkeyPeople({ features, logger, ...changes }, more)
  /** Answers the consent page that a browser sees. */
  const decide = async (one: Browser, page: Response, decision = 'allow', fields = {}) =>
    one.submit('/auth/oauth/consent', {
      request: requestOn(await page.text()),
      decision,
      ...fields,
    })
  return {
    ...made,
    lines,
    errors,
    decide,
    authorize: (one: Browser, fields: Parameters<typeof authorizePath>[0] = {}, headers = {}) =>
      one.get(authorizePath(fields), headers),
    /** Signs in, lets an app in, and gets its code. */
    async letIn(one: Browser, fields: Parameters<typeof authorizePath>[0] = {}) {
      const answer = await one.get(authorizePath(fields))
      return answerIn(answer.status === 200 ? await decide(one, answer) : answer)
    },
    /** The contents of a code. */
    async open(code: string | undefined): Promise<Code | undefined> {
      let opened: Code | undefined
      inside = async (request) => {
        opened = (await openCode(request, code ?? ''))?.code
      }
      await made.browser().get('/auth/inside')
      return opened
    },
    /** Exchanges a code as its app does. */
    async exchange(code: string | undefined, fields: Record<string, string> = {}) {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'notes',
        code_verifier: verifier,
        code: code ?? '',
        ...fields,
      })
      const answer = await made
        .browser()
        .answer(new Request(`${issuer}/oauth/token`, { method: 'POST', body }))
      const told = (await answer.json()) as Record<string, string | undefined>
      return {
        ...told,
        status: answer.status,
        id_token: told.id_token,
        access_token: told.access_token,
        refresh_token: told.refresh_token,
        error: told.error,
      }
    },
  }
}
