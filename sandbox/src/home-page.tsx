import type { FC } from 'hono/jsx'
import type { SandboxClient } from './clients.js'
import { ownAppPath } from './own-app-page.js'
import { Layout } from './page.js'

/** Method, path and purpose of every endpoint. */
export const endpoints = [
  ['GET', '/v2/auth/authorize/', 'asks a person for consent'],
  ['POST', '/v2/oauth/token/', 'a code or a refresh token against tokens'],
  ['POST', '/v2/oauth/revoke/', 'ends a grant'],
  ['GET', '/v2/user/info/', 'the fields that were asked for and allowed'],
  ['POST', '/v2/post/publish/video/init/', 'posts a video as the person, with video.publish'],
  ['POST', '/v2/video/list/', 'the posted videos, with video.list'],
] as const

interface HomePageProps {
  readonly clients: readonly SandboxClient[]
  readonly hasMailbox: boolean
}

/** The home page: what this server is, and which clients are registered. */
export const HomePage: FC<HomePageProps> = ({ clients, hasMailbox }) => (
  <Layout title="Welcome">
    <h1>A stand-in for the video app</h1>
    <p>
      An OAuth server with test people, as strict as the real one. Everything is kept in memory and
      gone when the process ends.
    </p>
    <p>
      <a href={ownAppPath}>Use it from an app of your own</a>
    </p>
    {hasMailbox && (
      <p>
        <a href="/mailbox">Mailbox</a>: what the Worker on this machine mailed.
      </p>
    )}
    <h2>Endpoints</h2>
    <ul class="plain-list">
      {endpoints.map(([method, path, purpose]) => (
        <li>
          <code>
            {method} {path}
          </code>
          <small>{purpose}</small>
        </li>
      ))}
    </ul>
    <h2>Registered clients</h2>
    {clients.map((client) => (
      <section>
        <h3>
          <code>{client.clientKey}</code>
        </h3>
        <p class="quiet">
          {client.type} client, code challenge as {client.challenge ?? 'base64url'}; redirect URIs:
        </p>
        <ul class="plain-list">
          {client.redirectUris.map((uri) => (
            <li>
              <code>{uri}</code>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </Layout>
)
