import { localBases, redirectUris, sandboxSettings, usualApps } from './dev-servers.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { DevServerError, startWranglerDev } from './wrangler-dev.ts'

/**
 * `npm run sandbox`: the stand-in for the video app alone, for apps on this machine that answer
 * `/auth/*` or `/api/auth/*` themselves. `npm run sandbox -- http://localhost:4000`: for an app at another port;
 * `-- http://localhost:4000/my/auth`: at another path too.
 */
const port = 8788
await runUntilStopped(async () => {
  const given = process.argv.slice(2).flatMap((argument) => argument.split(','))
  const apps = given.length > 0 ? given : usualApps
  const wrong = apps.find((app) => localBases([app]).length === 0)
  if (wrong !== undefined) {
    throw new DevServerError(
      `The sandbox knows apps on this machine alone, each with its port, as in http://localhost:4000 or http://localhost:4000/api/auth. It was given: ${wrong}`,
    )
  }
  console.log('Starting the sandbox …')
  const sandbox = await startWranglerDev({
    name: 'sandbox',
    config: 'sandbox/wrangler.toml',
    port,
    vars: { SANDBOX_REDIRECT_URIS: redirectUris(localBases(apps)) },
    onNotice: (line) => console.log(line),
  })
  const settings = Object.entries(sandboxSettings(port)).map((pair) => `    ${pair.join('=')}`)
  console.log(`
  The sandbox plays the video app at ${sandbox.url}

  for apps at ${apps.join(', ')}, with auth routes at /auth or /api/auth
  or at the path that you gave, with these variables:

${settings.join('\n')}

  Press Ctrl+C to stop.
`)
  return { stop: sandbox.stop, ended: sandbox.ended.then((how) => `The sandbox ${how}.`) }
})
