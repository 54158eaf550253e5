import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { sandboxFromEnv } from '@latchkey/sandbox/sandbox-from-env'
import { type DevServers, startDevServers } from '../../scripts/dev-servers.ts'
import { writeDevVars } from '../../scripts/dev-vars.ts'
import { rootDir, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { freePort } from './free-port.ts'

/**
 * The Worker as `npm start` starts it and the sandbox, but on free ports, with storage of their
 * own and with settings as on a fresh machine: the developer's own `.dev.vars` is
 * ignored.
 *
 * @param vars more settings of the Worker, which may depend on its port
 * @param workerConfig another Worker's wrangler configuration
 * @param workerEntry another entry than the configuration's
 */
export async function startTestServers(
  vars: Record<string, string> | ((port: number) => Record<string, string>) = {},
  workerConfig = 'wrangler.toml',
  workerEntry?: string,
): Promise<DevServers> {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-test-'))
  const envFile = join(dir, '.dev.vars')
  writeDevVars(envFile, join(rootDir, '.dev.vars.example'))
  try {
    const workerPort = await freePort()
    const servers = await startDevServers({
      workerConfig,
      ...(workerEntry !== undefined && { workerEntry }),
      workerPort,
      sandboxPort: await freePort(),
      persistTo: join(dir, 'state'),
      quiet: true,
      envFile,
      startSandbox: startSandboxHere,
      vars: typeof vars === 'function' ? vars(workerPort) : vars,
    })
    return {
      ...servers,
      async stop() {
        await servers.stop()
        await rm(dir, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(dir, { recursive: true, force: true })
    throw error
  }
}

/** A second `wrangler dev` would take as long to start as the Worker's: the sandbox runs in this process. */
export async function startSandboxHere(
  port: number,
  vars: Record<string, string>,
): Promise<WranglerDev> {
  const { fetch } = sandboxFromEnv(vars)
  const server = serve({ fetch, port, hostname: '127.0.0.1' }) as Server
  const ended = once(server, 'close').then(() => 'was stopped')
  await once(server, 'listening')
  return {
    url: `http://localhost:${port}`,
    ended,
    async stop() {
      server.close()
      server.closeAllConnections()
      await ended
    },
  }
}
