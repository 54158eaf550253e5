import { createAuthenticator } from '@latchkey/session/testing'
import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import passkey from '@latchkey/worker/providers/passkey'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { elsewhere } from '../../../test/support/elsewhere.js'
import type { Browser } from '../answer.js'
import { flowOf } from '../flow.js'
import { askBy, checkedPath } from '../service.js'

interface Settings {
  basePath?: string
  base?: string
  href?: string
  /** Instead of the providers of most tests. */
  providers?: AuthConfig['providers']
  features?: AuthConfig['features']
  /** Does the browser know passkeys? Default `true`. */
  hasPasskeys?: boolean
}

interface Asked {
  readonly publicKey: object
}

/** A page of an app at https://app.example, whose requests the real service answers. */
export function openPage(settings: Settings = {}) {
  const base = settings.base ?? ''
  const service = createAuth({
    secret: 'a-secret-of-the-tests-0123456789abcdef',
    basePath: base + (settings.basePath ?? '/auth'),
    trustHost: true,
    store: memoryStore(),
    logger: { error() {}, warn() {}, debug() {} },
    ...(settings.features ? { features: settings.features } : {}),
    providers: settings.providers ?? [
      credentials({
        id: 'password',
        credentials: { password: {} },
        authorize: ({ password }) => (password === 'lovelace' ? { id: 'ada' } : null),
      }),
      elsewhere,
      passkey({ rpName: 'App' }),
    ],
  })
  const cookies = new Map<string, string>()
  const log: string[] = []
  const requests: { method: string; url: string; body: string }[] = []
  const page = { answer: (request: Request): Promise<Response> => service.fetch(request) }

  const newAuthenticator = () => createAuthenticator({ origin: 'https://app.example' })
  let authenticator = newAuthenticator()
  /**
   * The credential ids that password managers were asked to forget, because the service does not
   * know them.
   */
  const unknown: string[] = []
  const passkeys = {
    /** Stands for the person, who may refuse. */
    ask: async () => {},
    hold: async (ceremony: 'create' | 'get', { publicKey }: Asked) => {
      await passkeys.ask()
      const credential = await authenticator[ceremony](publicKey as never)
      return { id: credential.id, toJSON: () => credential } as never
    },
  }
  const platform = {
    parseCreationOptionsFromJSON: (options: object) => options as never,
    parseRequestOptionsFromJSON: (options: object) => options as never,
    async signalUnknownCredential({ credentialId }: { credentialId: string }) {
      unknown.push(credentialId)
    },
  }

  const browser: Browser = {
    navigator: {
      credentials: {
        create: (options) => passkeys.hold('create', options as Asked),
        get: (options) => passkeys.hold('get', options as Asked),
      },
    },
    ...(settings.hasPasskeys !== false && { PublicKeyCredential: platform }),
    location: {
      origin: 'https://app.example',
      hostname: 'app.example',
      href: settings.href ?? 'https://app.example/here?tab=1',
      assign: (url) => void log.push(`go ${url}`),
      reload: () => void log.push('reload'),
    },
    async fetch(input, { mode, cache, ...init } = {}) {
      if (mode !== 'same-origin') throw new Error('It may follow a redirect to elsewhere.')
      if (cache !== 'no-store') throw new Error('It may get the answer for another page.')
      const request = new Request(input, init)
      // A browser adds these headers itself.
      request.headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
      request.headers.set('sec-fetch-site', 'same-origin')
      if (request.method === 'POST') request.headers.set('origin', 'https://app.example')
      const { method, url } = request
      requests.push({ method, url, body: await request.clone().text() })
      const response = await page.answer(request)
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/Max-Age=0/i.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return response
    },
  }
  /** Comes back from the provider to which the page has led. @returns the page that follows */
  const comeBack = async (from: string) => {
    const state = new URL(from).searchParams.get('state') ?? ''
    const callback = `https://app.example${base}/auth/callback/elsewhere`
    const query = new URLSearchParams({ code: 'code', state })
    const answer = await browser.fetch(`${callback}?${query}`, {
      mode: 'same-origin',
      cache: 'no-store',
    })
    return answer.headers.get('location')
  }
  /** The ids of the signed-in user's providers. */
  const ways = async () => {
    const url = `https://app.example${base}/auth/ways`
    const answer = await browser.fetch(url, { mode: 'same-origin', cache: 'no-store' })
    return ((await answer.json()) as { ways: { provider: string }[] }).ways.map(
      ({ provider }) => provider,
    )
  }
  const newClient = () => {
    const ask = askBy(browser, () => undefined)
    const at = (basePath = '/auth') =>
      browser.location.origin + base + checkedPath(basePath).replace(/\/$/, '')
    const changed = (leaves: boolean) => {
      log.push('announce')
      if (!leaves) log.push('refresh')
    }
    return {
      ...flowOf({ browser, ask, at }, changed),
      async session() {
        const { ok, data } = await ask(`${at(settings.basePath)}/session`)
        return ok ? data : undefined
      },
    }
  }
  return {
    newClient,
    log,
    requests,
    page,
    comeBack,
    ways,
    passkeys,
    unknown,
    newAuthenticator: () => {
      authenticator = newAuthenticator()
    },
  }
}
