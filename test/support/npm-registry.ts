import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What npm sends when it publishes a version. */
interface Publication {
  readonly name: string
  readonly versions: Readonly<Record<string, { readonly dist: object }>>
  readonly 'dist-tags': Readonly<Record<string, string>>
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

interface Published {
  readonly versions: Record<string, object>
  tags: Readonly<Record<string, string>>
}

/**
 * A registry in this process: it has the packages that were published to it, and passes everything
 * else to the machine's registry.
 */
export interface NpmRegistry {
  readonly url: string
  /** `name@version`, in the order in which they came. */
  readonly published: readonly string[]
  /** What npm needs in its environment to publish here and to install from here. */
  readonly env: NodeJS.ProcessEnv
  close(): void
}

/** @param cache an empty folder, so that npm has no package of an earlier registry */
export async function startNpmRegistry(cache: string): Promise<NpmRegistry> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const packages = new Map<string, Published>()
  const tarballs = new Map<string, Buffer>()
  const published: string[] = []
  const server: Server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent((request.url ?? '/').slice(1).replace(/\?.*$/, ''))
    if (request.method === 'PUT') {
      const isNew = publish((await json(request)) as Publication)
      // As npm does: a version that is there is never another one.
      response.writeHead(isNew ? 201 : 403, { 'content-type': 'application/json' })
      response.end(isNew ? '{}' : '{"error":"You cannot publish over a version."}')
      return
    }
    const tarball = tarballs.get(path)
    if (tarball) {
      response.end(tarball)
      return
    }
    const found = packages.get(path)
    if (!found && /^(?:latchkey|@latchkey\/.*)$/.test(path)) {
      // It does not ask for packages that a stranger has published under our names.
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}')
      return
    }
    if (!found) {
      response.writeHead(302, { location: new URL(request.url ?? '/', upstream).href }).end()
      return
    }
    response.setHeader('content-type', 'application/json')
    const { versions, tags } = found
    response.end(JSON.stringify({ name: path, 'dist-tags': tags, versions }))
  }

  function publish({ name, versions, 'dist-tags': tags, _attachments }: Publication): boolean {
    const kept = packages.get(name) ?? { versions: {}, tags: {} }
    for (const [version, manifest] of Object.entries(versions)) {
      if (kept.versions[version]) return false
      const [data = ''] = Object.values(_attachments).map((one) => one.data)
      const path = `${name}/-/${version}.tgz`
      tarballs.set(path, Buffer.from(data, 'base64'))
      const dist = { ...manifest.dist, tarball: `http://${host}/${path}` }
      kept.versions[version] = { ...manifest, dist }
      published.push(`${name}@${version}`)
    }
    packages.set(name, { versions: kept.versions, tags: { ...kept.tags, ...tags } })
    return true
  }

  return {
    url: `http://${host}/`,
    published,
    env: {
      ...process.env,
      npm_config_registry: `http://${host}/`,
      npm_config_cache: cache,
      // npm publishes nothing without a token; this registry asks for none.
      [`npm_config_//${host}/:_authToken`]: 'of-a-test',
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
