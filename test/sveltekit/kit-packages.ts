import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { installed } from '../support/installed.ts'
import { linkPackages } from '../support/user-project.ts'

/** What an app on either Kit needs besides: the repository has it. */
const TOOLS = [
  ...['@sveltejs/vite-plugin-svelte', 'svelte', 'svelte-check', 'typescript', 'vite', 'wrangler'],
]

/** Kit, and its adapters for Node and Cloudflare. The repository itself has the versions of Kit 3. */
export const KIT_PACKAGES = {
  2: {
    '@sveltejs/kit': '2.70.4',
    '@sveltejs/adapter-node': '5.5.7',
    '@sveltejs/adapter-cloudflare': '7.2.9',
  },
  3: {
    '@sveltejs/kit': '3.2.0',
    '@sveltejs/adapter-node': '6.0.1',
    '@sveltejs/adapter-cloudflare': '8.0.0-next.6',
  },
} as const

/** Links Kit, its adapters and the tools into the `node_modules` of an app. */
export async function linkKit(folder: string, kit: 2 | 3): Promise<void> {
  const names = Object.keys(KIT_PACKAGES[kit])
  linkPackages(folder, TOOLS)
  linkPackages(folder, names, kit === 2 ? await installed(KIT_PACKAGES[2], TOOLS) : undefined)
  // With `--tsgo`, svelte-check asks TypeScript 7 by this name, and takes half the time.
  const scope = join(folder, 'node_modules/@typescript')
  await mkdir(scope, { recursive: true })
  await symlink(join(rootDir, 'node_modules/typescript7'), join(scope, 'native'), 'junction')
}
