import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { SandboxMail } from '@latchkey/sandbox'
import { createMailForwarder } from './mail-forwarder.ts'
import { createMailLineReader } from './mail-lines.ts'
import { requireFreePort, startWranglerDev, type WranglerDev } from './wrangler-dev.ts'

export interface DevServersOptions {
  /** The Worker's wrangler configuration, relative to the root folder. Default: `wrangler.toml`. */
  workerConfig?: string
  /** The Worker's entry, relative to the root folder, in place of its configuration's: `npm start` has its own. */
  workerEntry?: string
  /** Default: 8787. */
  workerPort?: number
  /** Default: 8788. */
  sandboxPort?: number
  /** Apps that the Worker answers for: the sandbox sends people back to them too. */
  appOrigins?: readonly string[]
  /** The Worker's settings, on top of its file. */
  vars?: Record<string, string>
  /** Read instead of the `.dev.vars` beside the Worker's configuration. */
  envFile?: string
  /** A folder for what the Workers store. Default: wrangler's own, kept between runs. */
  persistTo?: string
  /** Print nothing. Errors still quote wrangler's output. */
  quiet?: boolean
  /** Starts the sandbox with these variables, instead of `wrangler dev`. */
  startSandbox?: (port: number, vars: Record<string, string>) => Promise<WranglerDev>
}

export interface DevServers {
  readonly workerUrl: string
  readonly sandboxUrl: string
  /** The page of the sandbox that shows what the Worker mailed. */
  readonly mailboxUrl: string
  /**
   * The mails in the mailbox, newest first, as `GET /mailbox.json` of the sandbox gives them. One
   * arrives a moment after the Worker sent it, so a test asks until it is there.
   */
  readMails(): Promise<SandboxMail[]>
  /** Resolves when either process has ended by itself, with a text that says which and how. */
  readonly ended: Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the Worker and the sandbox that stands in for the video app, each under `wrangler dev`,
 * and waits until both answer. Mails that the Worker sends through its `EMAIL` binding arrive in
 * the sandbox's mailbox.
 *
 * @throws DevServerError when one cannot be started; the other one is stopped.
 *
 * @example
 * const servers = await startDevServers({ workerPort: 9001, sandboxPort: 9002 })
 * await servers.stop()
 */
export async function startDevServers(options: DevServersOptions = {}): Promise<DevServers> {
  const {
    workerConfig,
    workerEntry,
    workerPort = 8787,
    sandboxPort = 8788,
    persistTo,
    envFile,
  } = options
  const { appOrigins = [] } = options
  const workerOrigins = ['localhost', '127.0.0.1'].map((host) => `http://${host}:${workerPort}`)
  const print = (name: string) => (line: string) => {
    if (options.quiet !== true && line.trim() !== '') console.log(`[${name}] ${line}`)
  }
  const [printWorker, printSandbox] = [print('worker'), print('sandbox')]
  const readMailLine = createMailLineReader()
  let forwardMails: (() => Promise<void>) | undefined
  await requireFreePort('sandbox', sandboxPort)
  // One after the other: side by side they compete for the processor, and both are ready later.
  const worker = await startWranglerDev({
    name: 'Worker',
    port: workerPort,
    onNotice(line) {
      const { isSent, isHidden } = readMailLine(line)
      if (isSent) forwardMails?.()
      if (!isHidden) printWorker(line)
    },
    vars: {
      ...sandboxAddresses(sandboxPort),
      ...(workerEntry !== undefined && { DEMO_SANDBOX_URL: `http://localhost:${sandboxPort}` }),
      ...options.vars,
    },
    ...(workerConfig !== undefined && { config: workerConfig }),
    ...(workerEntry !== undefined && { entry: workerEntry }),
    ...(envFile !== undefined && { envFile }),
    ...(persistTo !== undefined && { persistTo: join(persistTo, 'worker') }),
  })
  const mailboxKey = randomBytes(32).toString('hex')
  const startSandbox =
    options.startSandbox ??
    ((port, vars) =>
      startWranglerDev({
        name: 'sandbox',
        config: 'sandbox/wrangler.toml',
        port,
        onNotice(line) {
          // An empty mailbox that is open in a browser reloads every three seconds.
          if (!mailboxRequest.test(line)) printSandbox(line)
        },
        vars,
        ...(persistTo !== undefined && { persistTo: join(persistTo, 'sandbox') }),
      }))
  const sandbox = await startSandbox(sandboxPort, {
    SANDBOX_REDIRECT_URIS: redirectUris([...workerOrigins, ...appOrigins]),
    SANDBOX_MAILBOX_KEY: mailboxKey,
  }).catch(async (error: unknown) => {
    await worker.stop()
    throw error
  })
  const mailboxUrl = `${sandbox.url}/mailbox`
  forwardMails = createMailForwarder({
    workerUrl: worker.url,
    mailboxUrl,
    mailboxKey,
    print: printWorker,
  })
  // Forward the mails that were sent before the sandbox was ready.
  await forwardMails()
  return {
    workerUrl: worker.url,
    sandboxUrl: sandbox.url,
    mailboxUrl,
    async readMails() {
      const answer = await fetch(`${mailboxUrl}.json`)
      return (await answer.json()) as SandboxMail[]
    },
    ended: Promise.race([named('The Worker', worker), named('The sandbox', sandbox)]),
    async stop() {
      await Promise.all([worker.stop(), sandbox.stop()])
    },
  }
}

const mailboxRequest = /\b(GET|HEAD|POST) \/mailbox\b/

/** `.dev.vars` already names the usual port, and a person may have changed its addresses. */
export function sandboxAddresses(port: number): Record<string, string> {
  return port === 8788 ? {} : addressesAt(port)
}

function addressesAt(port: number): Record<string, string> {
  const origin = `http://localhost:${port}`
  return {
    AUTH_VIDEO_AUTHORIZATION_URL: `${origin}/v2/auth/authorize/`,
    AUTH_VIDEO_TOKEN_URL: `${origin}/v2/oauth/token/`,
    AUTH_VIDEO_USERINFO_URL: `${origin}/v2/user/info/`,
  }
}

/**
 * The apps on this machine that forward to the Worker, by its `AUTH_TRUSTED_ORIGINS`: the sandbox's client
 * takes no others, and none without a port.
 */
export function localApps(trustedOrigins = ''): string[] {
  return trustedOrigins.split(',').flatMap((entry) => {
    const origin = entry.trim().replace(/\/$/, '')
    return /^https?:\/\/(?:localhost|127\.0\.0\.1):\d+$/.test(origin) ? origin : []
  })
}

/** The usual ports of Express, Hono, Vite, its preview and wrangler. */
export const usualApps = [3000, 5173, 4173, 8787].map((port) => `http://localhost:${port}`)

/** The sandbox's addresses and its client, as an app has them among its variables. */
export function sandboxSettings(port = 8788): Record<string, string> {
  return {
    AUTH_VIDEO_ID: 'sandbox-client-key',
    AUTH_VIDEO_SECRET: 'sandbox-client-secret',
    ...addressesAt(port),
  }
}

/** The video app registers no more than this. */
const maxRedirectUris = 10

/** The base path of the service and of the adapters, and that of many apps that other libraries served. */
const usualBases = ['/auth', '/api/auth']

/**
 * Where apps on this machine answer the auth routes: at an address with a path there, and otherwise
 * at either of the usual paths. Addresses that the sandbox's client does not accept are left out.
 */
export function localBases(apps: readonly string[]): string[] {
  const named = apps.flatMap((app) => {
    const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/]+)((?:\/[\w.~-]+)*)\/?$/.exec(app) ?? []
    return localApps(origin).map((known) => ({ origin: known, path }))
  })
  const own = named.filter(({ path }) => path !== '').map(({ origin, path }) => origin + path)
  const origins = named.filter(({ path }) => path === '').map(({ origin }) => origin)
  return [...own, ...usualBases.flatMap((base) => origins.map((origin) => origin + base))]
}

/** The sandbox's redirect URIs: the video app's callback at each of these origins, or below their base paths. */
export function redirectUris(apps: readonly string[]): string {
  const uris = apps.map(
    (app) => `${new URL(app).pathname === '/' ? `${app}/auth` : app}/callback/videoapp`,
  )
  return [...new Set(uris)].slice(0, maxRedirectUris).join(',')
}

async function named(name: string, server: WranglerDev): Promise<string> {
  return `${name} ${await server.ended}.`
}
