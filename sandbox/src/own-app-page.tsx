import type { FC } from 'hono/jsx'
import { Layout } from './page.js'

/** The address of the page, which refusals lead to. */
export const ownAppPath = '/own-app'

/**
 * How an app of one's own is made known to this server; the same as `docs/sandbox.md`.
 *
 * @param origin of this server, as the browser has it
 */
export const OwnAppPage: FC<{ origin: string; clientKey: string }> = ({ origin, clientKey }) => (
  <Layout title="An app of your own">
    <h1>Use the sandbox from an app of your own</h1>
    <p>
      This server sends people back to addresses alone that are registered, character by character:{' '}
      <code>&lt;origin&gt;/auth/callback/videoapp</code> of apps on this machine, with their port.
    </p>
    <h2>The app answers the auth routes</h2>
    <p>Start the sandbox for it, in the folder of Latchkey:</p>
    <pre>npm run sandbox -- http://localhost:4000</pre>
    <p>The app's own variables, beside its AUTH_SECRET:</p>
    <pre>
      {[
        `AUTH_VIDEO_ID=${clientKey}`,
        'AUTH_VIDEO_SECRET=sandbox-client-secret',
        `AUTH_VIDEO_AUTHORIZATION_URL=${origin}/v2/auth/authorize/`,
        `AUTH_VIDEO_TOKEN_URL=${origin}/v2/oauth/token/`,
        `AUTH_VIDEO_USERINFO_URL=${origin}/v2/user/info/`,
      ].join('\n')}
    </pre>
    <h2>The app forwards to the Worker</h2>
    <p>
      In <code>.dev.vars</code> of Latchkey, and then <code>npm start</code> anew:
    </p>
    <pre>AUTH_TRUSTED_ORIGINS=http://localhost:4000</pre>
    <p>In the app:</p>
    <pre>AUTH_WORKER_URL=http://localhost:8787/auth</pre>
    <p class="quiet">
      <code>docs/sandbox.md</code> of the repository has both with their code. Another path than
      these is registered by <code>SANDBOX_REDIRECT_URIS</code>.
    </p>
  </Layout>
)
