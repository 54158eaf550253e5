import { join } from 'node:path'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { testBuiltApp } from '../web/built-app.ts'

testBuiltApp({
  name: 'astro',
  build: [join(rootDir, 'node_modules/astro/bin/astro.mjs'), 'build'],
  start: ['dist/server/entry.mjs'],
})
