import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { serve } from '@hono/node-server'
import type { Session } from '@latchkey/session'
import { createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import passkey from '@latchkey/worker/providers/passkey'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { createElement, StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { bundleBrowser } from '../support/bundle-browser.js'
import { elsewhere } from '../support/elsewhere.js'
import { App, type AppProps } from './app.js'

/** The default of a strict page: neither inline scripts nor `eval`. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"

export interface StartedApp {
  readonly url: string
  /** The secrets of the service, the newest first. Sessions stay in its store. */
  rotate(...secrets: string[]): void
  /** Answers instead of the service; `undefined` ends it. */
  replace(answer: (() => Response | Promise<Response>) | undefined): void
  stop(): Promise<void>
}

/** An app with the auth routes, whose server renders React. Props of the page are in its query. */
export async function startApp(): Promise<StartedApp> {
  const store = memoryStore()
  const serviceWith = (...secret: string[]) =>
    createAuth({
      secret,
      store,
      basePath: '/auth',
      trustHost: true,
      callbacks: {
        jwt: ({ token, trigger, session }) =>
          trigger === 'update' ? { ...token, name: String(Object(session).name) } : token,
      },
      logger: { error() {}, warn() {}, debug() {} },
      providers: [
        credentials({
          id: 'password',
          credentials: { name: {}, password: {} },
          authorize: ({ name, password }) =>
            password === 'lovelace' ? { id: String(name), name: String(name) } : null,
        }),
        elsewhere,
        email({ from: 'app@app.example', sendVerificationRequest: () => {} }),
        passkey({ rpName: 'App' }),
      ],
    })
  let service = serviceWith(FIRST_SECRET)
  let instead: (() => Response | Promise<Response>) | undefined
  const files = await bundlePages()

  async function page(request: Request, query: URLSearchParams): Promise<Response> {
    const props: AppProps = JSON.parse(query.get('props') ?? '{}')
    const asked = await service.fetch(new Request(new URL('/auth/session', request.url), request))
    const session = (await asked.json()) as Session | null
    const given = props.hasProvider ? { ...props, session } : props
    const html = renderToString(createElement(StrictMode, {}, createElement(App, given)))
    const data = JSON.stringify(given).replaceAll('<', '\\u003c')
    const body = `<!doctype html><title>App</title><div id="root">${html}</div>
      <script type="application/json" id="props">${data}</script>
      <script type="module" src="/assets/app/index.js"></script>`
    return htmlOf(body)
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname.startsWith('/auth/')) return instead ? instead() : service.fetch(request)
    const code = files.get(pathname.replace('/assets/', ''))
    if (code) return new Response(code, { headers: { 'content-type': 'text/javascript' } })
    if (pathname === '/') return page(request, searchParams)
    const [, example] = /^\/example\/(\w+)$/.exec(pathname) ?? []
    if (example) {
      return htmlOf(`<div id="root"></div>
        <script type="module" src="/assets/${example}/index.js"></script>`)
    }
    return new Response('', { status: 404 })
  }

  const server = serve({ fetch: answer, port: 0, hostname: 'localhost' })
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    rotate(...secrets) {
      service = serviceWith(...secrets)
    },
    replace(other) {
      instead = other
    },
    async stop() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function htmlOf(body: string): Response {
  return new Response(body, {
    headers: { 'content-type': 'text/html', 'content-security-policy': POLICY },
  })
}

/** The app, and the first and the React examples of docs/client.md, which are pages of their own. */
async function bundlePages(): Promise<ReadonlyMap<string, string>> {
  const docs = await readFile(join(import.meta.dirname, '../../docs/client.md'), 'utf8')
  const [, plain = ''] = /```ts\n([\s\S]*?)```/.exec(docs) ?? []
  const [[, shown = ''] = [], [, parts = ''] = []] = docs.matchAll(/```tsx\n([\s\S]*?)```/g)
  const folder = await mkdtemp(join(import.meta.dirname, 'examples-'))
  try {
    await writeFile(join(folder, 'plain.ts'), plain)
    await writeFile(join(folder, 'react.tsx'), `${JSX}${shown}${MOUNT}`)
    await writeFile(join(folder, 'parts.tsx'), `${JSX}${parts}${MOUNT}`.replace('<App', '<Header'))
    const [react, header] = [`${folder}/react.tsx`, `${folder}/parts.tsx`]
    const plainPage = `${folder}/plain.ts`
    const own = { app: 'entry.tsx', plain: plainPage, react, parts: header }
    const pages = { ...own, react18: react, parts18: header }
    const bundled = await Promise.all(
      Object.entries(pages).map(async ([name, file]) => {
        const entry = resolve(import.meta.dirname, file)
        const alias = name.endsWith('18') ? REACT_18 : []
        const parts = await bundleBrowser(entry, { mode: 'development', alias })
        return [...parts].map(([part, code]) => [`${name}/${part}`, code] as const)
      }),
    )
    return new Map(bundled.flat())
  } finally {
    await rm(folder, { recursive: true })
  }
}

const REACT_18 = [
  { find: /^react(?=$|\/)/, replacement: 'react18' },
  { find: /^react-dom(?=$|\/)/, replacement: 'react-dom18' },
]

const JSX = '/** @jsxImportSource react */\n'

const MOUNT = `
import { createRoot } from 'react-dom/client'
createRoot(document.querySelector('#root')!).render(<App session={undefined} />)
`

export const FIRST_SECRET = 'a-secret-of-the-tests-0123456789abcdef'
