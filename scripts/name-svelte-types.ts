import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Gives each component in a folder its types under the name that TypeScript looks for if imports
 * are resolved as Node does: `A.d.svelte.ts` beside the `A.svelte.d.ts` that svelte-package writes.
 */
const [folder = '.'] = process.argv.slice(2)
for (const name of readdirSync(folder)) {
  const [, component] = /^(.+)[.]svelte[.]d[.]ts$/.exec(name) ?? []
  if (component !== undefined)
    copyFileSync(join(folder, name), join(folder, `${component}.d.svelte.ts`))
}
