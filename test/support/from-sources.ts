import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { sources } from './sources.ts'

// `node --import` this file: a process of its own runs on the packages' sources, as tests do.
registerHooks({
  resolve(specifier, context, next) {
    const found = sources.find(({ find }) => find.test(specifier))
    if (found) {
      const path = specifier.replace(found.find, found.replacement)
      return next(pathToFileURL(path).href, context)
    }
    if (/^[.].*[.]js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
      const url = new URL(specifier.replace(/js$/, 'ts'), context.parentURL)
      if (existsSync(fileURLToPath(url))) return next(url.href, context)
    }
    return next(specifier, context)
  },
})
