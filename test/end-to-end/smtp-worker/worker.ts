import { connect } from 'node:tls'
import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import email from '@latchkey/worker/providers/email'
import { createTransport } from 'nodemailer'

export { Ledger } from '@latchkey/worker/ledger'

interface Env extends AuthBindings {
  /** Mail servers by provider, as JSON. */
  readonly SMTP_SERVERS: string
}

interface Server {
  readonly port: number
  readonly pass: string
}

/** Sends its mails by SMTP, each provider through a server of its own. */
export default createAuth<Env>(({ SMTP_SERVERS }) => ({
  basePath: '/auth',
  providers: Object.entries<Server>(JSON.parse(SMTP_SERVERS)).map(([id, server]) => {
    const transport = transportTo(server)
    return email({
      id,
      from: 'Example, Inc. <sign-in@example.com>',
      sendVerificationRequest: async ({ mail }) => {
        await transport.sendMail(mail)
      },
    })
  }),
}))

function transportTo({ port, pass }: Server) {
  return createTransport({
    host: 'localhost',
    port,
    secure: true,
    auth: { user: 'latchkey', pass },
    // nodemailer looks the address up and connects to that. A Worker then compares the certificate
    // with the address; connected by name, it compares it with the name.
    getSocket({ host = '', port }, done) {
      const connection = connect({ host, port: Number(port) })
      connection.once('secureConnect', () => done(null, { connection, secured: true }))
      connection.once('error', (error) => done(error, false))
    },
  })
}
