import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishedFolders } from '../published-packages.ts'

/**
 * The `package.json` of every published package, with the repository's address from the root's
 * `package.json`: to move it, change it there, and run `npm run generate`.
 */
export function manifests(root: string): [string, string][] {
  const { homepage, bugs, repository } = read(root, 'package.json')
  const place = /^git\+(https:\/\/[^#]+)\.git$/.exec(repository?.url ?? '')?.[1]
  if (place === undefined || homepage !== `${place}#readme` || bugs !== `${place}/issues`) {
    throw new Error('homepage, bugs and repository of package.json do not name one place.')
  }
  return publishedFolders(root).map((folder) => {
    const path = join(folder, 'package.json')
    const { name, version, description, keywords, license, ...rest } = read(root, path)
    // Members that name a package come first, as npm shows them; the others stay as they were written.
    const whole: Manifest = {
      name,
      version,
      description,
      keywords,
      homepage: `${place}/tree/main/${folder}#readme`,
      bugs,
      repository: { ...repository, directory: folder },
      license,
      // A package with a scope is private unless it says otherwise, and npm shows from which commit it was built.
      publishConfig: { access: 'public', provenance: true },
    }
    // Once for the order and once for the values, some of which `rest` has from the last time.
    return [path, `${JSON.stringify({ ...whole, ...rest, ...whole }, undefined, 2)}\n`]
  })
}

interface Manifest {
  readonly homepage?: string
  readonly bugs?: string
  readonly repository?: { readonly url?: string; readonly [member: string]: unknown }
  readonly [member: string]: unknown
}

function read(root: string, path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}
