import { readFileSync } from 'node:fs'
import { openApiDocument } from './document.ts'

// Run by `npm run generate`, in a process of its own that reads the packages' sources.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
try {
  process.stdout.write(`${JSON.stringify(openApiDocument(version), null, 2)}\n`)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
