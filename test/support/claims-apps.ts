import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serve } from '@hono/node-server'
import { getSession, requireToken } from '@latchkey/express'
import { getSession as getHonoSession } from '@latchkey/hono'
import express from 'express5'
import { Hono } from 'hono'
import { vi } from 'vitest'
import { rootDir, startWranglerDev } from '../../scripts/wrangler-dev.ts'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
/** A Worker of the tests. Named by its entry, so that it is seen to be in use. */
const worker = fileURLToPath(import.meta.resolve('../end-to-end/claims-worker/app.ts'))

/** Apps on sockets of their own, which read the sessions of a service; each answers with one at `/me`. */
export interface ClaimsApps {
  readonly express: string
  readonly hono: string
  readonly sveltekit: string
  readonly worker: string
  /** Behind `requireToken`. */
  readonly api: string
  stop(): Promise<void>
}

/**
 * @param service its URL with the base path
 * @param audience of the API
 */
export async function startClaimsApps(service: string, audience: string): Promise<ClaimsApps> {
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (const one of stops.splice(0).toReversed()) await one()
  }
  try {
    const config = { worker: service }
    const app = express()
    app.get('/me', (req, res, next) => {
      getSession(req, config).then((session) => res.json(session), next)
    })
    app.get('/api', requireToken({ audience }, config), (_, res) => void res.json({}))
    const expressPort = await freePort()
    const listening = app.listen(expressPort)
    stops.push(() => listening.close())

    const hono = new Hono()
    hono.get('/me', async (c) => c.json(await getHonoSession(c, config)))
    const honoPort = await freePort()
    const served = serve({ fetch: hono.fetch, port: honoPort })
    stops.push(() => served.close())

    const kit = await startKit(service)
    stops.push(kit.stop)
    const isolate = await startWranglerDev({
      name: 'app',
      port: await freePort(),
      config: worker.replace(/ts$/, 'toml'),
      vars: { AUTH_WORKER_URL: service },
    })
    stops.push(isolate.stop)
    const express5 = `http://localhost:${expressPort}`
    return {
      express: `${express5}/me`,
      hono: `http://localhost:${honoPort}/me`,
      sveltekit: `${kit.url}/me`,
      worker: isolate.url,
      api: `${express5}/api`,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A SvelteKit app as built, on Node. */
async function startKit(service: string): Promise<{ url: string; stop: () => void }> {
  const root = join(rootDir, 'test/sveltekit/claims-app')
  const port = await freePort()
  const url = `http://localhost:${port}`
  const env = { PATH: process.env.PATH, AUTH_WORKER_URL: service, AUTH_URL: service, ORIGIN: url }
  const vite = join(rootDir, 'node_modules/vite/bin/vite.js')
  await run(process.execPath, [vite, 'build'], { cwd: root, env })
  const child = spawn(process.execPath, [join(root, '.svelte-kit/build/index.js')], {
    env: { ...env, HOST: '127.0.0.1', PORT: `${port}` },
    stdio: 'ignore',
  })
  const stop = () => void child.kill()
  try {
    await vi.waitUntil(() => fetch(url).catch(() => undefined), { timeout: 60_000 })
  } catch (error) {
    stop()
    throw error
  }
  return { url, stop }
}
