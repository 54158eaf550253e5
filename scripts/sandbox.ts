import { localBases, redirectUris, sandboxSettings, usualApps } from './dev-servers.ts'
import { isPortBusy } from './ports.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { missingAt } from './running-sandbox.ts'
import { DevServerError, startWranglerDev, type WranglerDev } from './wrangler-dev.ts'

/**
 * `npm run sandbox`: the stand-in for the video app alone, for apps on this machine that answer
 * `/auth/*` or `/api/auth/*` themselves. `npm run sandbox -- http://localhost:4000`: for an app at another port;
 * `-- http://localhost:4000/my/auth`: at another path too. If `npm start` already runs the sandbox, it is that one.
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
  const uris = redirectUris(localBases(apps))
  const missing = (await isPortBusy(port)) ? await missingAt(port, uris) : undefined
  if (given.length > 0 && missing !== undefined && missing.length > 0) {
    throw new DevServerError(
      `The sandbox that runs on port ${port} does not send people back to ${missing.join(', ')}. Add the app to AUTH_TRUSTED_ORIGINS in .dev.vars and restart npm start, or stop it and try again.`,
    )
  }
  const sandbox = missing === undefined ? await startSandbox(uris) : undefined
  const settings = Object.entries(sandboxSettings(port)).map((pair) => `    ${pair.join('=')}`)
  console.log(`
  The sandbox${sandbox ? '' : ', which already runs,'} plays the video app at http://localhost:${port}

  It signs people in to the apps at

${apps.map(shownApp).join('\n')}

  An app needs these variables:

${settings.join('\n')}
`)
  // `npm start` runs it, and stops it.
  if (!sandbox) process.exit(0)
  console.log('  Press Ctrl+C to stop.\n')
  return { stop: sandbox.stop, ended: sandbox.ended.then((how) => `The sandbox ${how}.`) }
})

/** An address without a path stands for both of the usual ones. */
function shownApp(app: string): string {
  return `    ${app}${new URL(app).pathname === '/' ? '   (auth routes at /auth or /api/auth)' : ''}`
}

function startSandbox(uris: string): Promise<WranglerDev> {
  console.log('Starting the sandbox …')
  return startWranglerDev({
    name: 'sandbox',
    config: 'sandbox/wrangler.toml',
    port,
    vars: { SANDBOX_REDIRECT_URIS: uris },
    onNotice: (line) => console.log(line),
  })
}
