import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

/** What a file and its files import before they do anything: files of the command, and the names of modules. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  loaded.add(relative(import.meta.dirname, file))
  const text = readFileSync(file, 'utf8')
  for (const [, names = '', from = ''] of text.matchAll(
    /^(?:import|export)\s+(?!type\s)([^'"]*?from\s+)?'([^']+)'/gm,
  )) {
    const path = join(dirname(file), from.replace(/[.]js$/, '.ts'))
    const isType = /^\{(?:\s*type\s+\w+,?)+\s*\}\s+from/.test(names)
    if (isType) continue
    if (!from.startsWith('.')) loaded.add(from)
    else if (!loaded.has(relative(import.meta.dirname, path)) && existsSync(path)) {
      loadedBy(path, loaded)
    }
  }
  return loaded
}

// Bare Node takes 40 ms, and a package that is loaded for the help would take as long again.
test('the help loads no command, no package, and no module of Node', () => {
  expect([...loadedBy(join(import.meta.dirname, 'latchkey.ts'))].toSorted()).toEqual([
    'answer.ts',
    'command.ts',
    'latchkey.ts',
    'main.ts',
    'printable.ts',
    'questions.ts',
    'run.ts',
  ])
})
