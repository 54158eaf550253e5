import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevServers, startDevServers } from '../../scripts/dev-servers.ts'
import { writeDevVars } from '../../scripts/dev-vars.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { freePort } from './free-port.ts'

/**
 * The Worker and the sandbox, started as `npm start` does, but on free ports, with storage of their
 * own and with settings as on a fresh machine: the developer's own `.dev.vars` is
 * ignored.
 *
 * @param vars more settings of the Worker, which may depend on its port
 * @param workerConfig another Worker's wrangler configuration
 */
export async function startTestServers(
  vars: Record<string, string> | ((port: number) => Record<string, string>) = {},
  workerConfig = 'wrangler.toml',
): Promise<DevServers> {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-test-'))
  const envFile = join(dir, '.dev.vars')
  writeDevVars(envFile, join(rootDir, '.dev.vars.example'))
  try {
    const workerPort = await freePort()
    const servers = await startDevServers({
      workerConfig,
      workerPort,
      sandboxPort: await freePort(),
      persistTo: join(dir, 'state'),
      quiet: true,
      envFile,
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
