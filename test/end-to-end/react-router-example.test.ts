import { join } from 'node:path'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { testBuiltApp } from '../web/built-app.ts'

const packages = join(rootDir, 'node_modules/@react-router')

testBuiltApp({
  name: 'react-router',
  build: [join(packages, 'dev/bin.cjs'), 'build'],
  start: [join(packages, 'serve/bin.cjs'), 'build/server/index.js'],
})
