import { join } from 'node:path'
import { requireFreePort, startWranglerDev, type WranglerDev } from './wrangler-dev.ts'

export interface DevServersOptions {
  /** The Worker's wrangler configuration, relative to the root folder. Default: `wrangler.toml`. */
  workerConfig?: string
  /** Default: 8787. */
  workerPort?: number
  /** Default: 8788. */
  sandboxPort?: number
  /** The Worker's settings, on top of its file. */
  vars?: Record<string, string>
  /** Read instead of the `.dev.vars` beside the Worker's configuration. */
  envFile?: string
  /** A folder for what the Workers store. Default: wrangler's own, kept between runs. */
  persistTo?: string
  /** Print nothing. Failures still carry wrangler's words. */
  quiet?: boolean
}

export interface DevServers {
  readonly workerUrl: string
  readonly sandboxUrl: string
  /** Resolves when either process has ended by itself, with words for which and how. */
  readonly ended: Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the Worker and the sandbox that stands in for the video app, each under `wrangler dev`,
 * and waits until both answer.
 *
 * @throws DevServerError when one of them cannot be started; the other one is stopped.
 *
 * @example
 * const servers = await startDevServers({ workerPort: 9001, sandboxPort: 9002 })
 * await servers.stop()
 */
export async function startDevServers(options: DevServersOptions = {}): Promise<DevServers> {
  const { workerConfig, workerPort = 8787, sandboxPort = 8788, persistTo, envFile } = options
  const sandboxOrigin = `http://localhost:${sandboxPort}`
  const print = (name: string) => (line: string) => {
    if (options.quiet !== true && line.trim() !== '') console.log(`[${name}] ${line}`)
  }
  await requireFreePort('sandbox', sandboxPort)
  // One after the other: side by side they compete for the processor and neither is ready sooner.
  const worker = await startWranglerDev({
    name: 'Worker',
    port: workerPort,
    onNotice: print('worker'),
    vars: { ...sandboxAddresses(sandboxPort, sandboxOrigin), ...options.vars },
    ...(workerConfig !== undefined && { config: workerConfig }),
    ...(envFile !== undefined && { envFile }),
    ...(persistTo !== undefined && { persistTo: join(persistTo, 'worker') }),
  })
  const sandbox = await startWranglerDev({
    name: 'sandbox',
    config: 'sandbox/wrangler.toml',
    port: sandboxPort,
    onNotice: print('sandbox'),
    vars: { SANDBOX_REDIRECT_URIS: redirectUris(workerPort) },
    ...(persistTo !== undefined && { persistTo: join(persistTo, 'sandbox') }),
  }).catch(async (error: unknown) => {
    await worker.stop()
    throw error
  })
  return {
    workerUrl: worker.url,
    sandboxUrl: sandbox.url,
    ended: Promise.race([named('The Worker', worker), named('The sandbox', sandbox)]),
    async stop() {
      await Promise.all([worker.stop(), sandbox.stop()])
    },
  }
}

/** The usual port is what `.dev.vars` says already; a person may have pointed it elsewhere. */
function sandboxAddresses(port: number, origin: string): Record<string, string> {
  if (port === 8788) return {}
  return {
    AUTH_VIDEO_AUTHORIZATION_URL: `${origin}/v2/auth/authorize/`,
    AUTH_VIDEO_TOKEN_URL: `${origin}/v2/oauth/token/`,
    AUTH_VIDEO_USERINFO_URL: `${origin}/v2/user/info/`,
  }
}

function redirectUris(port: number): string {
  return ['localhost', '127.0.0.1']
    .map((host) => `http://${host}:${port}/auth/callback/videoapp`)
    .join(',')
}

async function named(name: string, server: WranglerDev): Promise<string> {
  return `${name} ${await server.ended}.`
}
