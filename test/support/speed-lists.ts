import type { Speed } from './speeds.ts'

/** End to end, one walk of each adapter: a person signs in, sees a guarded page, and signs out. */
const WALKS = [
  'test/end-to-end/express-example.test.ts',
  'test/end-to-end/hono-example.test.ts',
  'test/end-to-end/next-example.test.ts',
  'test/end-to-end/sveltekit-node.test.ts',
  'test/end-to-end/web-package.test.ts',
]

/** In workerd every file starts a runtime of its own: what a sign-in and a read need of the platform. */
const IN_WORKERD = [
  'test/workerd/core.test.ts',
  'test/workerd/example-worker.test.ts',
  'test/workerd/faults.test.ts',
  'test/workerd/hono.test.ts',
  'test/workerd/openid.test.ts',
  'test/workerd/sessions.test.ts',
  'test/workerd/sign-in.test.ts',
  'test/workerd/verifier.test.ts',
  'test/workerd/worker.test.ts',
]

/** The files that take longest in Node: servers of stores, whole histories, faults at each step. */
const LONG = [
  'adapters/express/src/old-sessions-base.test.ts',
  'bench/scale/faults.test.ts',
  'cli/src/import/read-export.test.ts',
  'session/src/verifier/token-verifier.test.ts',
  'test/functions/audit-log.test.ts',
  'test/functions/mcp.test.ts',
  'test/functions/quick-starts.test.ts',
  'test/functions/shared-store.test.ts',
  'test/functions/workflows.test.ts',
  'test/upgrade/apps.test.ts',
  'worker/src/features/authorization-server/objects.test.ts',
  'worker/src/features/authorization-server/refresh-schedules.test.ts',
  'worker/src/features/deploys.test.ts',
  'worker/src/features/operate/log/other-language.test.ts',
  'worker/src/features/operate/webhooks/sender.test.ts',
  'worker/src/features/people/erase-rest.test.ts',
  'worker/src/features/second-factor/no-way-around.test.ts',
  'worker/src/features/turnstile/routes.test.ts',
  'worker/src/features/ways/dying.test.ts',
  'worker/src/features/ways/faults.test.ts',
  'worker/src/features/ways/storm.test.ts',
  'worker/src/providers/email-verified.test.ts',
  'worker/src/routes/everywhere-retry.test.ts',
  'worker/src/service/routes-properties.test.ts',
  'worker/src/sign-in/asking-provider.test.ts',
  'worker/src/stores/ledger/rules.test.ts',
  'worker/src/stores/postgres.test.ts',
  'worker/src/stores/revoked-handles.test.ts',
  'worker/src/stores/several-processes.test.ts',
  'worker/src/stores/sqlite.test.ts',
]

/** What few changes touch: older kinds of frameworks and other examples, pages that readers follow, mail, tunnel, releases. */
const BY_NIGHT = [
  'bench/scale/simulate.test.ts',
  'test/end-to-end/astro-example.test.ts',
  'test/end-to-end/behind-a-tunnel.test.ts',
  'test/end-to-end/deploy.test.ts',
  'test/end-to-end/express-readme.test.ts',
  'test/end-to-end/init.test.ts',
  'test/end-to-end/mcp-example.test.ts',
  'test/end-to-end/moving-in-next.test.ts',
  'test/end-to-end/moving-in.test.ts',
  'test/end-to-end/next-deployed.test.ts',
  'test/end-to-end/next-kinds.test.ts',
  'test/end-to-end/pictures.test.ts',
  'test/end-to-end/quick-start-next.test.ts',
  'test/end-to-end/quick-start-sveltekit.test.ts',
  'test/end-to-end/react-router-example.test.ts',
  'test/end-to-end/readme-app.test.ts',
  'test/end-to-end/readme-sveltekit.test.ts',
  'test/end-to-end/readme-worker.test.ts',
  'test/end-to-end/release.test.ts',
  'test/end-to-end/smtp.test.ts',
  'test/end-to-end/sveltekit-package.test.ts',
  'test/end-to-end/tunnel.test.ts',
  'test/end-to-end/verifier-readme.test.ts',
]

/** Files whose run is not the usual one: `test` for those in Node, and `test:all` for those in workerd and end to end. */
export const listed: ReadonlyMap<string, Speed> = new Map<string, Speed>([
  ...[...WALKS, ...IN_WORKERD].map((path) => [path, 'test'] as const),
  ...LONG.map((path) => [path, 'test:all'] as const),
  ...BY_NIGHT.map((path) => [path, 'test:night'] as const),
])
