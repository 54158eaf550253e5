import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { DevVarsError, ensureDevVars, readDevVars } from './dev-vars.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { DevServerError, rootDir, startWranglerDev } from './wrangler-dev.ts'

/**
 * `npm run tunnel`: the Worker of this machine behind a public https address, which the video app
 * demands before it sends a user back.
 *
 * `-- --tunnel-name NAME` uses a named tunnel, which keeps its address between runs.
 */
const { values: args } = parseArgs({
  options: {
    port: { type: 'string', default: '8787' },
    'env-file': { type: 'string' },
    'tunnel-name': { type: 'string' },
  },
})

await runUntilStopped(async () => {
  const envFile = args['env-file'] === undefined ? undefined : resolve(args['env-file'])
  const devVars = envFile ?? join(rootDir, '.dev.vars')
  checkDevVars(devVars)
  console.log('Starting the Worker and the tunnel …')
  let announce: (origin: string) => void = () => {}
  const announced = new Promise<string>((resolve) => {
    announce = resolve
  })
  let sharing = false
  const tunnelName = args['tunnel-name']
  const worker = await startWranglerDev({
    name: 'Worker',
    port: Number(args.port),
    vars: { AUTH_TRUST_HOST: 'true' },
    args: [
      '--tunnel',
      ...(tunnelName === undefined ? [] : ['--tunnel-name', tunnelName]),
      // The visitor's side is https. Without this, wrangler shows the Worker http:// in request.url
      // and rewrites the browser's `Origin: https://…` to http:// too.
      ...['--upstream-protocol', 'https'],
    ],
    ...(envFile !== undefined && { envFile }),
    onLine(line) {
      sharing ||= line.includes('Sharing via Cloudflare Tunnel')
      const url = sharing ? /https:\/\/[^\s/]+/.exec(line)?.[0] : undefined
      if (url !== undefined) announce(url)
    },
    onNotice(line) {
      if (line.trim() !== '') console.log(`[worker] ${line}`)
    },
  })
  const origin = await Promise.race([announced, worker.ended.then(() => undefined)])
  if (origin === undefined) {
    throw new DevServerError('The Worker ended before the tunnel gave it a public address.')
  }
  console.log(`
  Latchkey is running at ${origin}

    Register this redirect URI with the video app:
      ${origin}/auth/callback/videoapp

    Then sign in at:
      ${origin}/auth/signin

  Anybody who knows the address can open it. ${lifetime(tunnelName)}
  Press Ctrl+C to stop.
`)
  return worker
})

/**
 * Refuses settings of the local sandbox: the video app does not know its key, and the sandbox must
 * not take the video app's place.
 */
function checkDevVars(file: string): void {
  if (!existsSync(file)) {
    throw new DevVarsError(`There is no ${file}. Run npm start once: it writes .dev.vars.`)
  }
  ensureDevVars(file, join(rootDir, '.dev.vars.example'))
  const vars = readDevVars(file)
  const wrong: string[] = []
  for (const name of ['AUTH_VIDEO_ID', 'AUTH_VIDEO_SECRET']) {
    const value = vars[name] ?? ''
    if (value === '') wrong.push(`Set ${name}: the video app's page for developers shows it.`)
    else if (value.startsWith('sandbox-client-')) {
      wrong.push(`Change ${name}: ${value} is the local sandbox's, the video app has its own.`)
    }
  }
  for (const name of ['AUTHORIZATION', 'TOKEN', 'USERINFO'].map((it) => `AUTH_VIDEO_${it}_URL`)) {
    if (vars[name]) wrong.push(`Remove ${name}: it points away from the video app.`)
  }
  if (vars.AUTH_URL) wrong.push('Remove AUTH_URL: the tunnel gives the Worker its public address.')
  if (wrong.length > 0) {
    throw new DevVarsError(`${file} is not ready for the video app:\n\n  ${wrong.join('\n  ')}`)
  }
}

function lifetime(tunnelName: string | undefined): string {
  return tunnelName === undefined
    ? 'It closes after one hour, and the next run has another address.'
    : 'It closes after one hour.'
}
