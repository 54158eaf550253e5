import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the output of the compiler what `npm pack` may publish. */
const root = join(import.meta.dirname, '..')
const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
  references: { path: string }[]
}

for (const { path: folder } of references) {
  removeStale(folder)
  removeMaps(folder)
}

/** The compiler keeps the output of files that were moved or deleted. */
function removeStale(folder: string): void {
  for (const path of globSync(`${folder}/dist/**/*.{js,ts,map}`, { cwd: root })) {
    const source = path.replace('/dist/', '/src/').replace(/(?:[.]d[.]ts|[.]js)(?:[.]map)?$/, '.ts')
    if (!existsSync(join(root, source)) && !existsSync(join(root, `${source}x`))) {
      rmSync(join(root, path))
    }
  }
}

/** A file must not name a map that the package leaves out: bundlers and debuggers would look for it, and warn. */
function removeMaps(folder: string): void {
  const { files = [] } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const leftOut = (files as string[]).filter((pattern) => /^!dist\/.*\.map$/.test(pattern))
  for (const pattern of leftOut) {
    for (const path of globSync(pattern.slice(1), { cwd: join(root, folder) })) {
      const map = join(root, folder, path)
      const file = map.replace(/\.map$/, '')
      rmSync(map)
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace(/\n?\/\/# sourceMappingURL=.*\n?$/, '\n'))
    }
  }
}
