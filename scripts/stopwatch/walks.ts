import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDir } from '../wrangler-dev.ts'

/** A quick start: what the stopwatch follows, word by word, and how long that may take. */
export interface Walk {
  readonly name: string
  /** The page and the heading under which it stands. */
  readonly page: string
  readonly heading: string
  /** Another heading of the page, whose steps come first. */
  readonly first?: string
  /** Goes on after the previous one, in its folder. */
  readonly goesOn?: true
  /** The page stops the app of the previous one first. */
  readonly restarts?: true
  /** Files that the page takes from another of its quick starts, by name. */
  readonly borrows?: { readonly heading: string; readonly files: readonly string[] }
  /** The address of the sign-in. */
  readonly address: string
  /** The base path of the auth routes, if it is not `/auth`. */
  readonly base?: string
  /** Minutes from the empty folder to "Hello", with the time that a person takes. */
  readonly goal: number
}

export const walks: readonly Walk[] = [
  {
    name: 'the Worker of this repository',
    page: 'README.md',
    heading: 'Quick start',
    address: 'http://localhost:8787/auth/signin',
    goal: 2,
  },
  {
    name: 'Express',
    page: 'adapters/express/README.md',
    heading: 'Quick start',
    address: 'http://localhost:3000',
    goal: 3,
  },
  {
    name: 'Hono',
    page: 'adapters/hono/README.md',
    heading: 'Quick start',
    address: 'http://localhost:3000',
    goal: 3,
  },
  {
    name: 'Tutorial: standard requests',
    page: 'docs/web-first-app.md',
    first: 'Get the packages',
    heading: 'On Node',
    address: 'http://localhost:3000',
    goal: 3,
  },
  {
    name: 'Astro',
    page: 'docs/quick-starts-web.md',
    first: 'Get the packages',
    heading: 'Astro',
    address: 'http://localhost:3000',
    goal: 4,
  },
  {
    name: 'Nuxt',
    page: 'docs/web-nuxt.md',
    heading: 'From an empty folder',
    address: 'http://localhost:3000',
    goal: 4,
  },
  {
    name: 'React Router',
    page: 'docs/quick-starts-web.md',
    first: 'Get the packages',
    heading: 'React Router',
    address: 'http://localhost:3000',
    goal: 4,
  },
  {
    name: 'a plain Worker',
    page: 'docs/web-first-app.md',
    first: 'Get the packages',
    heading: 'Workers',
    address: 'http://localhost:8787',
    goal: 4,
  },
  {
    name: 'Bun',
    page: 'docs/web-first-app.md',
    first: 'Get the packages',
    heading: 'Bun',
    address: 'http://localhost:3000',
    goal: 4,
  },
  {
    name: 'SvelteKit in vite dev',
    page: 'adapters/sveltekit/README.md',
    heading: 'Quick start',
    address: 'http://localhost:5173',
    goal: 4,
  },
  {
    name: 'SvelteKit, built for Node',
    page: 'adapters/sveltekit/README.md',
    heading: 'Build it for Node',
    goesOn: true,
    address: 'http://localhost:3000',
    goal: 1,
  },
  {
    name: 'SvelteKit on Cloudflare',
    page: 'adapters/sveltekit/README.md',
    heading: 'On Cloudflare',
    borrows: {
      heading: 'Quick start',
      files: ['src/hooks.server.ts', 'src/routes/+layout.server.ts', 'src/routes/+page.svelte'],
    },
    address: 'http://localhost:4173',
    goal: 4,
  },
  {
    name: 'a Worker of your own',
    page: 'worker/README.md',
    heading: 'Quick start',
    address: 'http://localhost:8787/auth/signin',
    goal: 3,
  },
  {
    name: 'Tutorial: Express',
    page: 'docs/quick-start-express.md',
    heading: 'From an empty folder',
    address: 'http://localhost:3000',
    goal: 5,
  },
  {
    name: 'Tutorial: Hono',
    page: 'docs/quick-start-hono.md',
    heading: 'From an empty folder',
    address: 'http://localhost:3000',
    goal: 5,
  },
  {
    name: 'Tutorial: SvelteKit',
    page: 'docs/quick-start-sveltekit.md',
    heading: 'From an empty folder',
    address: 'http://localhost:5173',
    goal: 5,
  },
  {
    name: 'Tutorial: Next.js',
    page: 'docs/quick-start-next.md',
    heading: 'From an empty folder',
    address: 'http://localhost:3000',
    base: '/api/auth',
    goal: 5,
  },
  {
    name: 'Tutorial: Next.js, built',
    page: 'docs/quick-start-next.md',
    heading: 'Build it',
    goesOn: true,
    restarts: true,
    address: 'http://localhost:3000',
    base: '/api/auth',
    goal: 2,
  },
  {
    name: 'Tutorial: the Worker',
    page: 'docs/quick-start-worker.md',
    heading: 'From an empty folder',
    address: 'http://localhost:8787',
    goal: 5,
  },
]

/** A step of a walk: a file to write, or commands, of which the last may go on running. */
export type Step =
  | { readonly file: string; readonly text: string }
  | { readonly commands: string; readonly serves?: readonly string[] }

const worker = 'http://localhost:8787/auth/signin'
const sandbox = 'http://localhost:8788'

/** Commands that do not end, and what answers once they are ready. */
const servers: Readonly<Record<string, readonly string[]>> = {
  'npm start': [worker, sandbox],
  'npm install && npm start': [worker, sandbox],
  'npm run sandbox': [sandbox],
  'npm run dev': ['http://localhost:5173'],
  'npm run preview': ['http://localhost:4173'],
  'npx next dev': ['http://localhost:3000'],
  'npx next start': ['http://localhost:3000'],
  'npx wrangler dev': [worker],
  'node --env-file=.env app.js': ['http://localhost:3000'],
  'npx bun app.js': ['http://localhost:3000'],
  'PORT=3000 node --env-file=.env dist/server/entry.mjs': ['http://localhost:3000'],
  'PORT=3000 node --env-file=.env .output/server/index.mjs': ['http://localhost:3000'],
  'PORT=3000 node --env-file=.env node_modules/@react-router/serve/bin.cjs build/server/index.js': [
    'http://localhost:3000',
  ],
  'ORIGIN=http://localhost:3000 node --env-file=.env build': ['http://localhost:3000'],
}

/** The text under a heading of a page, up to the next one. */
export function textUnder(page: string, heading: string): string {
  const parts = readFileSync(join(rootDir, page), 'utf8').split(/^#{2,3} /m)
  const part = parts.find((text) => text.startsWith(`${heading}\n`))
  if (part === undefined) throw new Error(`${page} has no heading "${heading}".`)
  return part.slice(heading.length)
}

/**
 * The steps of a walk, in the order of its page.
 *
 * @throws {Error} for a block that is neither a file nor commands
 */
export function stepsOf({ page, first: before, heading, borrows }: Walk): Step[] {
  const own = [...(before ? stepsUnder(page, before) : []), ...stepsUnder(page, heading)]
  if (!borrows) return own
  const others = stepsUnder(page, borrows.heading)
  const borrowed = others.filter((step) => 'file' in step && borrows.files.includes(step.file))
  const first = own.findIndex((step) => 'file' in step)
  return own.toSpliced(first, 0, ...borrowed)
}

function stepsUnder(page: string, heading: string): Step[] {
  const blocks = [...textUnder(page, heading).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, language, text = '']) => {
    if (language === 'sh') {
      const serves = servers[text.trim().split('\n').at(-1) ?? '']
      return { commands: text, ...(serves !== undefined && { serves }) }
    }
    const [, file] = /^(?:---\n)?(?:\/\/|#|<!--) ([\w./+[\]-]*\.\w+)/.exec(text) ?? []
    if (file === undefined) throw new Error(`A block of ${page} names no file:\n${text}`)
    return { file, text }
  })
}

/**
 * A person reads 200 words a minute, up to the paragraph that says where to sign in, and takes ten seconds to copy
 * a block to its place.
 */
export function secondsOfPerson(walk: Walk): number {
  const first = walk.first ? textUnder(walk.page, walk.first) : ''
  const text = first + textUnder(walk.page, walk.heading)
  const lastBlock = text.lastIndexOf('\n```\n') + '\n```\n'.length
  const [next = ''] = text.slice(lastBlock).trim().split('\n\n')
  const prose = text.slice(0, lastBlock).replaceAll(/^```[\s\S]*?^```$/gm, '')
  const words = `${prose} ${next}`.split(/\s+/).filter((word) => word !== '')
  return Math.round((words.length / 200) * 60 + stepsOf(walk).length * 10)
}
