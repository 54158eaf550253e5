import { fileURLToPath } from 'node:url'

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const fetches = 'worker/src/http/public-fetch'

/** Modules of the package that workerd has another one of, as `imports` of its package.json says. */
export const ofWorkerd = [
  { find: /^#document-fetch$/, replacement: path(`${fetches}/fetch-on-workerd.ts`) },
  { find: /^#operate-ledger$/, replacement: path('worker/src/features/operate/ledger.ts') },
]

/**
 * Our packages are their sources in tests, as tsconfig.base.json has it for the compiler: no test
 * runs on an old build.
 */
export const sources = [
  { find: /^#document-fetch$/, replacement: path(`${fetches}/fetch-on-node.ts`) },
  { find: /^#operate-ledger$/, replacement: path('worker/src/features/operate/ledger-on-node.ts') },
  { find: /^#argon2-module$/, replacement: path('worker/src/passwords/argon2-on-node.ts') },
  {
    find: /^@latchkey\/(session|host|client|worker|migrate|sandbox)$/,
    replacement: path('$1/src/index.ts'),
  },
  {
    find: /^@latchkey\/worker\/features\/(.+)$/,
    replacement: path('worker/src/features/$1/index.ts'),
  },
  {
    find: /^@latchkey\/worker\/languages\/(.+)$/,
    replacement: path('worker/src/languages/tags/$1.ts'),
  },
  {
    find: /^@latchkey\/(session|host|client|worker|sandbox)\/(.+)$/,
    replacement: path('$1/src/$2.ts'),
  },
  { find: /^latchkey\/(.+)$/, replacement: path('cli/src/$1.ts') },
  {
    find: /^@latchkey\/(express|hono|next|sveltekit|web)$/,
    replacement: path('adapters/$1/src/index.ts'),
  },
  {
    find: /^@latchkey\/(express|hono|next|sveltekit|web)\/(.+)$/,
    replacement: path('adapters/$1/src/$2.ts'),
  },
]
