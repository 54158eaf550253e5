import { join } from 'node:path'
import { localApps, localBases, startDevServers, usualApps } from './dev-servers.ts'
import { ensureDevVars, readDevVars } from './dev-vars.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { rootDir } from './wrangler-dev.ts'

/**
 * `npm start`: the Worker and the sandbox on this machine, ready to sign in.
 * `npm start -- <file>`: with the settings of this file too, as examples have one.
 */
await runUntilStopped(async () => {
  const devVars = join(rootDir, '.dev.vars')
  if (ensureDevVars(devVars, join(rootDir, '.dev.vars.example')) === 'written') {
    console.log('Wrote .dev.vars with a fresh AUTH_SECRET.')
  }
  console.log('Starting the Worker and the sandbox …')
  const trusted = localApps(readDevVars(devVars).AUTH_TRUSTED_ORIGINS)
  const vars = Object.assign({}, ...process.argv.slice(2).map(readDevVars))
  const servers = await startDevServers({
    workerEntry: 'scripts/demo-worker.ts',
    // Also for apps that `npm run sandbox` would serve.
    appOrigins: localBases([...trusted, ...usualApps]),
    vars,
  })
  console.log(`
  Latchkey is running.

    Sign in    ${servers.workerUrl}/auth/signin   (then it says what to do next)
    Sandbox    ${servers.sandboxUrl}   (plays the video app)
    Mailbox    ${servers.mailboxUrl}   (what the Worker mailed)
    Settings   .dev.vars   (read at the start: restart after a change)

  Press Ctrl+C to stop.
`)
  return servers
})
