import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/**
 * The examples of a page of the documentation, which a test runs unchanged.
 *
 * @param name of a page in docs, or the path of another page
 * @returns the module that stands first below a heading
 * @example const exampleBelow = examplesIn('custom-fetch')
 */
export function examplesIn(name: string): <Module>(heading: string) => Promise<Module> {
  const path = name.endsWith('.md') ? name : `docs/${name}.md`
  const page = readFileSync(join(rootDir, path), 'utf8')
  const folder = join(rootDir, 'test', '.docs-examples', name.replaceAll(/\W+/g, '-'))
  beforeAll(() => mkdirSync(folder, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  return async (heading) => {
    const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
    const code = /```ts\n([\s\S]*?)```/.exec(section)?.[1]
    if (code === undefined) throw new Error(`There is no example below "${heading}".`)
    const file = join(folder, `${heading.toLowerCase().replaceAll(/\W+/g, '-')}.ts`)
    writeFileSync(file, code)
    return import(/* @vite-ignore */ file)
  }
}
