import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { noted, serve } from '../clocked-app.ts'

// A SvelteKit app as adapter-node builds it.

const [, folder = ''] = process.argv.slice(2)
// The layout calls it.
Object.assign(globalThis, { noted })
const built = pathToFileURL(join(folder, 'build/handler.js')).href
const { handler }: { handler: RequestListener } = await import(built)
await serve(handler)
